#!/bin/bash
# dbfs-cache.sh: dbfs keeps shards beside a file only where nobody else can write, and never through links. Where it
# cannot keep them, it searches without, or with --cache says why.
set -u
. tests/lib.sh
bin=$(realpath "$BIN")
here=$PWD
PATH=$bin:$PATH
cd "$tmp" || exit 1
printf '0 1\n1 2\n' >g.txt
printf '0 0\n1 1\n2 2\n' >want
search() { timeout 60 dbfs -q -r 0 -o - "$@"; }

# not_kept NAME SAYING FILE: the distances are right, and one line says why the shards are not kept
not_kept() {
    check_exit 0 "$1: the search goes on" search "$3"
    check "$situation: distances are right" cmp out want
    check_says "^dbfs: $3.dbfs: is not used, and the shards are not kept: .*$2: --cache DIR names"
    check "$situation: the note is one line" test "$(wc -l <err)" = 1
}

# ---- folders that others may write to ----

mkdir shared sticky
cp g.txt shared
cp g.txt sticky
chmod 777 shared
chmod 1777 sticky
not_kept 'a folder that others may write to' "others may write to $tmp/shared" shared/g.txt
check 'nothing is made there' test ! -e shared/g.txt.dbfs
mkdir shared/inner
cp g.txt shared/inner
not_kept 'a folder in one that others may write to' "others may write to $tmp/shared" shared/inner/g.txt
check_exit 0 'a sticky folder, such as /tmp' search sticky/g.txt
check "$situation: the shards are kept there" test -e "$(echo sticky/g.txt.dbfs/*/shards/manifest)"
check "$situation: prints no note" test ! -s err
check_exit 0 'a umask of 0' eval '(umask 0 && search g.txt)'
check "$situation: gives nobody else the folder" test -z "$(find g.txt.dbfs -type d -perm /022)"
chmod 777 g.txt.dbfs
not_kept 'a folder of shards that others may write to' "others may write to $tmp/g.txt.dbfs" g.txt
chmod 1777 g.txt.dbfs
not_kept 'and may add names to' "others may write to $tmp/g.txt.dbfs" g.txt
rm -r g.txt.dbfs
mkdir elsewhere
ln -s elsewhere g.txt.dbfs
not_kept 'a link' "$tmp/g.txt.dbfs is a link" g.txt
check 'a link in place of the cache is not followed' test -z "$(ls elsewhere)"
rm g.txt.dbfs
touch g.txt.dbfs
not_kept 'a file of the name' 'File exists' g.txt
rm g.txt.dbfs
check_exit 0 '--no-cache' search --no-cache shared/g.txt
check '--no-cache prints no note' test ! -s err

# ---- links under the names of files ----

mkdir bait cache
cp "$bin/dbfs" bait
for name in "$bin"/*; do [ -e "bait/${name##*/}" ] || ln -s "$name" bait; done
rm bait/edgeconv
cat >bait/edgeconv <<SCRIPT
#!/bin/sh
for folder in "$tmp"/cache/*.making.*; do ln -s "$tmp/profile" "\$folder/key"; done
exec "$bin/edgeconv" "\$@"
SCRIPT
chmod +x bait/edgeconv
echo mine >profile
check_exit 5 'a link where the key is to be' bait/dbfs -q --cache cache -r 0 -o - g.txt
check_says '^dbfs: cache: cannot write the key of the shards'
check "$situation: the file behind the link is not written" test "$(cat profile)" = mine

# ---- folders that cannot be used ----

check_exit 0 '--cache=--help' search --cache=--help g.txt
check "$situation: prints the distances and no help" cmp out want
check "$situation: makes a folder of that name" test -d ./--help
check_exit 1 '--cache where there can be no folder' search --cache g.txt/x g.txt
check_says '^dbfs: g.txt/x: cannot keep shards there: Not a directory: --cache DIR names another'
check_exit 1 '--cache with the name of a file' search --cache want g.txt
check_says '^dbfs: want: cannot keep shards there: File exists'
check_exit 2 '--cache and --no-cache' search --cache cache --no-cache g.txt
check_exit 2 '--cache without a name' search --cache= g.txt
check_exit 1 'too few open files are an error' eval '(ulimit -n 12 && search g.txt)'
check_says 'ulimit -n'

# ---- other users ----

reader=54321 writer=54322
as() { setpriv --reuid="$1" --regid="$1" --clear-groups env TMPDIR=/tmp timeout 60 "${@:2}"; }
if [ "$(id -u)" != 0 ] || ! as $reader dbfs --version >/dev/null 2>&1; then
    skip 'folders of other users: only root can be two users, with setpriv, where they can run the programs'
else
    chmod 711 .
    for mask in 077 066 022; do
        rm -rf sticky/g.txt.dbfs
        (umask $mask && as $writer dbfs -q -r 0 sticky/g.txt)
        check "another user with umask $mask has shards in a sticky folder" test -e "$(echo sticky/g.txt.dbfs/*/shards/manifest)"
        check_exit 0 'the search goes on without them' as $reader dbfs -q -r 0 -o - sticky/g.txt
        check "$situation: distances are right" cmp out want
        check_says "g.txt.dbfs is another user's"
        check_exit 1 '--cache asks for them' as $reader dbfs -q -p 2 -r 0 -o - --cache sticky/g.txt.dbfs sticky/g.txt
        check_says 'cannot keep shards there: Permission denied'
        check_exit 0 'root' dbfs -q -r 0 -o - sticky/g.txt
        check_says "g.txt.dbfs is another user's"
    done
    mkdir -m 755 rooted
    cp g.txt rooted
    check_exit 0 "a folder of root's" as $reader dbfs -q -r 0 -o - rooted/g.txt
    check "$situation: distances are right" cmp out want
    check_says 'the shards are not kept: Permission denied'
    check_exit 0 "another user's folder" eval 'chown $writer rooted && dbfs -q -r 0 -o - rooted/g.txt'
    check_says "$tmp/rooted is another user's"
fi
cd "$here" || exit 1
finish
