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
printf '0\t0\n1\t1\n2\t2\n' >want
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
mkdir stubs
for name in realpath dirname sha256sum grep mktemp mkfifo flock edgeconv; do
    printf '#!/bin/sh\necho %s >>%q/started\nexit 1\n' $name "$tmp" >stubs/$name
done
chmod +x stubs/*
ln -s g.txt link.txt
mkdir -p 'a folder'/-n
cp g.txt 'a folder'/-n/%d
for file in g.txt ./g.txt "$tmp/g.txt" 'a folder'/-n/%d; do
    check_exit 0 "the first search of $file" search "$file"
    check_exit 0 "the search of $file, which is kept" env PATH="$tmp/stubs:$PATH" CDPATH="$tmp/stubs:$tmp" timeout 60 dbfs -q -r 0 -o - "$file"
    check "$situation: distances are right" cmp out want
    check "$situation: starts few programs" test ! -e started
done
check_exit 0 'a link to a file' search link.txt
check "$situation: is another name of it" grep -qF "$tmp/g.txt " link.txt.dbfs/*/key
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

# ---- what is kept: listed, searched, removed ----

mkdir kept && cd kept || exit 1
cp ../g.txt .
printf 'a b\nb c\n' >names.txt
dbfs -q -r 0 g.txt
dbfs -q -p 2 --vertices 5 -r 0 g.txt
dbfs -q --compact -r a names.txt
dbfs -q --cache all -r 0 g.txt
dbfs -q --cache all --compact -r a names.txt
sets() { ls -d "$@" 2>/dev/null | wc -l; } # FOLDER...: prints how many there are
# ROW COLUMN: prints a field of the list in `out`
field() { awk -F '\t' -v row="$1" -v column="$2" 'NR == row { print $column }' ../out; }
check_exit 0 '--cache-list' dbfs --cache-list g.txt names.txt
check "$situation: has a line for each set" test "$(wc -l <../out)" = 3
check "$situation: the folders are there" test -d "$(field 1 1)/shards" -a -d "$(field 2 1)/shards" -a -d "$(field 3 1)/shards"
check "$situation: bytes are those of the files" test "$(field 3 2)" = "$(cat names.txt.dbfs/*/key names.txt.dbfs/*/graph.map names.txt.dbfs/*/shards/* | wc -c)"
check "$situation: has the date" grep -qE '^20[0-9]{2}-[01][0-9]-[0-3][0-9] [0-2][0-9]:[0-5][0-9]$' <<<"$(field 1 3)"
check "$situation: says that they are current" test "$(cut -f 4 ../out | sort -u)" = current
check "$situation: has the files" test "$(field 1 5) $(field 3 5)" = "$PWD/g.txt $PWD/names.txt"
check "$situation: has the options" test "$(cut -f 6 ../out | sort | tr '\n' ';')" = \
    'edgeconv -u --compact | dbfs-pack -p 1;edgeconv -u --vertices=5 | dbfs-pack -p 2;edgeconv -u | dbfs-pack -p 1;'
check_exit 0 '--cache-list of a folder' dbfs --cache-list --cache all
check "$situation: has all that is there" test "$(wc -l <../out)" = 2
check_exit 0 '--cache-list of a file in a folder' dbfs --cache-list --cache all g.txt
check "$situation: has that of the file" test "$(field 1 5) $(wc -l <../out)" = "$PWD/g.txt 1"
check_exit 2 '--cache-list of nothing' dbfs --cache-list
check_exit 2 '--cache-list of a search' dbfs --cache-list -r 0 g.txt
check_exit 2 'another word for --cache-clean' dbfs --cache-clean=some g.txt
for folder in names.txt.dbfs names.txt.dbfs/*; do
    check_exit 0 "the kept ${folder##*/}" dbfs -q -r a -o - "$folder"
    check "$situation: is searched by name" test "$(tr '\t' ' ' <../out | tr '\n' ',')" = 'a 0,b 1,c 2,'
    check "$situation: prints no note" test ! -s ../err
