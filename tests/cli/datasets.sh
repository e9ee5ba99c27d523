#!/bin/bash
# datasets.sh: scripts/dataset.sh and the table of graphs. A small graph in the layout of each source goes through the
# steps of the table, and must become the graph that its edges give directly.
set -u
. tests/lib.sh
. tests/layouts.sh
root=$PWD
dataset=$root/scripts/dataset.sh
table=$root/datasets/MANIFEST.tsv
BUILD=$(realpath "${BUILD:-build}")
bin=$BUILD/bin
mirror=$tmp/mirror
mkdir "$mirror"
# the script puts the programs of the repository before those of PATH
case $BUILD in
"$root"/*) export BUILD=${BUILD#"$root"/} ;;
esac
export PATH=$bin:$PATH
if command -v curl >/dev/null 2>&1; then
    from_mirror=(--mirror "file://$mirror")
else
    from_mirror=(--offline -d "$mirror")
    skip 'downloads: curl is not installed'
fi

column() { # NAME COLUMN: of the table
    awk -F'\t' -v name="$1" -v number="$2" '$1 == name { print $number }' "$table"
}

# ---- the table ----

check 'every line has 16 columns' awk -F'\t' 'NF != 16 || /\t\t/ { print; bad = 1 } END { exit bad }' "$table"
check 'names of graphs differ, in lower case too' \
    test -z "$(tail -n +2 "$table" | cut -f1 | tr A-Z a-z | sort | uniq -d)"
check 'layouts, units and numbers are known ones' awk -F'\t' 'NR > 1 && ($3 !~ /^(files|list|item|tar|unzip|cut|bv)$/ ||
    $4 !~ /^~?[0-9]+$/ || $5 !~ /^~?[0-9]+$/ || $6 !~ /^(edge|arc|both)$/ || $9 !~ /^(-|~?[0-9]+)$/) {
    print; bad = 1 } END { exit bad }' "$table"
check 'only known facts of graphs are marked as read' awk -F'\t' 'NR > 1 {
    split($14 "," $15, fact, ",")
    for (i in fact) if (fact[i] !~ /^(-|all|n|entries|urls|bytes|sums|index|licence)$/) { print; bad = 1 }
    } END { exit bad }' "$table"
"$dataset" --list >"$tmp/list"
check '--list has them all' test "$(wc -l <"$tmp/list")" = "$(wc -l <"$table")"
sed -n '/^name  *n  *entries/,/^$/p' datasets/README.md | grep -v '^$' >"$tmp/readme"
check 'the README of datasets/ shows the list of sizes' diff "$tmp/list" "$tmp/readme"
cp "$table" "$tmp/-table"
check_exit 0 'dbfs-dataset takes a table whose name begins with -' sh -c 'cd "$1" && "$2" --table -table --list' - "$tmp" "$dataset"
check '--list says what sources are directed' test \
    "$(awk '$4 == "directed"' "$tmp/list" | wc -l)" = "$(awk -F'\t' '$6 == "arc"' "$table" | wc -l)"
check '--show says what --direction may be' bash -c '"$1" --show twitter7 | grep -q "^direction *once or directed$"' - "$dataset"
check '--show prints the edges of friendster' test "$("$dataset" --show friendster | grep -c '2586147869')" = 1

# ---- running a pipeline on a look-alike ----

# search FOLDER [ROOT]: prints the levels, vertices, edges and distances that a search finds
search() { dbfs-traverse --base 0 -r "${2:-1}" "$1" 2>/dev/null | sed -n 's/^root.* levels/levels/; s/ teps [^ ]*//; s/ answer_s .*//; /^levels/p'; }

# reference GRAPH N OPTION...: makes $tmp/GRAPH.edges and its search from the pairs in $tmp/GRAPH
reference() {
    local graph=$1 n=$2
    shift 2
    edgeconv -q --vertices "$n" "$@" -o "$tmp/$graph.edges" "$tmp/$graph"
    dbfs-pack -q -p 1 -o "$tmp/$graph.dbfs" "$tmp/$graph.edges"
    search "$tmp/$graph.dbfs" >"$tmp/$graph.search"
}

# trailer FILE: prints edges, vertices and checksum of an edge stream
trailer() { tail -c 64 "$1" | od -An -v -tx8 -j 8 -N 40 | tr -s ' \n' ' ' | cut -d' ' -f2,4,6; }

# Prints a row of the table for a small graph of N vertices and ENTRIES entries. Only the counts, bytes and sums
# change; bytes and sums are those of the files in the mirror.
small_row() { # NAME N ENTRIES
    local sums=- url bytes=0
    for url in $(column "$1" 8); do
        [ ! -f "$mirror/${url##*/}" ] || bytes=$((bytes + $(stat -c %s "$mirror/${url##*/}")))
    done
    if [ "$(column "$1" 10)" != - ]; then
        sums=$(for url in $(column "$1" 8); do md5sum <"$mirror/${url##*/}" | sed 's/^/md5:/; s/ .*//'; done | tr '\n' ' ')
    fi
    awk -F'\t' -v OFS='\t' -v name="$1" -v n="$2" -v m="$3" -v sums="${sums% }" -v bytes="$bytes" '
        NR == 1 { print }
        $1 == name { $4 = n; $5 = m; if ($9 ~ /^[0-9]+$/) $9 = bytes; $10 = sums; print }' "$table"
}

