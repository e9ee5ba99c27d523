#!/bin/bash
# same-file.sh: each tool refuses an output that is one of its inputs, under any name, or its other output, before it
# reads or writes anything.
set -u
. tests/lib.sh
bin=$(realpath "$BIN")
here=$PWD
limited() { timeout 60 "$@"; }

# names FILE: makes other names of it beside it
names() {
    ln -sf "$(basename "$1")" "$1.soft"
    ln -f "$1" "$1.hard"
}
# keeps FILE NAME COMMAND...: the command is refused, and FILE stays as it was
keeps() {
    local file=$1 name=$2
    shift 2
    cp "$file" "$tmp/kept"
    check_exit 2 "$name" limited "$@"
    check_says 'is an input too\|is another output too'
    check "$name: the file is intact" cmp "$tmp/kept" "$file"
}

printf '0 1\n1 2\n2 3\n' >"$tmp/in.txt"
cp "$tmp/in.txt" "$tmp/other.txt"
gzip -c "$tmp/in.txt" >"$tmp/in.txt.gz"
"$bin/edgeconv" -q -u -o "$tmp/g.edges" "$tmp/in.txt"
"$bin/degsplit" -q -t 1 -o "$tmp/g.split" "$tmp/g.edges"
"$bin/edgeconv" -q -u --compact="$tmp/g.map" -o "$tmp/named.edges" "$tmp/in.txt"
for file in in.txt in.txt.gz g.edges g.split g.map; do names "$tmp/$file"; done
cd "$tmp" || exit 1

# ---- edgeconv ----

for name in in.txt ./in.txt "$tmp/in.txt" in.txt.soft in.txt.hard; do
    keeps in.txt "edgeconv -o $name" "$bin/edgeconv" -q -u -o "$name" in.txt
    keeps in.txt "edgeconv --compact=$name" "$bin/edgeconv" -q -u --compact="$name" -o x in.txt
    keeps in.txt "edgeconv -o $name, the second input" "$bin/edgeconv" -q -u -o "$name" other.txt in.txt
    keeps in.txt.gz "edgeconv -o ${name/txt/txt.gz}" "$bin/edgeconv" -q -u -o "${name/txt/txt.gz}" in.txt.gz
done
check_says '^edgeconv: in.txt.gz.hard: is an input too (in.txt.gz); choose another output$' 'edgeconv: a hard link of an input is refused with both names'
cp in.txt kept
check_exit 2 'edgeconv -f wdc-index' "$bin/edgeconv" -q -f wdc-index -o ./in.txt in.txt
check 'edgeconv -f wdc-index: the file is intact' cmp kept in.txt
check 'edgeconv: the file of standard input is no output' bash -c '"$1" -q -u -o ./in.txt <in.txt; [ $? = 2 ]' - "$bin/edgeconv"
check 'edgeconv: standard input is intact' cmp kept in.txt
keeps in.txt 'edgeconv, edges and map to one new file' "$bin/edgeconv" -q -u --compact=./new -o new in.txt
ln -s new later
keeps in.txt 'edgeconv, edges and map to one new file, by a link' "$bin/edgeconv" -q -u --compact=later -o ./new in.txt
keeps in.txt 'edgeconv to standard output that is the input' bash -c '"$1" -q -u in.txt >>in.txt' - "$bin/edgeconv"
check_says '^edgeconv: standard output: is an input too (in.txt); choose another output$'
keeps in.txt 'edgeconv to standard output that is standard input' bash -c '"$1" -q -u - <in.txt >>in.txt' - "$bin/edgeconv"
keeps g.map 'edgeconv, edges and map to one file' "$bin/edgeconv" -q -u --compact=g.map -o g.map.soft in.txt
check 'edgeconv: nothing else was written' test ! -e x -a ! -e new
check_exit 0 'edgeconv -o /dev/null' "$bin/edgeconv" -q -u --compact=/dev/null -o /dev/null in.txt
check_exit 0 'edgeconv -o of an older file' "$bin/edgeconv" -q -u --force -o kept in.txt

# ---- degsplit ----

for name in g.edges ./g.edges g.edges.soft g.edges.hard; do
    keeps g.edges "degsplit -o $name" "$bin/degsplit" -q -t 1 -o "$name" g.edges
    keeps g.edges "degsplit --sweep $name" "$bin/degsplit" -q -t 1 -o x --sweep "$name" g.edges
done
keeps g.edges 'degsplit to standard output that is the input' bash -c '"$1" -q -t 1 g.edges >>g.edges' - "$bin/degsplit"
keeps g.edges 'degsplit, both to one new file' "$bin/degsplit" -q -t 1 -o new --sweep ./new g.edges
keeps g.split 'degsplit, both to one file' "$bin/degsplit" -q -t 1 -o g.split.hard --sweep g.split g.edges
keeps g.edges 'degsplit, two ranks' "$MPIEXEC" -n 2 "$bin/degsplit" -q -t 1 -o ./g.edges g.edges
check 'degsplit: nothing else was written' test ! -e x -a ! -e new
check_exit 0 'degsplit to /dev/null' "$bin/degsplit" -q -t 1 -o /dev/null --sweep /dev/null g.edges