done
check_exit 2 'a folder of several kept graphs' dbfs -r 0 g.txt.dbfs
check_says '^dbfs: g.txt.dbfs: has 2 graphs: give a file that they are of, or a folder of `dbfs --cache-list g.txt.dbfs`'
mkdir noted
for i in {1..25}; do printf 'source,target,the\tweight\n0,%d,.5\n' $i >noted/$i.csv; done
check_exit 0 'many files' dbfs -q --cache noted/kept -r 0 noted/*.csv
check "$situation: have no notes with -q" test ! -s ../err
dbfs -r 0 noted/1.csv 2>noted/first
check 'a table gets notes' grep -qx 'dbfs: noted/1.csv: the first line is taken for column names: source,target,the	weight' noted/first
check_exit 0 'a kept graph' dbfs -r 0 noted/1.csv
check "$situation: gets the notes again" cmp noted/first ../err
check_exit 0 'a kept graph under another name' dbfs -r 0 ./noted/1.csv
check "$situation: has that name in its notes" diff <(sed 's/ noted/ .\/noted/' noted/first) ../err
check_exit 0 'a folder of a kept graph' dbfs -r 0 noted/1.csv.dbfs
check "$situation: gets the notes again" diff <(sed "s| noted| $PWD/noted|" noted/first) ../err
check_exit 0 'a kept graph, -q' dbfs -q -r 0 -o - noted/1.csv
check "$situation: gets no notes" test ! -s ../err
check_exit 0 'a kept graph of many files' dbfs --cache noted/kept -r 0 noted/*.csv
check "$situation: gets the first notes, and their number" test "$(wc -l <../err) $(tail -n 1 ../err)" = \
    '21 dbfs: there are 6 more notes: --no-cache makes the shards again, and prints all'
mkdir k
cp -r noted/1.csv.dbfs/*/shards k
check_exit 0 'a folder with shards and no key' dbfs -q -r 0 -o - k
printf 'a\302\2331mred\n-n\n' >"$(echo noted/1.csv.dbfs/*/notes)"
check_exit 0 'notes that another user has written' dbfs -r 0 noted/1.csv
check "$situation: control characters are shown as ?, and lines as they are" test "$(cat ../err)" = $'a?1mred\n-n'
check_exit 0 '--cache-list of a file without kept shards' dbfs --cache-list noted/2.csv
check "$situation: says nothing" test ! -s ../out -a ! -s ../err
check_exit 0 '--cache-clean of a graph with notes' dbfs --cache-clean=all noted/1.csv
check "$situation: removes it" test ! -e noted/1.csv.dbfs
check_exit 0 '--cache-clean where all is current' dbfs --cache-clean g.txt names.txt
check "$situation: removes nothing" test "$(cat ../out) $(sets ./*.dbfs/*)" = '0 removed: 0 bytes 3'
# a set of version 1.0.0 beside that of today, as an upgrade leaves them
old=$(echo names.txt.dbfs/*)
cp -r "$old" names.txt.dbfs/new
sed '$s/.*/rmatgen (dbfs) 1.0.0/' "$old/key" >names.txt.dbfs/new/key
old=$(sha256sum <names.txt.dbfs/new/key)
mv names.txt.dbfs/new "names.txt.dbfs/${old:0:16}"
check_exit 0 'a folder with a graph that version 1.0.0 kept' dbfs -q -r a -o - names.txt.dbfs
check "$situation: that of today is searched" test "$(wc -l <../out) $(wc -l <../err)" = '3 0'
check_exit 0 '--cache-list of both' dbfs --cache-list names.txt
check "$situation: says which version made them" test "$(cut -f 4 ../out | sort | tr '\n' ',')" = 'current,version 1.0.0 made it,'
check_exit 0 '--cache-clean of both' dbfs --cache-clean names.txt
check "$situation: removes that of 1.0.0" grep -q "^removed $PWD/names.txt.dbfs/${old:0:16}: [0-9]* bytes: version 1.0.0 made it\$" ../out
check "$situation: leaves that of today" test "$(sets names.txt.dbfs/*)" = 1
touch -d '2 days ago' names.txt
check_exit 0 'a kept graph whose file has changed' dbfs -r a -o - names.txt.dbfs
check_says "shards: may be another graph than that of the file now: $PWD/names.txt has changed"
rm g.txt
check_exit 0 '--cache-list of changed files' dbfs --cache-list g.txt names.txt
check "$situation: says why they are not used" test "$(cut -f 4 ../out | sort -u | tr '\n' ',')" = "$PWD/g.txt is gone,$PWD/names.txt has changed,"
bytes=$(cat names.txt.dbfs/*/key names.txt.dbfs/*/graph.map names.txt.dbfs/*/shards/* | wc -c)
check_exit 0 '--cache-clean of a changed file' dbfs --cache-clean names.txt
check "$situation: says what it removed" grep -qE "^removed $PWD/names.txt.dbfs/[0-9a-f]{16}: $bytes bytes: $PWD/names.txt has changed\$" ../out
check "$situation: says how many bytes" test "$(tail -n 1 ../out)" = "1 removed: $bytes bytes"
check "$situation: removes the empty folder, and nothing else" test ! -e names.txt.dbfs -a "$(sets g.txt.dbfs/*)" = 2
dbfs -q --cache all --compact -r a names.txt
check_exit 0 '--cache-clean=all of a file' dbfs -q --cache-clean=all --cache all names.txt
check "$situation: leaves what is of other files" test "$(cut -d ' ' -f 1 all/*/key | head -n 1)" = "$PWD/g.txt" -a "$(sets all/*)" = 1
check "$situation: prints nothing with -q" test ! -s ../out
# what is not dbfs's stays: other names, links, folders whose key has been changed, and all in a set beside files of a user
real=$(echo all/*)
mkdir -p all/notes all/0123456789abcdef/shards elsewhere/shards
echo "$PWD/none 1 2 3 4 5 6 7 8 9" | tee all/0123456789abcdef/key >elsewhere/key
set=$(sha256sum <elsewhere/key) && set=${set:0:16}
touch elsewhere/shards/manifest
ln -s ../elsewhere "all/$set"
mkdir all/0123456789abcdef.making.other.99999999 "all/0123456789abcdef.making.$HOSTNAME.99999999" "all/0123456789abcdef.making.$HOSTNAME.$$"
touch "all/0123456789abcdef.making.$HOSTNAME.99999999/key"
touch "$real/shards/mine"
check_exit 0 '--cache-clean=all among files of others' dbfs --cache-clean=all --cache all
check_says "stays, as shards/mine in it is not dbfs's"
check "$situation: says so in one line" test "$(wc -l <../err)" = 1
check "$situation: removes what a dead process left, and nothing else" \
    test "$(tail -n 1 ../out) $(sets all/*) $(sets elsewhere/*)" = '1 removed: 0 bytes 6 2'
rm "$real/shards/mine"
check_exit 0 '--cache-clean again' dbfs --cache-clean --cache all
check "$situation: removes the set whose file is gone" test "$(sets all/*) $(sets elsewhere/*)" = '5 2'
chmod 777 g.txt.dbfs
check_exit 1 '--cache-clean where others may write' dbfs --cache-clean g.txt
check_says "^dbfs: $PWD/g.txt.dbfs: nothing is removed there: others may write to $PWD/g.txt.dbfs"
check '--cache-list says that others may write there' grep -q "	others may write to $PWD/g.txt.dbfs	" <(dbfs --cache-list g.txt)
check "$situation: removes nothing" test "$(sets g.txt.dbfs/*)" = 2
cd .. || exit 1

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