# the pipeline of each graph by layout, options and kind of file
awk -F'\t' 'NR > 1 { file = $8; sub(/ .*/, "", file); sub(/.*[.]/, "", file)
    print $1 "\t" $3 "/" $7 "/" file }' "$table" >"$tmp/pipelines"
: >"$tmp/tested"
was_tested() { echo "$1" >>"$tmp/tested"; }

# lookalike NAME GRAPH N ENTRIES: prepares a graph from the mirror; a directed source in both forms
lookalike() {
    local name=$1
    small_row "$name" "$3" "$4" >"$tmp/table"
    prepared "$name" "$2" || return
    [ "$(column "$name" 6)" != arc ] || prepared "$name-directed" "$2-directed" --direction directed || return
    check "$name: nothing unfinished is left" test -z "$(find "$tmp/work" -name '*tmp*')"
    was_tested "$name"
}

# prepared RESULT GRAPH OPTION...: sets $name to RESULT and checks that it equals the reference GRAPH
prepared() {
    local result=$1 graph=$2
    shift 2
    if ! "$dataset" -p 2 --table "$tmp/table" "${from_mirror[@]}" "$@" "$name" "$tmp/work" >"$tmp/log" 2>&1; then
        fail "$result: the pipeline runs"
        sed 's/^/    /' "$tmp/log" | tail -5
        return 1
    fi
    check "$result: edges are those of the graph that was meant" test "$(trailer "$tmp/work/$result.edges")" = "$(trailer "$tmp/$graph.edges")"
    check "$result: the search finds what that of the graph finds" test "$(search "$tmp/work/$result-p2.dbfs")" = "$(cat "$tmp/$graph.search")"
}

# arcs has duplicates and self-loops, plain has each edge once and no self-loops, diagonal is plain with some
# self-loops
n=1499
"$TESTS/mkgraph" multi 500 3000 7 | grep -v '^#' | tr '\t' ' ' >"$tmp/arcs"
echo "$((n - 1)) 1" >>"$tmp/arcs"
awk '$1 != $2 { u = $1 > $2 ? $1 : $2; v = $1 + $2 - u; if (!seen[u, v]++) print u, v }' "$tmp/arcs" >"$tmp/plain"
(cat "$tmp/plain" && for i in 4 7 10; do echo $i $i; done) >"$tmp/diagonal"
# squished has each arc once, as GAP keeps arcs
awk '$1 != $2 && !seen[$1, $2]++' "$tmp/arcs" >"$tmp/squished"
m=$(wc -l <"$tmp/arcs")
plain_m=$(wc -l <"$tmp/plain")
for graph in arcs plain diagonal squished; do
    reference $graph $n -u
    check "$graph: a search reaches all, to compare with" grep -q 'reached 500 share 1.000000 edges [0-9]* checksum' "$tmp/$graph.search"
done

for graph in arcs squished; do
    cp "$tmp/$graph" "$tmp/$graph-directed"
    reference $graph-directed $n --direction directed
    reached=$("$TESTS/oracle" -d -n $n -e "$tmp/$graph" 1 | awk '$1 == "reached" { print $2 }')
    check "$graph-directed: a search that reaches fewer" test "$reached" -gt 1 -a "$reached" -lt 500
    check "$graph-directed: the search goes along the arcs" grep -q " reached $reached " "$tmp/$graph-directed.search"
done

# Friendster of SNAP
snap "$tmp/plain" | gzip >"$mirror/com-friendster.ungraph.txt.gz"
lookalike com-friendster plain $n "$plain_m"