# ---- dbfs-pack ----

keeps g.edges 'dbfs-pack -o, a file' "$bin/dbfs-pack" -q -p 1 -o ./g.edges g.edges
for entry in manifest packing part-0000-of-0001.dbfs part-0007-of-0009.dbfs .manifest.abcdef; do
    rm -rf dir
    mkdir dir
    cp g.edges "dir/$entry"
    keeps "dir/$entry" "dbfs-pack, an input that is $entry" \
        "$bin/dbfs-pack" -q -p 1 --force -o dir "dir/$entry"
    ln -sf ../g.edges "dir/$entry"
    keeps g.edges "dbfs-pack, $entry a link to it" "$bin/dbfs-pack" -q -p 1 --force -o ./dir g.edges
    ln -f g.edges "dir/$entry"
    keeps g.edges "dbfs-pack, $entry a hard link to it" "$bin/dbfs-pack" -q -p 1 --force -o dir/ g.edges.soft
    ln -f g.split "dir/$entry"
    keeps g.split "dbfs-pack -s, $entry" "$bin/dbfs-pack" -q -p 1 --force -s g.split -o dir g.edges
done
keeps g.split 'dbfs-pack, two ranks' "$MPIEXEC" -n 2 "$bin/dbfs-pack" -q -p 2 --force -s g.split -o dir g.edges
rm -rf dir
mkdir dir
cp g.edges g.split dir
check_exit 0 'dbfs-pack beside its inputs' "$bin/dbfs-pack" -q -p 1 --force -s dir/g.split -o dir dir/g.edges
check 'dbfs-pack: the inputs are intact' cmp g.edges dir/g.edges

# ---- dbfs-traverse ----

"$bin/dbfs-pack" -q -p 2 -t 1 -o two named.edges
names two/manifest
names two/part-0001-of-0002.dbfs
traverse=("$bin/dbfs-traverse" -q --force --map g.map two)
for option in --depths --parents --json; do
    for file in g.map two/manifest two/part-0001-of-0002.dbfs; do
        for name in "$file" "./$file" "$file.soft" "$file.hard"; do
            keeps "$file" "dbfs-traverse $option $name" "${traverse[@]}" -r 0 $option "$name"
        done
    done
done
keeps g.map 'dbfs-traverse, depths and parents to one new file' "${traverse[@]}" -r 0 --depths new --parents ./new
keeps g.map 'dbfs-traverse, parents and json to one new file' "${traverse[@]}" -r 0 --parents new --json new
echo >old
names old
keeps old 'dbfs-traverse, depths and json to one file' "${traverse[@]}" -r 0 --depths old.soft --json old.hard
keeps old 'dbfs-traverse, one pattern for both' "${traverse[@]}" -n 2 --depths new%d --parents ./new%d
cp g.edges number1
ln -f two/manifest number2
keeps two/manifest 'dbfs-traverse, the name of a root' "$bin/dbfs-traverse" -q --force -r 1 -r 2 --depths number%d two
keeps number1 'dbfs-traverse, a name of a root and another result' \
    "$bin/dbfs-traverse" -q --force -r 1 --depths number%d --json ./number1 two
keeps two/manifest 'dbfs-traverse, two ranks' "$MPIEXEC" -n 2 "$bin/dbfs-traverse" -q -r 1 --depths two/manifest two

# ---- reports on standard output ----

"$bin/dbfs-traverse" -q --map g.map -r 0 --depths depths.txt --json run.json two
echo 0 >list
while read -r file command; do
    keeps "$file" "$command >>$file" bash -c 'PATH=$1:$PATH; $2 >>"$3"' - "$bin" "$command" "$file"
    check_says '^[a-z-]*: standard output: is an input too'
done <<'END'
g.edges dbfs-check --depths depths.txt g.edges
depths.txt dbfs-check --depths depths.txt g.edges
g.edges dbfs-components g.edges
g.edges degsplit --plan g.edges
g.edges dbfs-pack --plan g.edges
g.map dbfs-traverse -r 0 --map g.map two
list dbfs-traverse --roots-from list two
list dbfs --no-cache --targets list -r 0 -o - in.txt
run.json dbfs-report means run.json
run.json dbfs-model check run.json
END
check 'dbfs-traverse: nothing else was written' test ! -e new -a ! -e new1 -a ! -e x
check_exit 0 'dbfs-traverse to /dev/null' "${traverse[@]}" -r 0 --depths /dev/null --parents /dev/null --json /dev/null
check_exit 0 'dbfs-traverse to an older file' "${traverse[@]}" -r 0 --depths old --parents two/parents
check_exit 0 'dbfs-traverse replaces its own results' "${traverse[@]}" -r 0 --depths old --parents two/parents
cd "$here" || exit 1
finish
