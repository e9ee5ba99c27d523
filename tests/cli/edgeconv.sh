#!/bin/bash
# edgeconv.sh: formats, directions, ids and threads of edgeconv; each refusal names its place.
set -u
. tests/lib.sh
edgeconv=$(realpath "$BIN/edgeconv")
here=$PWD
DATA=$(realpath -q "$DATA" || echo /nonexistent)
cd "$tmp" || exit 1

same() { cmp -s "$1" "$2"; }

# conv NAME EXPECTED-TEXT ARGUMENT...: edgeconv's text output is EXPECTED-TEXT (printf escapes)
conv() {
    local name=$1 want=$2
    shift 2
    printf "$want" >want
    if "$edgeconv" -t text "$@" >got 2>err </dev/null && same want got; then
        pass "$name"
    else
        fail "$name"
        head -3 err got | sed 's/^/    /'
    fi
}

# bad NAME CONTENT PATTERN ARGUMENT...: a file of CONTENT is refused with exit 3, a message with PATTERN, and no
# output file
bad() {
    local name=$1 content=$2 pattern=$3
    shift 3
    rm -f bad.edges
    printf "$content" >bad.txt
    check_exit 3 "$name" "$edgeconv" "$@" --force -o bad.edges bad.txt
    if grep -q -e "^edgeconv: $pattern" err && [ ! -e bad.edges ] && [ -z "$(ls -A . | grep '^\.bad')" ]; then
        pass "$name: the message and no output"
    else
        fail "$name: the message and no output"
        sed 's/^/    /' err
    fi
}

# field FILE OFFSET: prints a 64-bit field in the trailer of an edge stream
field() { tail -c 64 "$1" | od -An -v -tu8 -j "$2" -N 8 | tr -d ' '; }
edges_of() { field "$1" 8; }
vertices_of() { field "$1" 24; }
checksum_of() { tail -c 64 "$1" | od -An -v -tx8 -j 40 -N 8 | tr -d ' '; }
direction_of() { od -An -v -tu4 -j 12 -N 4 "$1" | tr -d ' '; } # 0 once, 1 symmetric, 2 directed
base_of() { od -An -v -tu4 -j 40 -N 4 "$1" | tr -d ' '; }
le32() { printf "\\x$(printf %x $(($1 & 255)))\\x$(printf %x $(($1 >> 8 & 255)))\\x$(printf %x $(($1 >> 16 & 255)))\\x$(printf %x $(($1 >> 24 & 255)))"; }
le64() { le32 $(($1 & 0xffffffff)) && le32 $(($1 >> 32)); }

# ---- lists of pairs ----

conv_file() { local name=$1 content=$2 want=$3; shift 3; printf "$content" >in.txt; conv "$name" "$want" "$@" in.txt; }

conv_file 'tabs, spaces, commas' '1\t2\n3 4\n5,6\n7 , 8\n 9  10 \n' '1\t2\n3\t4\n5\t6\n7\t8\n9\t10\n'
conv_file 'CRLF' '1 2\r\n3,4\r\n' '1\t2\n3\t4\n'
conv_file 'comments and blank lines' '# a\n%% b\n\n1 2\n#c\n  %% d\n\t\n3 4\n' '1\t2\n3\t4\n'
conv_file 'self-loops and duplicates stay' '5 5\n1 2\n1 2\n2 1\n' '5\t5\n1\t2\n1\t2\n2\t1\n'
conv_file 'a weight column' '1 2 0.5\n3 4 -1e-3\n5 6 7\n' '1\t2\n3\t4\n5\t6\n'
check 'a weight column gets one warning' test "$(grep -c weights err)" = 1
conv_file 'weights that are no numbers' '1 2 nan\n3 4 -inf\n5 6 Infinity\n' '1\t2\n3\t4\n5\t6\n'
conv_file 'weight and time' '1 2 1 1082040961\n3 4 -1 1082155839\n' '1\t2\n3\t4\n'
conv_file 'a CSV header' 'node_1,node_2\n0,7\n1,8\n' '0\t7\n1\t8\n'
check 'a CSV header gets a note with the names' grep -q 'column names: node_1,node_2' err
conv_file 'a header in quotes, and a third column' '"source","target","w"\r\n0,7,1\r\n' '0\t7\n'
conv_file 'a header of another kind with -f csv' 'from to\n0 7\n' '0\t7\n' -f csv
conv_file 'a byte order mark' '\xef\xbb\xbf0 7\n' '0\t7\n'
conv_file 'a byte order mark before names of columns' '\xef\xbb\xbfw,source,target\n1,0,7\n' '0\t7\n'
conv_file 'a byte order mark before adjacency lists' '\xef\xbb\xbf1:2\n' '1\t2\n'
conv_file 'a byte order mark before Matrix Market' \
    '\xef\xbb\xbf%%%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n' '1\t2\n'
conv_file 'a byte order mark before METIS' '\xef\xbb\xbf3 3\n2 3\n1 3\n1 2\n' '1\t2\n1\t3\n2\t3\n'
conv_file 'a byte order mark before lg' '\xef\xbb\xbf3,1,u,g\n1,2\n' '1\t2\n'
conv_file 'a byte order mark before PACE' '\xef\xbb\xbfp tw 3 1\n1 2\n' '1\t2\n'
conv_file 'Matrix Market of unsigned integers, as scipy writes it' \
    '%%%%MatrixMarket matrix coordinate unsigned-integer general\n%%\n3 3 2\n1 2 1\n2 3 2\n' '1\t2\n2\t3\n'
for before in '\n\n' '\r\n' '%%%% a\n'; do
    conv_file 'a banner of Matrix Market that is not the first line' \
        "$before%%%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 2\n" '2\t1\n3\t2\n'
    check '-f mtx reads a banner of Matrix Market that is not the first line' "$edgeconv" -f mtx -t text in.txt