# Friendster of archive.org
friendster() { # SUFFIX: puts the files and their list into the mirror
    local file
    {
        printf '<?xml version="1.0" encoding="UTF-8"?>\n<files>\n'
        printf '  <file name="README.txt" source="original">\n    <md5>%032d</md5>\n  </file>\n' 1
        for file in "$mirror"/friends-*"$1"; do
            printf '  <file name="%s" source="original">\n    <mtime>1309869885</mtime>\n    <md5>%s</md5>\n  </file>\n' \
                "${file##*/}" "$(md5sum <"$file" | cut -c1-32)"
        done
        printf '  <file name="friendster-dataset-201107_files.xml" source="original">\n  </file>\n</files>\n'
    } >"$mirror/friendster-dataset-201107_files.xml"
    lookalike friendster arcs $n "$m"
    rm -rf "$tmp"/work/friend* "$mirror"/friends-*"$1"
}
friends "$tmp/arcs" "$mirror"
check 'the friends lists are in several files' test "$(ls "$mirror"/friends-* | wc -l)" -gt 3
cp "$mirror"/friends-* "$tmp"
gzip "$mirror"/friends-*
friendster .txt.gz
# compress FILE: makes FILE.zip or FILE.7z, as programs allow, and sets $suffix
compress() { # FILE
    case $suffix in
    zip) (cd "${1%/*}" && zip -q "$1.zip" "${1##*/}") ;;
    7z) bsdtar --format 7zip -cf "$1.7z" -C "${1%/*}" "${1##*/}" ;;
    esac
}
echo '1 2' >"$tmp/sample"
for suffix in zip 7z; do
    [ $suffix = zip ] && program=zip || program=bsdtar
    if ! command -v $program >/dev/null 2>&1; then
        skip "friendster in $suffix files: $program is not installed"
    elif compress "$tmp/sample" && ! edgeconv -t text "$tmp/sample.$suffix" >/dev/null 2>"$tmp/sample.err" &&
        grep -q 'use `' "$tmp/sample.err"; then
        skip "friendster in $suffix files: this edgeconv reads no archives"
    else
        for file in "$tmp"/friends-*.txt; do
            compress "$file"
            mv "$file.$suffix" "$mirror"
        done
        friendster .txt.$suffix
    fi
done

# WDC: parts, sorted by source, named by a list; one file; WebGraph
sort -n -k1,1 -s "$tmp/arcs" | tr ' ' '\t' >"$tmp/sorted"
split -n l/5 "$tmp/sorted" "$tmp/part-r-0000"
for part in "$tmp"/part-r-*; do
    gzip -c "$part" >"$mirror/${part##*/}.gz"
    echo "http://data.dws.informatik.uni-mannheim.de/hyperlinkgraph/2012-08/network/${part##*/}.gz"
done | head -c -1 | sed 's/$/\r/' >"$mirror/arc.list.txt" # lines as of Windows, the last one without its end
lookalike wdc-2012-page arcs $n "$m"
# names: some hosts hold a tab, and a part of the index goes on where the last one ended
awk -v n=$n 'BEGIN { for (i = 0; i < n; i++) print "host" i (i % 100 ? "" : "\t") ".example.org\t" i }' >"$tmp/index"
split -n l/3 "$tmp/index" "$tmp/index-part-"
for part in "$tmp"/index-part-*; do
    gzip -c "$part" >"$mirror/${part##*/}.gz"
    echo "http://data.dws.informatik.uni-mannheim.de/hyperlinkgraph/2012-08/network/${part##*/}.gz"
