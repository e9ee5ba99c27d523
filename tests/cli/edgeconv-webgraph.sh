#!/bin/bash
# edgeconv-webgraph.sh: graphs of WebGraph in the BV format, in every code and shape, by any number of threads, with offsets
# and without; and what a file may have that no graph has.
set -u
. tests/lib.sh
here=$PWD
make=$(realpath "$TESTS/mkwebgraph") data=$(realpath -m "$DATA")
export PATH=$(realpath "$BIN"):$PATH
cd "$tmp" || exit 1

# arcs N: empty lists, self-loops, runs, lists that are alike and lists that are not, far ends
arcs() {
    awk -v n="$1" 'function arc(u, v) { if (v >= 0 && v < n && !seen[u, v]++) print u "\t" v }
        function random() { state = state * 16807 % 2147483647; return state }
        BEGIN { state = 7
            for (u = 0; u < n; u++) {
                kind = random() % 8
                if (kind == 0) continue
                if (kind == 1) arc(u, u)
                base = u - u % 11
                if (kind > 2) for (i = 0; i < 25; i++) if ((i * 7 + u) % 13) arc(u, base + i * i % 97 * 3)
                if (kind > 4) for (i = random() % n; run = random() % 9; i += run + 4) for (k = 0; k < run + 3; k++) arc(u, i + k)
                if (kind % 2) for (i = 0; i < 6; i++) arc(u, random() % n)
                if (kind == 7) { arc(u, 0); arc(u, n - 1) }
            } }' | sort -n -k1,1 -k2,2
}
# same NAME BASE WANT: the arcs of BASE.graph are those of the list, by threads, with offsets and without
same() {
    local threads wrong='' with
    for with in offsets none; do
        [ $with = offsets ] || mv "$2.offsets" kept
        for threads in 1 2 3 8; do
            edgeconv -q -@ $threads -t text -o got --force "$2.graph" 2>err && cmp -s got "$3" || wrong+=" $with-$threads:$(<err)"
        done
    done
    mv kept "$2.offsets"
    check "$1 gives its arcs$wrong" test -z "$wrong"
}

# ---- codes and shapes ----

arcs 3000 >want
check 'there is a graph' test "$(wc -l <want)" -gt 20000
while read -r options; do
    flags=${options#*compressionflags=}
    [ "$flags" != "$options" ] || flags=
    "$make" g 3000 ${options%compressionflags=*} ${flags:+"compressionflags=$flags"} <want
    same "a graph of '$options'" g want
done <<'OPTIONS'
windowsize=7
windowsize=0
windowsize=1 maxrefcount=1
windowsize=1 maxrefcount=100000
windowsize=16 maxrefcount=2147483647
windowsize=70 maxrefcount=5
minintervallength=0
minintervallength=1
minintervallength=2 windowsize=0
minintervallength=0 windowsize=0
zetak=1
zetak=2
zetak=5
zetak=16
compressionflags=OUTDEGREES_DELTA
compressionflags=REFERENCES_GAMMA | BLOCK_COUNT_DELTA | BLOCKS_DELTA
compressionflags=REFERENCES_DELTA | BLOCK_COUNT_UNARY | BLOCKS_UNARY
compressionflags=RESIDUALS_GAMMA | OFFSETS_DELTA
compressionflags=RESIDUALS_DELTA
compressionflags=RESIDUALS_NIBBLE
compressionflags=OUTDEGREES_GAMMA | REFERENCES_UNARY | BLOCK_COUNT_GAMMA | BLOCKS_GAMMA | RESIDUALS_ZETA | OFFSETS_GAMMA
OPTIONS
# more arcs than a piece has; a list longer than one, which others copy; references that never end
{ seq 0 299999 | sed 's/^/5\t/'; seq 1 2 299999 | sed 's/^/6\t/'; seq 7 300005 | awk -v OFS='\t' '{ print $1, 0; print $1, $1 - 6 }'; } >long
"$make" long 400000 <long
same 'a list that fills pieces' long long
"$make" chain 400000 windowsize=1 maxrefcount=1000000 <long
same 'a chain of references from end to end' chain long
# several spans, each of which refers to lists before it
awk -v OFS='\t' 'BEGIN { for (u = 0; u < 60000; u++) for (k = 0; k < 24; k++) {
    v = u - u % 5 + k * k % 31 * (1 + int(u / 9) % 7) + (u + k) % 3 * (k == 5)
    if (v < 60000) print u, v } }' | sort -n -k1,1 -k2,2 -u >many