done
conv_file 'a byte order mark before DIMACS' '\xef\xbb\xbfc x\np sp 2 1\na 1 2 3\n' '1\t2\n'
conv_file 'the last line without newline' '1 2\n3 4' '1\t2\n3\t4\n'
check 'a last line without newline gets a warning' grep -q 'warning: in.txt: the last line has no newline' err
conv_file 'comments only are an empty graph' '# nothing\n' ''
conv_file 'ids to 2^48 - 1, leading zeros' '281474976710655 00000000000000000000007\n12345678 123456789\n' \
    '281474976710655\t7\n12345678\t123456789\n'
conv_file '--one-based' '1 2\n3 1\n' '1\t2\n3\t1\n' --one-based
# ---- formats that begin at 1, --base, and options without effect ----

for format in 'mtx %%%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n' 'gr p sp 2 1\na 1 2 3\n' 'pace p tw 2 1\n1 2\n' \
    'metis 2 1\n2\n1\n' 'lg 2,1,u,graph\n1,2\n'; do
    printf "${format#* }" >in.txt
    conv "${format%% *}: ids in text are those of the file" '1\t2\n' -f "${format%% *}" in.txt
    check "${format%% *}: no note says that ids change" test "$(grep -c begin err)" = 0
    "$edgeconv" -q --force -f "${format%% *}" -o one.edges in.txt
    check "${format%% *}: the stream records that ids begin at 1" test "$(base_of one.edges) $(vertices_of one.edges)" = '1 2'
    conv "${format%% *}: ids in text are those of the file, by way of a stream" '1\t2\n' one.edges
    conv "${format%% *}: --base 0 counts vertices of text from 0" '0\t1\n' --base 0 -f "${format%% *}" in.txt
    check_exit 0 "${format%% *} to u32" "$edgeconv" --force -f "${format%% *}" -t u32 -o in.u32 in.txt
    check_says "^edgeconv: in.txt: its ids begin at 1, and at 0 in the output (u32): vertex 1 becomes 0"
    check "${format%% *}: vertices of u32 count from 0" test "$(od -An -tu4 in.u32 | tr -s ' ')" = ' 0 1'
    check_exit 2 "${format%% *} --one-based" "$edgeconv" --one-based -f "${format%% *}" -o /dev/null in.txt
    check_says '^edgeconv: in.txt: --one-based is for lists and arrays'
done
"$edgeconv" -q --force --base 0 -o zero.edges one.edges
check '--base 0: the stream is one of ids from 0' test "$(base_of zero.edges) $(od -An -v -tu4 -j 8 -N 4 zero.edges | tr -d ' ')" = '0 1'
check_exit 3 'streams that begin at 0 and at 1' "$edgeconv" -o /dev/null zero.edges one.edges
check_says '^edgeconv: one.edges: its ids begin at 1, and those of zero.edges at 0: --base 0 (or 1) takes their first vertices for one'
conv '--base 1: the first vertices of both streams are vertex 1' '1\t2\n1\t2\n' --base 1 zero.edges one.edges
check_exit 2 '--base of sg' "$edgeconv" --base 1 -t sg -o in.sg one.edges
check_says '^edgeconv: --base is for edges and text: vertices of -t sg count from 0'
check_exit 2 '--base with --compact' "$edgeconv" --base 1 --compact=names -o /dev/null one.edges
conv '--compact: names of a stream of base 1 are its ids' '0\t1\n' --compact=names --force one.edges
check '--compact: names of a stream of base 1 are its ids' test "$(tr '\n' ' ' <names)" = '1 2 '
printf '1 2\n' >in.txt
"$edgeconv" -q --force -o one.edges --one-based in.txt
check_exit 3 '--vertices of a stream of base 1' "$edgeconv" --vertices 1 -t text one.edges
check_says 'found the id 2, expected a vertex id from 1 to 1 (--vertices)'
printf '1 2\n3 1\n' >in.txt
"$edgeconv" -q --force --one-based --randomize -o permuted.edges in.txt
check '--randomize keeps the base' test "$(base_of permuted.edges)" = 1
conv '--original-ids: ids are those of the file' '1\t2\n3\t1\n' --original-ids permuted.edges
printf '1 2\n' >in.txt
rm -f one.edges zero.edges permuted.edges in.u32 names
check_exit 0 'a list' "$edgeconv" --one-based -o /dev/null in.txt
check "$situation: prints no note" test "$(grep -c begin err)" = 0
"$edgeconv" -q --force -o in.edges in.txt
check_exit 2 '--one-based of an edge stream' "$edgeconv" --one-based -o /dev/null in.edges
cp in.txt more.txt
check_exit 2 '--entry without an archive' "$edgeconv" --entry '*.txt' -o /dev/null in.txt more.txt
check_says '^edgeconv: in.txt: is no archive, nor is any other input, and --member chooses'
check_exit 0 '--original-ids of ids that are' "$edgeconv" --original-ids -o /dev/null in.txt
check_says '^edgeconv: in.txt: its ids are the original ones: --original-ids changes nothing'
check_exit 0 'two passes' "$edgeconv" -q --one-based --randomize -o /dev/null in.txt

conv_file 'SNAP counts that do not match' '# Nodes: 4 Edges: 3\n1 2\n2 3\n' '1\t2\n2\t3\n'
check 'SNAP counts that do not match give a warning' grep -q 'warning: in.txt: found 2 edges, but its comment says 3' err

# ---- the other text formats ----

conv_file 'adjacency lists' '1:2,3\n2:private\n3:notfound\n5:\n4:1\r\n' '1\t2\n1\t3\n4\t1\n'
check 'adjacency lists: vertices without a list are counted' grep -q '1 private lists and 1 that were not found' err
"$edgeconv" -q --force -o a.edges in.txt
check 'an empty list is a vertex' test "$(vertices_of a.edges)" = 6
conv_file 'Matrix Market general' \
    '%%%%MatrixMarket matrix coordinate real general\n%% c\n\n3 3 3\n1 1 0.5\n2  3 -1e+3\n3 1 7\n' \
    '1\t1\n2\t3\n3\t1\n'