done >"$mirror/index.list.txt"
gzip -c "$tmp/index" >"$mirror/sd-index.gz"
gzip -c "$tmp/sorted" >"$mirror/sd-arc.gz"
sed 's/\t[0-9]*$//' "$tmp/index" >"$tmp/names"
mkdir "$mirror/index" # mirror of the names for wget
ln "$mirror"/*index* "$mirror/index" 2>/dev/null
for name in wdc-2012-page wdc-2012-host; do
    small_row $name $n "$m" >"$tmp/table"
    if "$dataset" --names --to edges --table "$tmp/table" "${from_mirror[@]}" $name "$tmp/named" >"$tmp/log" 2>&1; then
        check "$name --names: the map has the names" cmp "$tmp/names" "$tmp/named/$name.map"
        awk -F'\t' -v OFS='\t' 'NR > 1 { $11 = "http://data.example.org/other" } { print }' "$tmp/table" >"$tmp/table-other"
        check_exit 1 "$name: the names of another graph" "$dataset" --names --to edges --table "$tmp/table-other" \
            "${from_mirror[@]}" $name "$tmp/named"
        check_says "$name.map: was made from"
    elif grep -q "edgeconv: .*wdc-index" "$tmp/log"; then
        skip "$name: --names: this edgeconv reads no index"
    else
        fail "$name: --names"
    fi
done
lookalike wdc-2012-host arcs $n "$m"
"$TESTS/mkwebgraph" "$mirror/pldgraph" $n <"$tmp/squished"
lookalike wdc-2014-pld squished $n "$(wc -l <"$tmp/squished")"

# GAP: a text cut anywhere into parts that are compressed each, a road network, and serialised graphs
bytes=$(wc -c <"$tmp/sorted")
split -b $((bytes / 4 + 1)) -d "$tmp/sorted" "$tmp/twitter_rv.net."
for part in 00 01 02 03; do
    gzip -c "$tmp/twitter_rv.net.$part" >"$mirror/twitter_rv.net.$part.gz"
done
check 'the parts are cut within lines' test "$(tail -c 1 "$tmp/twitter_rv.net.00" | od -An -tx1)" != ' 0a'
lookalike gap-twitter arcs $n "$m"
road $n "$tmp/plain" | gzip >"$mirror/USA-road-d.USA.gr.gz"
lookalike gap-road plain $n $((2 * plain_m))
serialised 1 $n "$tmp/squished" >"$mirror/twitter.sg"
lookalike gap-twitter-sg squished $n "$(wc -l <"$tmp/squished")"
awk '{ print $1, $2; print $2, $1 }' "$tmp/plain" >"$tmp/twice"
serialised 1 $n "$tmp/twice" >"$mirror/road.sg"
lookalike gap-road-sg plain $n $((2 * plain_m))
serialised 0 $n "$tmp/plain" >"$mirror/kron.sg"
lookalike gap-kron-sg plain $n $((2 * plain_m))

# SuiteSparse: a general matrix, a symmetric one, and a general one that has each entry at both places
matrix general pattern $n "$tmp/arcs" | matrix_archive wikipedia-20070206 "$mirror"
lookalike wikipedia-20070206 arcs $n "$m"
matrix symmetric real $n "$tmp/diagonal" | matrix_archive audikw_1 "$mirror"
lookalike audikw_1 diagonal $n $((2 * plain_m + 3))
matrix general real $n "$tmp/twice" | matrix_archive cage15 "$mirror"
lookalike cage15 plain $n $((2 * plain_m))

# the same without tar, as README.md says
if edgeconv --member=cage15.mtx --direction symmetric -o "$tmp/entry.edges" "$mirror/cage15.tar.gz" 2>"$tmp/sample.err"; then
    check 'cage15 by --member has the same edges' test "$(trailer "$tmp/entry.edges")" = "$(trailer "$tmp/plain.edges")"
elif grep -q 'use `\|unrecognized option' "$tmp/sample.err"; then
    skip 'cage15 by --member: this edgeconv reads no archives'
else
    fail 'cage15 by --member'
fi

# Network Repository: a matrix in a zip file, the first line with one %
if command -v zip >/dev/null 2>&1 && command -v unzip >/dev/null 2>&1; then
    matrix symmetric pattern $n "$tmp/plain" | sed '1s/^%%/%/' >"$tmp/soc-orkut.mtx"
    echo 'notes' >"$tmp/readme.html"
    (cd "$tmp" && zip -q "$mirror/soc-orkut.zip" soc-orkut.mtx readme.html)
    lookalike soc-orkut plain $n "$plain_m"
else
    skip 'soc-orkut: needs zip and unzip'
    was_tested soc-orkut
fi

# the two graphs that ship
check 'wordnet-3.0: the pipeline of the table ends with the numbers of the table' "$dataset" -p 2 wordnet-3.0 "$tmp/work"
was_tested wordnet-3.0

untested=$(awk -F'\t' 'FILENAME ~ /tested$/ { ran[$1]; next }
    { name[++count] = $1; pipeline[count] = $2; if ($1 in ran) done[$2] }
    END { for (i = 1; i <= count; i++) if (!(pipeline[i] in done)) print name[i] }' "$tmp/tested" "$tmp/pipelines")
check "every pipeline of the table was run ($(echo $untested))" test -z "$untested"

# ---- the script itself ----

small_row com-friendster $n "$plain_m" >"$tmp/table"
small=(-p 3 --table "$tmp/table" "${from_mirror[@]}" com-friendster)
: >"$tmp/file"
"$dataset" -n "${small[@]}" "$tmp/file/folder" >"$tmp/script"
check 'a script that cannot make its folder stops there' bash -c '! bash "$1" && [ ! -e com-friendster.edges ]' - "$tmp/script"
"$dataset" -n "${small[@]}" "$tmp/dry run" >"$tmp/script"
check '--dry-run makes nothing' test ! -e "$tmp/dry run"
check 'dbfs-dataset takes values behind =' diff <("$dataset" -n --shards=3 --to=split --memory=64M friendster "$tmp/none") \
    <("$dataset" -n -p 3 --to split -S 64M friendster "$tmp/none")
check '--shards=3 of dbfs-dataset is passed on' test "$("$dataset" -n --shards=3 friendster "$tmp/none" | grep -c -e '-p 3 ')" = 2
check_exit 2 'a value of an option of dbfs-dataset that has none' "$dataset" --dry-run=1 friendster "$tmp/none"
check_says 'dry-run=1: --dry-run takes no value'
check '--dry-run prints a script' bash "$tmp/script"
check 'the script of --dry-run makes the same edges' cmp "$tmp/work/com-friendster.edges" "$tmp/dry run/com-friendster.edges"
check 'the script of --dry-run makes shards' test -s "$tmp/dry run/com-friendster-p3.dbfs/manifest"
check 'dbfs-dataset runs a second time in the same folder' "$dataset" "${small[@]}" "$tmp/dry run"
check 'dbfs-dataset makes nothing again that is there' test "$("$dataset" "${small[@]}" "$tmp/dry run" 2>&1 | grep -c '^# have')" = 3
check 'dbfs-dataset takes --randomize behind --' "$dataset" "${small[@]}" "$tmp/random" -- --randomize --vertices 2048
check 'dbfs-dataset passes --randomize on to edgeconv' test "$(search "$tmp/random/com-friendster-p3.dbfs" | cut -d' ' -f1-6)" = \
    "$(cut -d' ' -f1-6 "$tmp/plain.search")"
if edgeconv --help | grep -q -e '--compact='; then
    check 'dbfs-dataset takes --compact=MAP behind --' "$dataset" "${small[@]}" "$tmp/compact" -- --compact="$tmp/compact.map"
    read -r first _ <"$tmp/plain"
    ids=$(tr ' ' '\n' <"$tmp/plain" | sort -u | wc -l)
    check 'dbfs-dataset passes --compact on: ids are those that occur' test "$((16#$(trailer "$tmp/compact/com-friendster.edges" | cut -d' ' -f2)))" = "$ids"
    check 'dbfs-dataset passes --compact on: the search finds the same' test "$(search "$tmp/compact/com-friendster-p3.dbfs" 0 | cut -d' ' -f1-6)" = \
        "$(search "$tmp/plain.dbfs" "$first" | cut -d' ' -f1-6)"
else
    skip '-- --compact=MAP: this edgeconv has no such option'
fi

file=com-friendster.ungraph.txt.gz
mkdir "$tmp/have"
cp "$mirror/$file" "$tmp/have"
chmod a-w "$tmp/have"
small=(--offline -d "$tmp/have" --table "$tmp/table" com-friendster)
check 'files that are there, --offline' "$dataset" "${small[@]}" "$tmp/offline"
check_exit 1 'a missing file, --offline' "$dataset" --offline --table "$tmp/table" com-friendster "$tmp/none"
check_says "$file: is missing"
chmod u+w "$tmp/have"
cp "$mirror/arc.list.txt" "$mirror/part-r-0000aa.gz" "$tmp/have"
small_row wdc-2012-page $n "$m" >"$tmp/table-wdc"
check_exit 1 'a missing part, --offline' "$dataset" --offline -d "$tmp/have" --table "$tmp/table-wdc" wdc-2012-page "$tmp/none"
check_says 'part-r-0000ab.gz: is missing'

cp "$mirror"/part-r-* "$tmp/have"
printf '\nhttp://elsewhere.example.org/part-r-0000aa.gz\n' >>"$tmp/have/arc.list.txt"
check_exit 1 'two parts of one name' "$dataset" --offline -d "$tmp/have" --table "$tmp/table-wdc" wdc-2012-page "$tmp/none"
check "$situation: the list of members names it" grep -q '^part-r-0000aa.gz$' "$tmp/out"

small_row com-friendster $n $((plain_m + 1)) >"$tmp/table"
check_exit 3 'an edge too few' "$dataset" "${small[@]}" "$tmp/bad"
check_says "found $plain_m edges, expected $((plain_m + 1))"
small_row com-friendster $((n + 1)) "$plain_m" >"$tmp/table"
check_exit 3 'a vertex too few' "$dataset" "${small[@]}" "$tmp/bad"
check_says "found $n vertices"
small_row wdc-2014-pld $n "$m" >"$tmp/table"
echo 'nodes=1500' >"$mirror/pldgraph.properties"
check_exit 1 'a wrong sum in a file of properties' "$dataset" --table "$tmp/table" "${from_mirror[@]}" wdc-2014-pld "$tmp/bad"
check "$situation: the output names the file" grep -q 'pldgraph.properties: FAILED' "$tmp/out"

small_row gap-twitter $n "$m" >"$tmp/table"
mkdir "$tmp/cut"
cp "$mirror"/twitter_rv.net.* "$tmp/cut"
head -c 500 "$mirror/twitter_rv.net.03.gz" >"$tmp/cut/twitter_rv.net.03.gz"
check 'a truncated part is refused' bash -c '! "$@"' - "$dataset" --table "$tmp/table" -d "$tmp/cut" gap-twitter "$tmp/bad"
"$TESTS/mkwebgraph" "$mirror/hostgraph" $n <"$tmp/squished"
head -c 500 "$mirror/hostgraph.graph" >"$tmp/cut/hostgraph.graph"
mv "$tmp/cut/hostgraph.graph" "$mirror/hostgraph.graph"
small_row wdc-2014-host $n "~$m" >"$tmp/table"
check_exit 3 'a WebGraph file that is cut' "$dataset" --table "$tmp/table" "${from_mirror[@]}" wdc-2014-host "$tmp/bad"
check "$situation: no smaller graph is left" test ! -e "$tmp/bad/gap-twitter.edges" -a ! -e "$tmp/bad/wdc-2014-host.edges"

# ---- wrong downloads ----

# again NAME FILE COMMAND...: a second run, with FILE as it should be in the mirror, comes to its end
again() {
    local name=$1 made=$2
    shift 2
    check "$name: the file is set aside" test ! -e "$made" -a -e "$made.bad"
    check_exit 0 "$name: the next run downloads again" "$@"
}
wrong_downloads() {
    wrong=("$dataset" --table "$tmp/table" "${from_mirror[@]}" com-friendster "$tmp/wrong")
    echo '<!DOCTYPE html><html>not found</html>' >"$mirror/$file"
    check_exit 3 'a web page in place of the graph' "${wrong[@]}"
    check_says 'web page'
    check_says 'repeat the command to download it again'
    cp "$tmp/right" "$mirror/$file"
    again 'a web page' "$tmp/wrong/com-friendster.files/$file" "${wrong[@]}"

    rm -rf "$tmp/wrong"
    gzip -dc "$tmp/right" | head -n 100 | gzip >"$mirror/$file"
    check_exit 3 'dbfs-dataset: a file with too few edges is refused' "${wrong[@]}"
    check 'the stream is set aside' test ! -e "$tmp/wrong/com-friendster.edges" -a -e "$tmp/wrong/com-friendster.edges.bad"
    cp "$tmp/right" "$mirror/$file"
    again 'too few edges' "$tmp/wrong/com-friendster.files/$file" "${wrong[@]}"
    check "$situation: downloaded again, it becomes the graph that was meant" cmp "$tmp/wrong/com-friendster.edges" "$tmp/work/com-friendster.edges"

    rm -rf "$tmp/wrong"
    wrong=("$dataset" --table "$tmp/table-sum" "${from_mirror[@]}" com-friendster "$tmp/wrong")
    head -c 1000 "$tmp/right" >"$mirror/$file"
    check_exit 1 'a wrong sum of a download' "${wrong[@]}"
    cp "$tmp/right" "$mirror/$file"
    again 'a wrong sum' "$tmp/wrong/com-friendster.files/$file" "${wrong[@]}"
    awk -F'\t' -v OFS='\t' 'NR > 1 { $9 = 17 } { print }' "$tmp/table" >"$tmp/table-size"
    check_exit 1 'a wrong size' "$dataset" --table "$tmp/table-size" "${from_mirror[@]}" com-friendster "$tmp/size"
    check "$situation: the file is set aside" test -e "$tmp/size/com-friendster.files/$file.bad" -a ! -e "$tmp/size/com-friendster.files/$file"
}
small_row com-friendster $n "$plain_m" >"$tmp/table"
cp "$mirror/$file" "$tmp/right"
awk -F'\t' -v OFS='\t' -v sum="md5:$(md5sum <"$tmp/right" | cut -c1-32)" 'NR > 1 { $10 = sum } { print }' "$tmp/table" >"$tmp/table-sum"
if command -v curl >/dev/null 2>&1; then
    wrong_downloads
else
    skip 'what was downloaded is wrong: curl is not installed'
fi
mkdir "$tmp/own.files"
head -c 1000 "$tmp/right" >"$tmp/own.files/$file"
check_exit 1 'a wrong sum of a file of one'"'"'s own, --offline' "$dataset" --offline -d "$tmp/own.files" --table "$tmp/table-sum" com-friendster "$tmp/own.work"
check "$situation: the user's own file stays where it is" test -e "$tmp/own.files/$file"

# ---- downloads ----

small_row com-friendster $n "$plain_m" >"$tmp/table"
if command -v curl >/dev/null 2>&1; then
    mkdir "$tmp/half"
    head -c 1000 "$mirror/$file" >"$tmp/half/$file.tmp"
    check 'a download is continued' "$dataset" --to download --table "$tmp/table" "${from_mirror[@]}" -d "$tmp/half" com-friendster "$tmp/none"
    check 'a continued download gives the same file' cmp "$mirror/$file" "$tmp/half/$file"
    check 'a download goes no further than --to asks' test "$(ls "$tmp/half")" = $file
    check_exit 37 'a download that fails' "$dataset" --mirror "file://$tmp/nowhere" com-friendster "$tmp/none"
    check "$situation: no file has its final name" test -z "$(find "$tmp/none" -name $file)"
fi

# wget in place of curl: a PATH without curl, and a server in python on this machine
with_wget() {
    local pid port
    mkdir "$tmp/nocurl"
    find -L /usr/local/bin /usr/bin /bin -maxdepth 1 -type f ! -name curl -exec ln -sf -t "$tmp/nocurl" {} + 2>/dev/null
    python3 -u -m http.server --bind 127.0.0.1 --directory "$mirror" 0 >"$tmp/server" 2>&1 &
    pid=$!
    wait_until grep -q ' port [0-9]' "$tmp/server"
    port=$(sed -n 's/.* port \([0-9]*\).*/\1/p' "$tmp/server")
    check 'dbfs-dataset downloads by wget where there is no curl' env PATH="$tmp/nocurl" no_proxy=127.0.0.1 "$dataset" --to download --table "$tmp/table" \
        --mirror "http://127.0.0.1:$port" -d "$tmp/wget" com-friendster "$tmp/none"
    kill $pid
    check 'a download that was interrupted ends with the same file' cmp "$mirror/$file" "$tmp/wget/$file"
}
if command -v wget >/dev/null 2>&1 && command -v python3 >/dev/null 2>&1; then
    with_wget