for options in '' 'windowsize=3 maxrefcount=9' 'windowsize=60 maxrefcount=50' 'windowsize=2 maxrefcount=1000000'; do
    "$make" many 60000 $options <many
    same "a graph of several spans, '$options'," many many
done
# spans of short lists behind one another, among long ones
awk -v OFS='\t' 'BEGIN { for (u = 0; u < 60000; u++) {
    if (u % 17000 == 5) { for (v = u; v < u + 40000 && v < 60000; v++) print u, v; continue }
    for (v = u > 9 ? u - 9 : 0; v < u + 9 && v < 60000; v++) print u, v } }' >mixed
"$make" mixed 60000 <mixed
same 'long lists among short ones' mixed mixed
check_exit 0 'a graph of WebGraph in 16 MiB' edgeconv -q -S 16M -@ 2 -t text -o got --force mixed.graph
check 'a graph of WebGraph in 16 MiB has its arcs' cmp got mixed
: >none
"$make" empty 9 <none
same 'a graph without arcs' empty none
check 'nodes without arcs count' test "$(edgeconv -v -o e.edges empty.graph 2>&1 | grep -c ' 0 edges, 9 vertices, directed')" = 1
# pairs at the ends of ids
printf '0\t99999\n99999\t0\n99999\t99999\n' >ends
"$make" ends 100000 <ends
same 'first and last nodes' ends ends

# ---- what the words of the properties may be ----

"$make" g 3000 <want
cp g.properties kept.properties
say() { sed "$1" kept.properties >g.properties; }
say 's/graphclass=/graphclass=class /'
same 'a class with its word before it' g want
say 's/webgraph/big.webgraph/'
same 'the class of large graphs' g want
say 's/=/ = /; s/$/\r/; 1s/^/! x\n\n/'
same 'properties with blanks, comments and CR' g want
say '/zetak/d; /version/d; /flags/d; /maxref/d'
same 'properties that say only what they must' g want
say '/^#/d; /^version/d; s/^graphclass/\xef\xbb\xbf&/'
same 'properties behind a byte order mark' g want
say 's/^nodes/  no\\\n\t \\u0064es /; s/BVGraph$/\\u0042\\u0056Gr\\\r\n  aph/; s/^arcs=/\\arcs : /'
same 'properties with escapes and lines that go on' g want
say '$a endianness=big'
same 'properties of the Rust program' g want
{ cat kept.properties && awk 'BEGIN { printf "gapstats="; for (i = 0; i < 250000; i++) printf "%d,", i % 100000; print "" }'; } >g.properties
same 'a graph with statistics of 1.4 MB in its properties' g want
refused() { # NAME PATTERN FILE OPTION...
    check_exit 3 "$1" edgeconv -t text "${@:4}" "$3"
    check_says "$2"
}
while IFS='~' read -r change pattern; do
    say "$change"
    refused "properties: $change" "g.properties: .*$pattern" g.graph