conv_file 'Matrix Market complex' '%%%%MatrixMarket matrix coordinate complex hermitian\n2 2 1\n2 1 0 1\n' '2\t1\n'
conv_file 'Matrix Market values that are no numbers' \
    '%%%%MatrixMarket matrix coordinate real general\n3 3 5\n1 1 inf\n1 2 -Infinity\n2 3 NaN\n3 1 nan\n3 2 +INF\n' \
    '1\t1\n1\t2\n2\t3\n3\t1\n3\t2\n'
conv_file 'METIS' '%% c\n3 2\n2\n%% d\n1 3\n2\n' '1\t2\n2\t3\n'
conv_file 'METIS with isolated vertices' '4 1\n\n4\n\n2\n' '2\t4\n'
conv_file 'METIS without edges' '3 0\n\n\n\n' ''
conv_file 'METIS with every weight' '2 1 111 2\n9 7 7 2 5\n9 7 7 1 5\n' '1\t2\n'
conv_file 'METIS that looks like pairs' '3 3\n2 3\n1 3\n1 2\n' '1\t2\n1\t3\n2\t3\n'
conv_file 'METIS that looks like pairs, and a blank line' '3 3\n2 3\n1 3\n1 2\n\n' '1\t2\n1\t3\n2\t3\n'
conv_file 'pairs of few vertices, more lines than METIS would have' '2 2\n2 2\n1 2\n2 2\n1 2\n' '2\t2\n2\t2\n1\t2\n2\t2\n1\t2\n'
conv_file 'pairs that are no METIS' '7 4\n2 3\n1 3\n4 2\n' '7\t4\n2\t3\n1\t3\n4\t2\n'
conv_file 'pairs that are no METIS, but may have counts' '7 3\n2 3\n1 3\n4 2\n' '7\t3\n2\t3\n1\t3\n4\t2\n' -f pairs
conv_file 'DIMACS' 'c x\np sp 3 2\na 1 2 10\nc y\na 3 1 4\n' '1\t2\n3\t1\n'
conv_file 'PACE' 'c x\np tw 3 2\n1 2\nc y\n3 1\n' '1\t2\n3\t1\n'
conv_file 'PACE tdp' 'p tdp 2 1\n1 2\n' '1\t2\n'

# ---- direction ----

# direction NAME CONTENT WANTED ARGUMENT...
direction() {
    local name=$1 content=$2 want=$3
    shift 3
    printf "$content" >in.txt
    "$edgeconv" -q "$@" --force -o d.edges in.txt 2>err </dev/null
    check "direction: $name: is that of the stream" test "$(direction_of d.edges)" = "$want"
}
mtx='%%%%MatrixMarket matrix coordinate pattern'
direction 'a plain list' '1 2\n' 2
direction '-u' '1 2\n' 0 -u
direction '--direction once' '1 2\n' 0 --direction once
direction 'SNAP undirected' '# Undirected graph: x\n1 2\n' 0
direction 'SNAP undirected, overridden' '# Undirected graph: x\n1 2\n' 2 --direction directed
direction 'SNAP directed' '# Directed graph (each unordered pair of nodes is saved once)\n1 2\n' 2
direction 'Matrix Market general' "$mtx general\n2 2 1\n1 2\n" 2
direction 'Matrix Market general with -u' "$mtx general\n2 2 1\n1 2\n" 0 -u
direction 'Matrix Market symmetric' "$mtx symmetric\n2 2 1\n2 1\n" 0
direction METIS '2 1\n2\n1\n' 0
direction DIMACS 'p sp 2 1\na 1 2 3\n' 2
direction PACE 'p tw 2 1\n1 2\n' 0
direction adjacency '1:2\n' 2
direction 'adjacency with -u' '1:2\n' 0 -u
conv_file '-u keeps every line' '1 2\n2 1\n' '1\t2\n2\t1\n' -u
conv_file '--direction symmetric keeps one of two' '1 2\n2 1\n3 3\n0 1\n1 0\n' '1\t2\n3\t3\n0\t1\n' \
    --direction symmetric
conv_file 'DIMACS with both arcs' 'p sp 3 4\na 1 2 5\na 2 1 5\na 2 3 5\na 3 2 5\n' '1\t2\n2\t3\n' \
    --direction symmetric
bad 'one direction missing' '1 2\n2 1\n3 1\n' 'bad.txt: found 1 edges as u v with u < v and 2' \
    --direction symmetric
bad 'one direction wrong' '1 2\n2 1\n1 3\n3 2\n' 'bad.txt: found edges that are listed in one dir' \
    --direction symmetric
printf 'p tw 2 1\n1 2\n' >in.txt
check_exit 2 'PACE is not directed' "$edgeconv" --direction directed --force -o x in.txt
check_exit 2 'PACE does not list both' "$edgeconv" --direction symmetric --force -o x in.txt
contradict() { # FIRST SECOND OPTION...
    rm -f x
    check_exit 2 "${*:3}" "$edgeconv" "${@:3}" -o x in.txt
    check_says "^edgeconv: $1 and $2 contradict each other"
    check "$situation: writes nothing" test ! -e x
}
once='-u (--direction once)'
contradict "$once" '--direction directed' -u --direction directed
contradict '--direction directed' "$once" --direction directed -u
contradict "$once" '--direction symmetric' -u --direction symmetric
contradict '--direction directed' '--direction symmetric' --direction directed --direction symmetric
direction 'said twice' '1 2\n' 0 -u --direction once

# ---- one graph in every format: one checksum ----