else
    skip 'a download by wget: needs wget and python3'
fi

# ---- lists and tables of others ----

# A line or a value that reached a shell or curl as more than a name would make $tmp/ran or change $tmp/precious.
ran=$tmp/ran
echo precious >"$tmp/precious"
printf 'output = "%s"\nurl = "file://%s"\n' "$tmp/precious" "$mirror/arc.list.txt" >"$tmp/cfg"
mkdir "$tmp/lists"
cp "$mirror"/part-r-* "$tmp/lists"
cp "$tmp/cfg" "$tmp/lists"
lists=(--table "$tmp/table-wdc" --offline -d "$tmp/lists")
if command -v curl >/dev/null 2>&1; then
    lists=(--table "$tmp/table-wdc" --mirror "file://$tmp/lists" -d "$tmp/fetched")
fi
hostile_list() { # LINE
    rm -rf "$tmp/fetched"
    mkdir "$tmp/fetched"
    cp "$tmp/cfg" "$tmp/fetched"
    { cat "$mirror/arc.list.txt"; printf '\n%b\n' "$1"; } >"$tmp/lists/arc.list.txt"
    check_exit 3 "a list with the line $1" "$dataset" "${lists[@]}" wdc-2012-page "$tmp/hostile"
    check_says 'arc.list.txt: these lines are not addresses of files'
}
site=http://data.example.org/a
for line in -Kcfg --config=cfg "-o$tmp/precious" "$site/-Kcfg" "$site/.." "$site/.curlrc" "$site/" "$site/a\$(touch $ran)" \
    "$site/\`touch $ran\`.gz" "$site/a;touch $ran" "$site/a b.gz" "$site/a?-K" "$site/[1-9].gz" "$site/{a,b}.gz" \
    "file://$tmp/precious" ftp://data.example.org/a.gz "$tmp/precious" ../precious part-r-0000aa.gz "http://-x/a@b/a.gz" \
    "$site/a.gz\\\\0-Kcfg" "$site/a.gz\\tb" 'http:///a.gz'; do
    hostile_list "$line"