done <<'CHANGES'
s/webgraph.BVGraph/webgraph.EFGraph/~is of the class it.unimi.dsi.webgraph.EFGraph, expected it.unimi.dsi.webgraph.BVGraph
s/webgraph.BVGraph/webgraph.labelling.BitStreamArcLabelledImmutableGraph/~labels are not read; give the graph that underlyinggraph names
s/flags=.*/flags=RESIDUALS_GOLOMB/~found the flag RESIDUALS_GOLOMB
s/flags=.*/flags=OUTDEGREES_UNARY/~found the flag OUTDEGREES_UNARY
s/flags=.*/flags=X | Y/~found the flag X
s/version=0/version=1/~found version 1 of the format, expected 0
$a endianness=little~found the endianness little, expected big
s/nodes=.*/nodes=-1/~found nodes -1, expected a number from 0
s/nodes=.*/nodes=281474976710657/~found nodes 281474976710657
s/nodes=.*/nodes=/~found nodes , expected
s/zetak=.*/zetak=0/~found zetak 0, expected a number from 1
s/windowsize=.*/windowsize=100000000/~found windowsize 100000000
/nodes/d~found no nodes
/arcs/d~found no arcs
/windowsize/d~found no windowsize
/minint/d~found no minintervallength
$a nodes=5~found nodes twice
CHANGES
say 's/nodes=.*/nodes=1000000000/'
refused 'more nodes than bits' 'g.graph: found .* bytes, expected at least a bit for each of the 1000000000 nodes' g.graph
say 's/nodes=.*/nodes=3001/'
rm g.offsets
refused 'a node behind the last byte' 'g.graph: node 3000: found the end of the file' g.graph
say 's/nodes=.*/nodes=2990/'
refused 'nodes too few' 'g.graph: node .*: found the successor 29.., expected one of the 2990 nodes' g.graph
say 's/arcs=.*/arcs=7/'
refused 'arcs too few' 'g.graph: found at least [0-9]* arcs, expected 7 as its .properties say' g.graph
say 's/arcs=.*/arcs=7000000/'
refused 'arcs too many' 'g.graph: found [0-9]* arcs, expected 7000000 as its .properties say' g.graph

# ---- files ----

"$make" g 3000 <want
check_exit 3 'a graph in a pipe' bash -c 'cat g.graph | edgeconv -t text -f webgraph -'
check_says 'standard input: is a pipe, compressed or in an archive, expected a plain file NAME.graph'
refused '-f webgraph of another name' 'want: expected a file NAME.graph of WebGraph' want -f webgraph
mkdir other && gzip -c g.graph >other/g.graph && cp g.properties other
refused 'a compressed graph' 'other/g.graph (it begins as a gzip file does: if it is one, unpack it): node 0: found' other/g.graph
gzip -c want >packed.graph
refused 'a compressed graph without properties' 'packed.graph: is a pipe, compressed or in an archive' packed.graph -f webgraph
# the bytes of gzip: 14 successors (0001111), no reference (1), no interval (1), and as the first 776 (000101100001000 and a bit)
printf '%s\n' graphclass=it.unimi.dsi.webgraph.BVGraph nodes=2000 arcs=14 windowsize=1 minintervallength=4 >magic.properties
"$make" bits magic.graph b000111111000101100001000 b1 z0 z0 z0 z0 z0 z0 z0 z0 z0 z0 z0 z0 z0 b$(printf '1%.0s' {1..1999})
check 'a graph whose first bytes are those of gzip' test "$(head -c 3 magic.graph | od -An -tx1)" = ' 1f 8b 08'
check 'a graph that begins as a compressed file does is read as it is' test "$(edgeconv -q -t text magic.graph magic.graph | cut -f2 | tr '\n' ' ')" = \
    "$(echo $(seq 776 789) $(seq 776 789)) "
check_exit 3 'another format of -f' edgeconv -f u32 -t text g.graph
check_says 'g.graph: is of the format webgraph, and -f says u32'
check_exit 2 '--one-based' edgeconv --one-based -t text g.graph
cp g.graph lone.graph
refused 'a graph without properties' 'lone.graph: is binary, and named as a graph of WebGraph or METIS: expected the properties of a graph of WebGraph in lone.properties' lone.graph
check_exit 1 '-f webgraph without properties' edgeconv -f webgraph -t text lone.graph
check_says 'lone.properties: cannot open: No such file'
printf 'colour=red\n' >lone.properties
refused 'a graph with other properties' 'WebGraph in lone.properties' lone.graph
printf '5 5\n2 3\n1 3\n1 2 4\n3 5\n4\n' >metis.graph
check '.graph of METIS' test "$(edgeconv -q -t text metis.graph | wc -l)" = 5
printf 'colour=red\n' >metis.properties
check '.graph of METIS with properties of something' test "$(edgeconv -q -t text metis.graph | wc -l)" = 5
printf '# no graphclass, and not from webgraph\ncolour=graphclass:webgraph\n' >metis.properties
check '.graph of METIS with properties that name WebGraph elsewhere' test "$(edgeconv -q -t text metis.graph | wc -l)" = 5
check_exit 0 'an output beside a graph of METIS' edgeconv -q --force -o metis.properties metis.graph
cp g.properties metis.properties
check '.graph of METIS with the properties of a graph of WebGraph' test "$(edgeconv -q -t text metis.graph | wc -l)" = 5
refused 'the properties alone' 'give NAME.graph, which stands beside it' g.properties
mkfifo pipe.properties && cp g.graph pipe.graph
check_exit 3 'properties that are a pipe' timeout 20 edgeconv -t text pipe.graph
for name in g.properties g.offsets ./g.offsets; do
    cp "$name" before
    check_exit 2 "an output that is read: $name" edgeconv -q --force -o "$name" g.graph
    check_says 'is an input too'
    check_exit 2 "a map that is read: $name" edgeconv -q --force --compact="$name" -o x.edges g.graph
    check "a file beside the graph is intact: $name" cmp before "$name"