awk 'BEGIN { for (i = 0; i < 900; i++) { u = (i * 7919 + 13) % 257; v = (i * i * 31 + 7) % 257
             if (u != v) print u, v } }' >pairs
lines=$(wc -l <pairs)
sed 's/ /\t/' pairs >tabs
(printf 'a,b\n' && sed 's/ /,/' pairs) >csv
sed 's/$/\r/' pairs >crlf
sed 's/$/ 0.25/' pairs >weights
(echo '# Undirected graph: x' && echo "# Nodes: 257 Edges: $lines" && cat tabs) >snap
(echo '%%MatrixMarket matrix coordinate pattern symmetric' && echo "257 257 $lines" &&
    awk '{print $1 + 1, $2 + 1}' pairs) >mtx
(echo "c x" && echo "p tw 257 $lines" && awk '{print $1 + 1, $2 + 1}' pairs) >pace
(echo "257,$lines,u,graph,2,Int64,simplegraph" && awk '{print $1 + 1 "," $2 + 1}' pairs) >lg
(echo "257,$lines,u,graph" && awk '{print $1 + 1 " , " $2 + 1}' pairs) >old.jlg
(echo "p sp 257 $((2 * lines))" &&
    awk '{print "a", $1 + 1, $2 + 1, 5; print "a", $2 + 1, $1 + 1, 5}' pairs) >dimacs
awk -v m="$lines" '{ a[$1] = a[$1] " " $2 + 1; a[$2] = a[$2] " " $1 + 1 }
    END { print 257, m; for (i = 0; i < 257; i++) print a[i] }' pairs >metis
awk '{ a[$1] = a[$1] "," $2 } END { for (i in a) print i ":" substr(a[i], 2) }' pairs >adjacency
"$edgeconv" -q -u pairs -o edges
want="$lines 257 $(checksum_of edges) 0"
for format in u32 u64 graph500; do
    "$edgeconv" -q -t $format --force -o bin.$format pairs
done
(printf '\0' && le64 $((2 * lines)) && le64 257 &&
    awk '{ d[$1]++; d[$2]++; a[$1] = a[$1] " " $2; a[$2] = a[$2] " " $1 }
        END { s = 0; for (i = 0; i <= 257; i++) { print "o", s; s += d[i] }
              for (i = 0; i < 257; i++) { k = split(a[i], t, " "); for (j = 1; j <= k; j++) print "n", t[j] } }' pairs |
    while read -r kind value; do
        if [ $kind = o ]; then le64 "$value"; else le32 "$value"; fi
    done) >sg
while read -r name options; do
    for kind in plain gzip pipe; do
        case $kind in
        plain) "$edgeconv" -q $options --force -o out.edges $name ;;
        gzip) gzip -c $name >z.gz && "$edgeconv" -q $options --force -o out.edges z.gz ;;
        pipe) cat $name | "$edgeconv" -q $options >out.edges ;;
        esac 2>err
        got="$(edges_of out.edges) $(vertices_of out.edges) $(checksum_of out.edges) $(direction_of out.edges)"
        check "the graph from $name, $kind ($got)" test "$got" = "$want"
        rm -f out.edges
    done
done <<'END'
pairs -u
tabs -u
csv -u
crlf -u
weights -u
snap
mtx
pace
lg
old.jlg
lg -f jlg
dimacs --direction symmetric
metis
adjacency -u
edges
sg
bin.u32 -f u32 -u
bin.u64 -f u64 -u
bin.u64 -f graph500-16
bin.graph500 -f graph500
END
printf '# of Julia\n\n5,2,d,g,2,UInt8,simplegraph\n3,1\n1,2\n' >directed.lg
conv 'a directed graph of Graphs.jl' '3\t1\n1\t2\n' directed.lg
"$edgeconv" -q --force -o out.edges directed.lg
check '.lg of a directed graph is directed, with its vertices' test "$(vertices_of out.edges) $(direction_of out.edges)" = '5 2'
cut -f1,2 tabs >text
for format in u32 u64 graph500; do
    conv "$format and back" "$(cat text)\n" -f $format bin.$format
done
conv 'edges and back' "$(cat text)\n" edges
od -An -v -tu4 -w8 bin.u32 | awk '{print $1 "\t" $2}' >od.text
check 'u32 is pairs of u32' same od.text text
od -An -v -tu8 -w16 bin.u64 | awk '{print $1 "\t" $2}' >od.text
check 'u64 is pairs of u64' same od.text text
printf '4294967295 4294967296\n281474976710655 7\n' >big.txt
"$edgeconv" -q -t graph500 big.txt | od -An -v -tu4 >od.text
printf ' 4294967295          0      65536 4294967295\n          7      65535\n' >want
check 'graph500 splits 48-bit ids' diff -w od.text want
check_exit 3 '-t u32 refuses larger ids' "$edgeconv" -t u32 -o x.u32 big.txt
check_says '4294967295 4294967296.* do not fit 32 bits'
check "$situation: no output is left" test ! -e x.u32

# ---- threads, pieces, order ----

awk 'BEGIN { x = 1; for (i = 0; i < 400000; i++) { x = (x * 16807) % 2147483647; y = x % 1000003
             x = (x * 16807) % 2147483647; print (i % 5 ? x % 1000003 : x) "\t" y
             if (i % 70001 == 0) print "# comment" (i % 2 ? "\r" : "") } }' >large.txt
gzip -1 -c large.txt >large.gz
split -n l/3 large.txt part.
for part in part.aa part.ab part.ac; do gzip -c $part; done >members.gz
"$edgeconv" -q -@ 1 -o one.edges large.txt
grep -v '#' large.txt >want
check '-t text of a file of many pieces gives its lines' eval '"$edgeconv" -q -t text one.edges | cmp - want'
for threads in 2 3 8; do
    "$edgeconv" -q -@ $threads --force -o n.edges large.txt
    check "edgeconv writes the same bytes with $threads threads" same one.edges n.edges
    "$edgeconv" -q -@ $threads -t text --force -o n.txt one.edges
    check "edgeconv writes the same text with $threads threads" same want n.txt