done
check 'a list with a bad line is set aside' test ! -e "$tmp/fetched/arc.list.txt" -o "${lists[2]}" = --offline

hostile_table() { # COLUMN VALUE
    awk -F'\t' -v OFS='\t' -v column="$1" 'NR > 1 { $column = ENVIRON["VALUE"] } { print }' "$tmp/table" >"$tmp/table-hostile"
    check_exit 3 "a table with $2 in column $1" "$dataset" --table "$tmp/table-hostile" --list
    [ "$1" = 1 ] || check_exit 3 'as a pipeline sees it' "$dataset" --table "$tmp/table-hostile" "${from_mirror[@]}" com-friendster "$tmp/hostile"
}
for column in 1 2 3 4 5 6 7 8 9 10 11; do
    for value in "a[\$(touch $ran)]" "x; touch $ran" -Kcfg; do VALUE=$value hostile_table $column "$value"; done
done
VALUE="-u -o $tmp/precious" hostile_table 7 "-u -o $tmp/precious"
VALUE=https://example.org/../.. hostile_table 8 https://example.org/../..
VALUE=https://example.org/a/-x hostile_table 8 https://example.org/a/-x
VALUE=file://$tmp/precious hostile_table 8 "file://$tmp/precious"
VALUE=../precious hostile_table 8 ../precious
VALUE=../friend hostile_table 1 ../friend