done
cp g.graph new.graph && cp g.properties new.properties && ln -s new.offsets later
for name in new.offsets ./new.offsets later; do
    check_exit 2 "an output that would be read: $name" edgeconv -q -o "$name" new.graph
    check_says 'is an input too'
done
check_exit 2 'standard output that is read with the graph' bash -c 'edgeconv -q g.graph >>g.properties'
check_says 'standard output: is an input too (g.properties)'
# what a link leads to, however it is named
mkdir away && cp g.graph g.properties g.offsets away && mv away/g.offsets away/kept
for name in link.graph other-name; do
    ln -s away/g.graph $name
    check "a link to a graph, $name" test "$(edgeconv -q -t text $name | cmp - want && echo yes)" = yes
    check_exit 2 "an output that would be read through a link, $name" edgeconv -q -o away/g.offsets $name
    check_says 'away/g.offsets: is an input too'
    check_exit 2 "an output that is read through a link, $name" edgeconv -q --force -o away/g.properties $name
done
cp away/kept link.offsets && head -c 99 want >away/g.offsets
check 'offsets beside a link are read before those of the graph' test "$(edgeconv -q -@ 2 -t text link.graph | cmp - want && echo yes)" = yes
rm link.offsets
refused 'offsets beside the graph that a link leads to' 'away/g.offsets: found' link.graph -@ 2
check 'arcs are directed, and edges with -u' test "$(edgeconv -v -o d.edges g.graph 2>&1 | grep -c ' directed')" = 2 \
    -a "$(edgeconv -v -u -o u.edges g.graph 2>&1 | grep -c 'vertices, undirected')" = 1
awk '{ print $1, $2; print $2, $1 }' OFS='\t' want | sort -n -k1,1 -k2,2 -u >both
"$make" both 3000 <both
check 'of a symmetric graph each edge is kept once' test "$(edgeconv -q --direction symmetric -t text both.graph | wc -l)" = "$(awk '$1 <= $2' both | wc -l)"
check '--compact numbers the ids' test "$(edgeconv -q --compact=map -t text -o named --force g.graph && wc -l <named)" = "$(wc -l <want)"
check '--randomize needs no second pass' test "$(edgeconv -v --randomize -o r.edges g.graph 2>&1 | grep -c 'edges are kept')" = 0
{ cat want && awk -v OFS='\t' '{ print $1, $2 }' want; } >twice
check 'two graphs follow each other' test "$(edgeconv -q -t text g.graph g.graph | cmp - twice && echo yes)" = yes

# ---- offsets ----

"$make" few 2500 <<<'1 2'
for with in few.offsets none mixed.offsets; do
    cp $with g.offsets
    refused "offsets of another graph: $with" 'g.offsets: found .*ithout the file .*in order' g.graph -@ 2