done
"$edgeconv" -q large.gz >n.edges
check 'edgeconv reads the same edges from gzip' same one.edges n.edges
"$edgeconv" -q members.gz >n.edges
check 'edgeconv reads the same edges from a gzip file of three members' same one.edges n.edges
(cat members.gz && head -c 1000 /dev/zero) >padded.gz
"$edgeconv" -q padded.gz >n.edges
check 'edgeconv reads the same edges from gzip with zero padding' same one.edges n.edges
cat large.txt | "$edgeconv" -q >n.edges
check 'edgeconv reads the same edges from a pipe' same one.edges n.edges
"$edgeconv" -q - <large.txt >n.edges
check 'edgeconv reads the same edges from standard input' same one.edges n.edges
"$edgeconv" -q part.aa part.ab part.ac --force -o n.edges
check 'edgeconv reads the same edges from three files' same one.edges n.edges
gzip -c part.ab >part.ab.gz
cat part.ac | "$edgeconv" -q part.aa part.ab.gz - >n.edges
check 'edgeconv reads the same edges from a file, a gzip file and a pipe' same one.edges n.edges
"$edgeconv" -q -S 16M --force -o n.edges large.txt
check 'edgeconv writes the same bytes with -S 16M' same one.edges n.edges
check_exit 5 'less memory than it needs' "$edgeconv" -S 1M --force -o x large.txt
check_says 'needs at least'
"$edgeconv" -q --force -o n.edges one.edges
check 'an edge stream of an edge stream has the same edges' \
    test "$(checksum_of n.edges)" = "$(checksum_of one.edges)"

# lines much longer than a piece, in a file and in a pipe
awk 'BEGIN { printf "1:2"; for (i = 0; i < 700000; i++) printf ",%d", i; print ""; print "3:4" }' >long.txt
"$edgeconv" -q -o long.edges long.txt
cat long.txt | "$edgeconv" -q -o long2.edges
check 'lines longer than a piece are read' test "$(edges_of long.edges)" = 700002
check 'lines longer than a piece are read from a pipe' same long.edges long2.edges
check_exit 5 'a line longer than the memory allowed' "$edgeconv" -S 16M --force -o x long.txt
check_says 'long.txt: byte .*-S'

# ---- n, randomisation ----

"$edgeconv" -q --force -o a.edges mtx
check 'n is the header of Matrix Market' test "$(vertices_of a.edges)" = 257
printf '1 2\n' >in.txt
"$edgeconv" -q --vertices 10 --force -o a.edges in.txt
check 'n is --vertices' test "$(vertices_of a.edges)" = 10
"$edgeconv" -q -o b.edges a.edges
check 'n of an edge stream is kept' test "$(vertices_of b.edges)" = 10
bad 'an id over --vertices' '1 2\n9 10\n' 'bad.txt:2: found .10., expected a vertex id from 0 to 9 (--vertices)' --vertices 10
bad 'a header over --vertices' 'p tw 11 1\n1 2\n' 'bad.txt:1: found 11 vertices, expected at most 10' --vertices 10

max=$(awk '!/#/ { if ($1 > m) m = $1; if ($2 > m) m = $2 } END { print m + 1 }' large.txt)
"$edgeconv" -q --randomize=7 --vertices "$max" -o r1.edges large.txt
"$edgeconv" -q --randomize=7 -@ 3 -T . -o r2.edges large.txt
check 'two passes record the same permutation' eval \
    'test "$(od -An -tu8 -j 24 -N 16 r1.edges | tr -s " ")" = "$(od -An -tu8 -j 24 -N 16 r2.edges | tr -s " ")"'
"$edgeconv" -q -t text r1.edges >r1.txt
"$edgeconv" -q -t text r2.edges >r2.txt
check 'randomising gives the same edges with little memory' same r1.txt r2.txt
check 'randomising gives other edges than the original' eval '! cmp -s r1.txt want'
check 'randomising keeps the number of ids' eval 'test "$(tr "\t" "\n" <r1.txt | sort -u | wc -l)" = \
    "$(grep -v "#" large.txt | tr "\t" "\n" | sort -u | wc -l)"'
grep -v '#' large.txt >want
for r in r1 r2; do
    "$edgeconv" -q -t text --original-ids $r.edges >back.txt
    check "--original-ids gives the original text ($r)" same want back.txt
done
"$edgeconv" -q --original-ids -o back.edges r1.edges
check '--original-ids gives the original stream' test "$(checksum_of back.edges)" = "$(checksum_of one.edges)"
check 'a stream by --original-ids is not marked as randomised' test "$(od -An -tu4 -j 16 -N 4 back.edges | tr -d ' ')" = 0
"$edgeconv" -q --randomize=8 --vertices "$max" -o r3.edges large.txt
check 'another seed gives another permutation' eval '! cmp -s r1.edges r3.edges'
"$edgeconv" -q --randomize -o m1.edges mtx
"$edgeconv" -q --randomize=1 -@ 1 -o m2.edges mtx
check '--randomize is --randomize=1, n from the header' same m1.edges m2.edges
check 'nothing is left in the folder for temporary files' eval '! ls -A . | grep -q "^edgeconv"'
check_exit 3 'ids are not randomised twice' "$edgeconv" --randomize --force -o x r1.edges
check_says 'randomised already'
check_exit 3 'two permutations do not mix' "$edgeconv" --force -o x r1.edges r3.edges
check_exit 2 '--randomize and --original-ids exclude each other' \
    "$edgeconv" --randomize --original-ids r1.edges
printf '# nothing\n' >in.txt
check_exit 0 'randomising an empty graph' "$edgeconv" --randomize --force -o x.edges in.txt
rm x.edges