quoted="$tmp/it's\"\$(touch\${IFS}$(basename "$ran"))\`id\`{a,b}[1]"
mkdir "$quoted"
cp "$mirror"/part-r-* "$mirror/arc.list.txt" "$quoted"
check_exit 0 'a folder of downloads with quotes and signs of the shell' \
    "$dataset" --offline --to edges --table "$tmp/table-wdc" -d "$quoted" wdc-2012-page "$quoted"
check "$situation: the graph has the same edges" test "$(trailer "$quoted/wdc-2012-page.edges")" = "$(trailer "$tmp/arcs.edges")"
printf '<file name="friends-1_.$(touch %s)" source="original"><md5>%032d</md5></file><file name="friends-2_./../../precious" source="original"><md5>%s</md5></file>' \
    "$ran" 1 "$(md5sum <"$tmp/precious" | cut -c1-32)" >"$tmp/lists/friendster-dataset-201107_files.xml"
check_exit 1 'a list of an item with paths and signs of the shell names no file' \
    "$dataset" --offline -d "$tmp/lists" --table "$table" friendster "$tmp/hostile"
check 'the list of its sums is empty' test ! -s "$tmp/lists/friendster-dataset-201107.md5"
check 'nothing of a list or a table ran' test ! -e "$ran" -a ! -e "$(basename "$ran")" -a -z "$(find "$tmp" -name ran)"
check "$situation: no other file was written" grep -qx precious "$tmp/precious"
"$dataset" -n wdc-2012-page "$tmp/none" >"$tmp/script"
check 'curl follows redirections to https alone' test "$(grep -c 'curl ' "$tmp/script")" = "$(grep -c -e 'curl .* --proto =https --proto-redir =https .* -- ' "$tmp/script")"
check 'an address of http in a list becomes one of https' grep -q "sed 's/^http:/https:/'" "$tmp/script"
check 'the table has https where it is known' test "$(grep -c 'http://' "$table")" = 1