done
"$make" g 3000 <want
head -c -9 g.offsets >x && mv x g.offsets
refused 'offsets that are cut' 'g.offsets: found the end of the file' g.graph -@ 2
"$make" g 3000 <want
head -c 40 want >>g.offsets
refused 'offsets with more behind them' 'g.offsets: byte .*: found .* bytes more behind the last offset' g.graph -@ 2
"$make" bits g.offsets g7
refused 'a first offset that is not 0' 'g.offsets: found that node 0 begins 7 bits behind bit 0' g.graph -@ 2
# a node that begins at a list of another one: in a span of a thread, before its end, and in one that is decoded in order
# (at 32767 what is copied from that list is no list)
while read -r graph node span; do
    "$make" $graph 60000 windowsize=3 maxrefcount=9 damage=$node <$graph
    refused "an offset of $graph that is wrong at node $node alone" "$graph.offsets: found other bits for nodes $span than .*ithout the file .*in order" \
        $graph.graph -@ 2 -q -o got --force
done <<'NODES'
many 16381 0 to 16384
many 32765 16384 to 32768
many 32767 16384 to 32768
mixed 17003 [0-9]* to 17005
NODES
check 'one thread has no use for offsets, and reads the graph in order' test "$(edgeconv -q -@ 1 -t text mixed.graph | cmp - mixed && echo yes)" = yes
# five times a list of 30000 and 999 copies of it, each of the one before
copies=$(printf 'g30000 u1 g0 %.0s' {1..999}) gaps=$(printf 'g32 %.0s' {1..999})
"$make" bits copies.graph $(for i in {1..5}; do echo g30000 u0 g1 g0 g29996 $copies; done) b$(printf '1%.0s' {1..29000})
"$make" bits copies.offsets g0 $(for i in {1..5}; do echo g63 $gaps; done) $(printf 'g1 %.0s' {1..29000})
printf '%s\n' graphclass=it.unimi.dsi.webgraph.BVGraph nodes=34000 arcs=150000000 windowsize=1 minintervallength=4 >copies.properties
check_exit 0 'long lists in long chains of references are decoded once, offsets or not' cpu_limit 3 edgeconv -q -@ 2 -o /dev/null copies.graph
rm g.offsets && mkdir g.offsets
unread() { # NAME CAUSE
    check_exit 0 "$1" edgeconv -q -@ 2 -t text -o got --force g.graph
    check_says "warning: g.offsets: cannot be read: $2: the graph is read in order"
    check "$1: the graph has its arcs" cmp got want
}
unread 'a folder in the place of offsets' 'is no regular file'
rmdir g.offsets && ln -s g.offsets g.offsets
unread 'offsets that cannot be opened' 'Too many levels of symbolic links'
rm g.offsets
rm lone.properties && ln -s lone.properties lone.properties
check_exit 1 'properties that cannot be opened' edgeconv -t text lone.graph
check_says 'lone.properties: cannot open: Too many'

# ---- bits that are no list ----