# ---- bad text ----

range='expected a vertex id from 0 to 281474976710655'
bad 'letters' '1 2\nx 3\n' "bad.txt:2: found 'x', $range"
bad 'letters in the second column' '1 2\n3 y\n' "bad.txt:2: found 'y', $range"
bad 'letters in the first line' 'a b\nc d\n' "bad.txt:1: found 'a', $range"
bad 'a negative id' '1 2\n3 -4\n' "bad.txt:2: found '-4', $range"
bad 'an id of 2^48' '1 2\n281474976710656 1\n' "bad.txt:2: found '281474976710656', $range"
bad 'an id over 2^64' '1 2\n1 18446744073709551617\n' "bad.txt:2: found '18446744073709551617', $range"
bad 'a fraction' '1 2\n1.5 3\n' "bad.txt:2: found '1.5', $range"
bad 'a missing second column' '1 2\n3\n4 5\n' "bad.txt:2: found the end of the line, $range"
bad 'a missing second column, CRLF' '1 2\r\n3\r\n' "bad.txt:2: found the end of the line, $range"
bad 'junk behind' '1 2\n3 4x\n' "bad.txt:2: found '4x'"
bad 'a third column in one line' '1 2\n3 4 5\n' "bad.txt:2: found '5', expected the end of the line: line 1 has 2"
bad 'a missing third column' '# c\n1 2 3\n3 4\n' 'bad.txt:3: found the end of the line, expected a number: line 2 has 3'
bad 'a weight that is no number' '1 2 3\n3 4 x\n' "bad.txt:2: found 'x', expected a number"
bad 'too many columns' '1 2 3 4 5\n' 'bad.txt:1: found 5 columns'
bad 'one id a line' '1\n2\n3\n' 'bad.txt:1: found one id a line'
bad 'unprintable bytes' '1 2\n3 \x1b\x80\n' "bad.txt:2: found '.x1b.x80'" -f pairs
bad 'id 0 in a 1-based list' '1 2\n0 1\n' "bad.txt:2: found '0', expected a vertex id from 1 to 281474976710656" --one-based
bad 'an empty file' '' 'bad.txt: found an empty file'
check_exit 3 'an empty standard input' "$edgeconv" --force -o x
check_says 'standard input: found an empty'

bad 'Matrix Market: too few entries' "$mtx general\n3 3 3\n1 2\n2 3\n" 'bad.txt:4: found the end of the file after 2 entries, expected 3 as line 2 says'
bad 'Matrix Market: too many entries' "$mtx general\n3 3 1\n%% c\n1 2\n\n2 3\n" 'bad.txt:6: found more than 1 entries, expected as many as line 2 says'
bad 'Matrix Market: id 0' "$mtx general\n3 3 1\n0 2\n" "bad.txt:3: found '0', expected a vertex id from 1 to 3"
bad 'Matrix Market: an id over n' "$mtx general\n3 3 1\n4 2\n" "bad.txt:3: found '4', expected a vertex id from 1 to 3"
bad 'Matrix Market: no value' '%%%%MatrixMarket matrix coordinate real general\n3 3 1\n1 2\n' 'bad.txt:3: found the end of the line, expected the value'
bad 'Matrix Market: a value that only begins so' '%%%%MatrixMarket matrix coordinate real general\n3 3 1\n1 2 info\n' "bad.txt:3: found 'info', expected the value"
bad 'Matrix Market: rectangular' "$mtx general\n3 4 1\n1 2\n" 'bad.txt:2: found a rectangular matrix'
bad 'Matrix Market: dense' '%%%%MatrixMarket matrix array real general\n3 3\n1\n' "bad.txt:1: found 'array'"
bad 'Matrix Market: no sizes' "$mtx general\n" 'bad.txt:1: found the end of the file, expected ROWS'
bad 'METIS: too few lines' '4 3\n2 3\n1 3\n1 2\n' 'bad.txt:4: found the end of the file after 3 vertex lines, expected 4, as line 1 says' -f metis
bad 'METIS: too many lines' '2 1\n2\n1\n1\n' 'bad.txt:4: found .1., expected the end of the file' -f metis
bad 'METIS: wrong m' '3 3\n2 3\n1\n1\n' 'bad.txt:1: found 4 neighbours in all, expected 2 x 3'
bad 'METIS: not symmetric' '4 2\n2\n3\n4\n1\n' 'bad.txt: found .* edges as u v' -f metis
bad 'METIS: id 0' '3 2\n2\n1 0\n2\n' "bad.txt:3: found '0', expected a vertex id from 1 to 3" -f metis
bad 'METIS: an id over n' '3 2\n2\n1 4\n2\n' "bad.txt:3: found '4', expected a vertex id from 1 to 3" -f metis
bad 'DIMACS: wrong count' 'p sp 3 3\na 1 2 5\n' 'bad.txt:2: found the end of the file after 1 entries, expected 3 as line 1 says'
bad 'DIMACS: another line' 'p sp 3 1\nb 1 2 5\n' "bad.txt:2: found 'b', expected an arc"
bad 'PACE: id 0' 'c x\np tw 3 1\n0 2\n' "bad.txt:3: found '0', expected a vertex id from 1 to 3"
bad 'PACE: too many edges' 'p tw 3 1\n1 2\nc x\n1 3\n' 'bad.txt:4: found more than 1 entries'
bad 'adjacency: a word' '1:2\n2:secret\n' "bad.txt:2: found 'secret', expected a list"
bad 'adjacency: two commas' '1:2,,3\n' "bad.txt:1: found ',3', $range"
bad 'adjacency: no colon' '1:2\n2 3\n' 'bad.txt:2: found .* expected .:. after the id'