# a graph and its index whose files have the same names
two=$tmp/two
mkdir -p "$two/index"
cp "$mirror"/part-r-* "$mirror/arc.list.txt" "$two"
sed 's|/network/|/index/|' "$mirror/arc.list.txt" >"$two/index/index.list.txt"
split -n l/5 "$tmp/index" "$tmp/two-part-r-0000"
for part in "$tmp"/two-part-r-*; do gzip -c "$part" >"$two/index/${part##*/two-}.gz"; done
from_two=(--offline -d "$two")
! command -v curl >/dev/null 2>&1 || from_two=(--mirror "file://$two")
check_exit 0 'a mirror of a graph and an index with files of the same names' \
    "$dataset" --names --to edges --table "$tmp/table-wdc" "${from_two[@]}" wdc-2012-page "$tmp/both"
check "$situation: names are those of the index" cmp "$tmp/names" "$tmp/both/wdc-2012-page.map"
check "$situation: arcs are those of the graph" test "$(trailer "$tmp/both/wdc-2012-page.edges")" = "$(trailer "$tmp/arcs.edges")"

# ---- results of before ----

small=(-p 3 --table "$tmp/table" "${from_mirror[@]}" com-friendster "$tmp/again")
check_exit 0 'a graph' "$dataset" "${small[@]}"
check_exit 0 'dbfs-dataset refuses the folder of another graph, by the same command' "$dataset" "${small[@]}"
check_exit 1 'other options of edgeconv in the same folder' "$dataset" "${small[@]}" -- --randomize --vertices 2048
check_says 'com-friendster.edges: was made from (.*edgeconv), not from (.*--randomize'
rm "$tmp/again/com-friendster.edges"
check_exit 1 'a stream that was made anew' "$dataset" "${small[@]}" -- --randomize --vertices 2048
check_says 'com-friendster-p3.split: is older than com-friendster.edges'
rm "$tmp/again/com-friendster-p3.split"
check_exit 1 'dbfs-dataset refuses the folder of another graph, with a new split' "$dataset" "${small[@]}" -- --randomize --vertices 2048
check_says 'manifest: is older than'
sed 's|2012-08/data|2014-04/data|g' "$tmp/table-wdc" >"$tmp/table-2014"
echo "$(column wdc-2012-page 8)" >"$tmp/lists/arc.list.txt.from"
cp "$mirror/arc.list.txt" "$tmp/lists"
check_exit 1 'a list of another address in the folder of downloads' "$dataset" --offline -d "$tmp/lists" --table "$tmp/table-2014" wdc-2012-page "$tmp/none"
check_says 'arc.list.txt: was made from (.*2012-08.*), not from (.*2014-04'

# ---- standard output ----

for arguments in --list '--show friendster' --help "-n friendster $tmp/none"; do
    if [ -w /dev/full ]; then
        check_exit 5 "$arguments on a full disk" sh -c '"$@" >/dev/full' - "$dataset" $arguments
        check_says 'standard output: cannot write: No space left on device'
    fi
    check_exit 1 "$arguments with standard output closed" sh -c '"$@" >&-' - "$dataset" $arguments
    check_says 'standard output: cannot write: Bad file descriptor'
done

# ---- refusals ----

check_exit 2 'an unknown graph' "$dataset" nosuch "$tmp/none"
check_says 'nosuch: not in'
check_exit 2 'no folder' "$dataset" friendster
check_exit 2 'an unknown option' "$dataset" --frobnicate 1 friendster "$tmp/none"
check_exit 2 'an unknown step' "$dataset" --to nowhere friendster "$tmp/none"
check_exit 2 'an unknown direction' "$dataset" --direction up friendster "$tmp/none"
check_says 'expected once, directed or symmetric'
check_exit 2 'an undirected source, directed' "$dataset" --direction directed roadNet-CA "$tmp/none"
check_says 'roadNet-CA is undirected and takes --direction symmetric'
check_exit 2 'a directed source, symmetric' "$dataset" --direction symmetric wiki-Talk "$tmp/none"
check_says 'wiki-Talk is directed and takes --direction once or directed'
check_exit 0 'the direction that the table has' "$dataset" -n --direction symmetric gap-road "$tmp/none"
check "$situation: edgeconv gets --force, as it is no other graph" grep -q -e 'edgeconv --force --direction symmetric -o .*/gap-road.edges' "$tmp/out"
check_exit 2 'shards that are no number' "$dataset" -p x friendster "$tmp/none"
for options in '-d x wordnet-3.0' '--mirror file:///x wordnet-3.0' '--offline --mirror file:///x friendster'; do
    check_exit 2 "options without effect: $options" "$dataset" -n $options "$tmp/none"
    check_says 'no effect'
done
for options in '--list -p 7' '--list --names' '--show friendster --to edges' '--list friendster' '--show friendster x'; do
    check_exit 2 "$options" "$dataset" $options
    check_says 'only prints'
done
finish