# bits NAME NODES PATTERN CODE...: the graph of these codes is refused
bits() {
    printf '%s\n' graphclass=it.unimi.dsi.webgraph.BVGraph "nodes=$2" arcs=9 windowsize=2 minintervallength=2 >b.properties
    "$make" bits b.graph "${@:4}"
    refused "$1" "b.graph: $3" b.graph
}
bits 'an outdegree above the nodes' 4 'node 0: found an outdegree of 5, expected at most the number of nodes, 4' g5 b1111111
bits 'a reference beyond the window' 4 'node 3: found a reference to a node before by 3, expected at most 2' g0 g0 g0 g1 u3
bits 'a reference before the first node' 4 'node 1: found a reference to a node before by 2, expected at most 1' g0 g1 u2
bits 'more blocks than ids' 4 'node 1: found a number of blocks of 4, expected at most 2' g1 u0 g0 z2 g1 u1 g4 b11111111
bits 'a block beyond the list' 4 'node 1: found a block of 2, expected at most the rest of the list' g1 u0 g0 z2 g1 u1 g1 g2 b1111
bits 'a second block beyond the list' 4 'node 1: found a block of 1, expected at most the rest of the list that it copies from, 0' g1 u0 g0 z2 g1 u1 g2 g1 g0 b1111
bits 'copies of more than the outdegree' 4 'node 1: found blocks that copy 2, expected at most its successors, 1' g2 u0 g1 g0 g0 g1 u1 g0 b111
bits 'too many intervals' 4 'node 0: found a number of intervals of 2, expected at most 1' g3 u0 g2 b111111
bits 'an interval longer than the outdegree' 4 'node 0: found an interval longer than the least by 2' g3 u0 g1 g0 g2 b1111
bits 'an interval beyond the nodes' 4 'node 0: found an interval at 3, expected one within the nodes, 4' g2 u0 g1 g6 g0 b1111
bits 'an interval before the first node' 4 'node 0: found an interval before node 0 by 1, expected one within the nodes, 4' g2 u0 g1 g1 g0 b1111
bits 'a successor beyond the nodes' 4 'node 0: found the successor 4, expected one of the 4 nodes' g1 u0 g0 z8 b1111111
bits 'a successor before the first node' 4 'node 0: found the successor -1, expected one of the 4 nodes' g1 u0 g0 z1 b1111111
bits 'a successor that is copied and stands there again' 4 'node 1: found a list with a successor that is not above the one before it' g1 u0 g0 z2 g2 u1 g0 g0 z0 b11111
bits 'a successor within an interval' 4 'node 0: found a list with a successor that is not above' g3 u0 g1 g0 g0 z2 b1111
bits 'a gap beyond 64 bits' 4 'node 0: found' g2 u0 g0 z0 u40 b1111111111111111111111111111111111111111111111111111111111111111111111111111111111
bits 'a code that does not end' 4 'node 0: found the end of the file, or a number beyond 64 bits' b00000000000000000000000000000000000000000000000000000000000000000000000000000000001
bits 'nodes beyond the last byte' 30 'node 16: found the end of the file' b1111111111111111 b000000000000001 b0
bits 'bytes behind the last node' 4 'byte 1: found 2 bytes more behind the last node' b1111 b00000000 b11111111
bits 'bits behind the last node' 4 'byte 0: found a bit that is set behind the last node' b1111 b0001
bits 'zeros behind the last node, too many' 4 'byte 1: found 20 bytes more' b1111 $(printf 'b%0160d' 0) b1111
# zeros to whole words are padding
printf '%s\n' graphclass=it.unimi.dsi.webgraph.BVGraph nodes=4 arcs=0 windowsize=2 minintervallength=2 >b.properties
printf '\360\0\0\0\0\0\0\0' >b.graph
check 'zeros up to a whole word are padding' test "$(edgeconv -v -t text b.graph 2>&1 | grep -c '0 edges, 4 vertices')" = 1

# ---- memory ----

seq 0 2999999 | sed 's/^/0\t/' >line
"$make" line 3000000 <line
for with in yes no; do
    [ $with = yes ] || rm line.offsets
    check_exit 5 "a list that does not fit -S, offsets: $with" edgeconv -q -S 64M -t text -o /dev/null line.graph
    check_says 'line.graph: node 0: its list of successors and those that it may copy from need more'
    check "a list of 3 million, offsets: $with" test "$(edgeconv -q -S 256M -t text line.graph | cmp - line && echo yes)" = yes
done

# lists of 7 and 9 by turns, and a few of 6 and 8: of those in the window all but 13 of the ids that -S allows
awk 'BEGIN { for (u = 0; u < 250000; u++) { k = (u % 2 ? 7 : 9) - (u % 5000 == 0); print "g" k, "u0 g1 g0 g" k - 4 }
    for (; u < 250010; u++) print "g0" }' | "$make" bits tight.graph
printf '%s\n' graphclass=it.unimi.dsi.webgraph.BVGraph nodes=250010 arcs=1999950 windowsize=65536 minintervallength=4 >tight.properties
check_exit 0 'many lists that just fit -S are not looked at for each node' cpu_limit 2 edgeconv -q -S 16M -o /dev/null tight.graph

# ---- LAW's graph ----

if [ -e "$data/cnr-2000.graph" ]; then
    edgeconv -q -t text -o cnr --force "$data/cnr-2000.graph"
    check 'cnr-2000 has its arcs' test "$(wc -l <cnr)" = 3216152
    "$make" cnr-2000 325557 <cnr
    check 'cnr-2000, written again by other code, has the same bits' cmp -n "$(stat -c %s cnr-2000.graph)" cnr-2000.graph "$data/cnr-2000.graph"
    same 'cnr-2000 with offsets' cnr-2000 cnr
else
    skip 'cnr-2000: not here'
fi
cd "$here" || exit 1
finish