# the line number is right far into a file of many pieces, with any number of threads, and in a pipe
at=$(($(wc -l <large.txt) - 5))
sed "${at}s/.*/7 seven/" large.txt >deep.txt
for threads in 1 2 5; do
    check_exit 3 "a fault in line $at, $threads threads" "$edgeconv" -@ $threads --force -o x deep.txt
    check_says "deep.txt:$at: found 'seven'"
done
sed -i "100s/.*/x/" deep.txt
for threads in 1 2 5; do
    check_exit 3 "the first of two faults, $threads threads" bash -c "cat deep.txt | '$edgeconv' -@ $threads --force -o x"
    check_says "standard input:100: found 'x'"
done
(echo '%%MatrixMarket matrix coordinate pattern general' && echo "1000003 1000003 $((at - 10))" &&
    awk '!/#/ { print $1 % 1000003 + 1, $2 + 1 }' large.txt) >deep.mtx
check_exit 3 'entries over the count of Matrix Market, far in' "$edgeconv" --force -o x deep.mtx
check_says "deep.mtx:$((at - 7)): found more than $((at - 10)) entries"

# ---- damaged and foreign files ----

gz() { check_exit 3 "gzip: $1" "$edgeconv" --force -o x.edges $2 && check_says "$2: byte $3"; }
printf '1 2\n3 4\n' | gzip -nc >good.gz
size=$(wc -c <good.gz)
(head -c $((size - 8)) good.gz && printf '\1\2\3\4' && tail -c 4 good.gz) >crc.gz
gz 'wrong CRC' crc.gz "[0-9]*: found data that does not match its CRC"
(head -c $((size - 4)) good.gz && printf '\1\2\3\4') >length.gz
gz 'wrong length' length.gz "[0-9]*: found data that does not match its length"
(cat good.gz && echo junk && cat good.gz) >between.gz
gz 'junk between members' between.gz "$size: found byte 0x6a after gzip member 1"
(cat good.gz && printf '\37\1\2\3') >after.gz
gz 'junk after the last member' after.gz "[0-9]*: found no gzip header"
(cat good.gz && head -c $((size - 5)) good.gz) >second.gz
gz 'the second member cut' second.gz "$((2 * size - 5)): found the end of the file in gzip member 2"
head -c $((size - 9)) good.gz >cut.gz
gz 'a cut member' cut.gz "$((size - 9)): found the end of the file"
(cat good.gz && printf '\0\0\0\1') >padding.gz
gz 'padding that is not zero' padding.gz "$((size + 3)): found byte 0x01 after zero padding"
gzip -c /dev/null >empty.gz
check_exit 3 'gzip of nothing' "$edgeconv" --force -o x.edges empty.gz
check_says 'empty gzip file'
check 'no output is left' test ! -e x.edges

# foreign NAME CONTENT PATTERN: expects that the format is recognised and refused
foreign() {
    printf "$2" >foreign.bin
    check_exit 3 "$1 is refused" "$edgeconv" --force -o x.edges foreign.bin
    check_says "$3"
}
foreign Parquet 'PAR1\25\4' 'duckdb'
foreign Ligra 'AdjacencyGraph\n2\n1\n0\n1\n1\n' 'a Ligra adjacency graph'
foreign 'KaGen text' 'p 3 2\ne 1 2\ne 2 3\n' 'a KaGen text file'
foreign 'a WDC index' 'example.com\t0\nexample.org\t1\n' 'an index of names'
foreign 'WebGraph .properties' '#BVGraph properties\ngraphclass=it.unimi.dsi.webgraph.BVGraph\n' 'give NAME.graph, which stands beside it'
foreign 'UTF-16' '\377\3760\000 \0001\000\n\000' 'iconv -f UTF-16 -t UTF-8 FILE | edgeconv -'
foreign 'UTF-16 of the other order' '\376\377\0000\000 \0001\000\n' 'iconv -f UTF-16 -t UTF-8 FILE | edgeconv -'
foreign 'UTF-32' '\377\376\0\0001\0\0\000 \0\0\000' 'iconv -f UTF-32 -t UTF-8 FILE | edgeconv -'
foreign 'UTF-16 without a byte order mark' '1\0002\000 \0003\000\n\000' 'iconv -f UTF-16LE -t UTF-8 FILE | edgeconv -'
foreign 'UTF-16 of the other order without one' '\0001\0002\000 \0003\000\n' 'iconv -f UTF-16BE -t UTF-8 FILE | edgeconv -'
foreign 'something binary' '\1\2\3\4\5' 'a graph of WebGraph is read from a plain file NAME.graph, with NAME.properties beside it'
(le64 3 && le64 1 && le64 0 && le64 2) >kagen.bin
check_exit 3 'KaGen binary is refused' "$edgeconv" --force -o x.edges kagen.bin
check_says 'edgeconv -f u64'
(le64 1 && le64 0 && le64 2 && le64 2 && le64 1 && le64 2 && le32 1 && le32 0) >galois.gr
check_exit 3 'Galois .gr is refused' "$edgeconv" --force -o x.edges galois.gr
check_says 'Galois'
(printf '\0' && le64 2 && le64 2 && le64 0 && le64 1 && le64 2 && le32 1 && le32 9 && le32 0 && le32 9) >w.wsg
check_exit 3 'GAPBS .wsg is refused' "$edgeconv" --force -o x.edges w.wsg
check_says 'wsg'
head -c 100 sg >cut.sg
check_exit 3 'a cut .sg' "$edgeconv" --force -o x.edges cut.sg
check_says 'cut.sg: byte 100'
check_exit 3 'a cut .sg in a pipe' bash -c "cat cut.sg | '$edgeconv' --force -o x.edges"
head -c 21 bin.u32 >cut.u32
check_exit 3 'a cut u32 file' "$edgeconv" -f u32 --force -o x.edges cut.u32
check_says 'cut.u32: byte 21: found the end of the file after 5 bytes'
(le64 1 && le64 2 && le64 3 && le64 -1) >negative.u64
check_exit 3 'a negative id in u64' "$edgeconv" -f u64 --force -o x.edges negative.u64
check_says 'negative.u64: byte 16'

head -c 5000 one.edges >cut.edges
check_exit 3 'an edge stream whose writer died' "$edgeconv" --force -o x.edges cut.edges
check_says 'without its trailer'
check_exit 3 'a stream without its trailer in a pipe' bash -c "cat cut.edges | '$edgeconv' -t text --force -o x.txt"
gzip -c one.edges | head -c 20000 >cut.edges.gz
check_exit 3 'a cut gzip file of an edge stream' "$edgeconv" --force -o x.edges cut.edges.gz
check_says 'found the end of the file in gzip member 1'
(head -c 3000 one.edges && printf 'X' && tail -c +3002 one.edges) >flip.edges
check_exit 3 'a flipped byte in an edge stream' "$edgeconv" --force -o x.edges flip.edges
check_says 'block 0'
check 'no output is left by any of them' test ! -e x.edges
check 'errors of edgeconv leave no temporary file' eval '! ls -A . | grep -q "^\.x"'

# ---- the command line ----

check_exit 0 '--help' "$edgeconv" --help
check_exit 0 '--version' "$edgeconv" --version
check_exit 1 'a missing file with --force -o' "$edgeconv" --force -o x.edges missing.txt
check_says 'missing.txt: cannot open'
check_exit 1 'a folder' "$edgeconv" --force -o x.edges .
check_exit 2 'an unknown format' "$edgeconv" -f foo pairs
check_says "-f: 'foo' is none of auto, .*pairs, .*csv, .*mtx, .*metis, .*u64, npy, npz, webgraph, bv, wdc-index"
check_exit 2 'an unknown output format' "$edgeconv" -t foo pairs
check_says "-t: 'foo' is not edges, text, graph500, u32, u64 or sg"
check_exit 2 'an unknown direction' "$edgeconv" --direction foo pairs
check_says "'foo' is not directed, once or symmetric"
for number in '-5 negative: at least 1' '0 too small: at least 1' '281474976710657 too large: at most 281474976710656' \
    '1000000000000000000000 too large: at most 281474976710656'; do
    check_exit 2 "--vertices ${number%% *}" "$edgeconv" --vertices=${number%% *} pairs
    check_says "vertices: ${number%% *} is ${number#* }"
done
check_exit 2 'no number of vertices' "$edgeconv" --vertices= pairs
check_says 'vertices: is empty'
for number in x 1.5 - 1e3; do
    check_exit 2 "--vertices '$number'" "$edgeconv" --vertices="$number" pairs
    check_says "'$number' is not a whole number"
done
check_exit 1 'a missing file without options' "$edgeconv" nofile.txt
check_says 'nofile.txt: cannot open: No such file'
check_exit 2 'an empty file name' "$edgeconv" pairs ''
check_says 'argument 2: is empty'
for url in https://example.org/g.txt ftp://example.org/g.gz; do
    check_exit 2 "a URL: $url" "$edgeconv" $url
    check_says "'$url' is a URL: download it first, or read it by .curl -fL URL | edgeconv -"
done
mkdir -p http:/host
printf '1 2\n' >http:/host/g.txt
conv 'a path that looks like a URL' '1\t2\n' http://host/g.txt
check_exit 2 'a malformed seed' "$edgeconv" --randomize=x pairs
check_exit 2 'standard input twice' "$edgeconv" - -
check_exit 3 'directed and undirected do not mix' "$edgeconv" --force -o x.edges pairs snap
check_says '-u or --direction'
check_exit 0 'files of different directions are read with -u' "$edgeconv" -u --force -o x.edges pairs snap
check_exit 1 'an output folder that is missing' "$edgeconv" -o missing/x.edges pairs
echo old >x.edges
check_exit 3 'a failure' "$edgeconv" --force -o x.edges pairs bad.txt
check "$situation: the file that was there is kept" test "$(cat x.edges)" = old
check_exit 0 '/dev/null as output' "$edgeconv" -o /dev/null pairs
check 'a closed pipe ends it quietly' eval '"$edgeconv" -q -t text large.txt 2>err | head -1 >/dev/null; test ! -s err'
check '-q is silent' eval '"$edgeconv" -q --force -o x.edges weights 2>err; test ! -s err'

# ---- real graphs ----

# real FILE EDGES VERTICES DIRECTION: compares the counts of the stream
real() {
    local file=$DATA/$1 name=$1
    if [ ! -e "$file" ]; then
        skip "$name: not here"
        return
    fi
    case $name in
    *.xz)
        if ! command -v xz >/dev/null; then
            skip "$name: no xz"
            return
        fi
        xz -dc "$file" | "$edgeconv" -q --force -o real.edges 2>err
        ;;
    *) "$edgeconv" -q --force -o real.edges "$file" 2>err ;;
    esac
    local got="$(edges_of real.edges) $(vertices_of real.edges) $(direction_of real.edges)"
    check "$name has edges, vertices and direction $got" test "$got" = "$2 $3 $4"
    rm -f real.edges
}
real facebook_combined.txt.gz 88234 4039 2
real wiki-Vote.txt.gz 103689 8298 2
real soc-Epinions1.txt.gz 508837 75888 2
real web-NotreDame.txt.gz 1497134 325729 2
real deezer_HU_edges.csv.gz 222887 47538 2
real 4elt.graph 45878 15606 0
real mdual.graph.gz 513132 258569 0
real cage10.mtx.gz 150645 11397 2
real usa-road-NY.gr.xz 365050 264346 0
real usa-road-FLA.gr.xz 1343951 1070376 0
real actor-collaboration.txt.xz 15038083 392340 2
real cnr-2000.graph 3216152 325557 2
cd "$here" || exit 1
finish
