#!/bin/bash
# formats-table.sh: one graph in every format. Each reader gets the file of every other format, and each file is
# recognised in every dress: behind a byte order mark, blank lines and comments, with CR LF, compressed. A reader gives
# the graph or refuses the file; a file of two readings is refused with both options.
set -u
. tests/lib.sh
edgeconv=$(realpath "$BIN/edgeconv")
mkwebgraph=$(realpath "$TESTS/mkwebgraph")
here=$PWD
cd "$tmp" || exit 1

# ---- the graph, as a file of each format ----

put() { printf "$2" >"$1"; }
put pairs '0 1\n0 2\n1 2\n2 3\n3 4\n'
put weighted '0 1 5.5\n0 2 1\n1 2 2\n2 3 1e3\n3 4 1\n'
put csv 'source,target\n0,1\n0,2\n1,2\n2,3\n3,4\n'
put friendster '0:1,2\n1:2\n2:3\n3:4\n4:\n'
put networkx '#x\n# GMT Fri Nov 27 21:00:00 2026\n# \n0 1 2\n1 2\n2 3\n3 4\n4\n'
put neighbours '0 1 2\n1 2\n2 3\n3 4\n4\n'
put mtx '%%%%MatrixMarket matrix coordinate pattern symmetric\n5 5 5\n2 1\n3 1\n3 2\n4 3\n5 4\n'
put mtx-real '%%%%MatrixMarket matrix coordinate real general\n5 5 5\n1 2 1\n1 3 1\n2 3 1\n3 4 1\n4 5 1\n'
put metis '5 5\n2 3\n1 3\n1 2 4\n3 5\n4\n'
put metis-111 '5 5 111 2\n1 2 2 2 1 3 1\n1 1 1 1 1 3 1\n1 1 1 1 1 2 1 4 1\n1 1 1 3 1 5 1\n1 1 1 4 1\n'
put dimacs 'c x\np sp 5 5\na 1 2 5\na 1 3 5\na 2 3 5\na 3 4 5\na 4 5 5\n'
put pace 'c x\np tw 5 5\n1 2\n1 3\n2 3\n3 4\n4 5\n'
put lg '5,5,u,graph,2,Int64,simplegraph\n1,2\n1,3\n2,3\n3,4\n4,5\n'
put lgl '# 0\n1\n2\n# 1\n2\n# 2\n3\n# 3\n4\n'
put lgl-weights '# 0\n1 .5\n2 1\n# 1\n2 3\n# 2\n3 1\n# 3\n4 1\n'
put attributes "0 1 {}\n0 2 {'weight': 3}\n1 2 {}\n2 3 {}\n3 4 {}\n"
# formats of other programs
put kagen 'p 5 5\ne 1 2\ne 1 3\ne 2 3\ne 3 4\ne 4 5\n'
put ligra 'AdjacencyGraph\n5\n5\n0\n2\n3\n4\n5\n1\n2\n2\n3\n4\n'
put graphml '<?xml version="1.0"?>\n<graphml><graph edgedefault="undirected">\n<edge source="0" target="1"/>\n</graph></graphml>\n'
put gml 'graph [\n  node [\n    id 0\n  ]\n]\n'
put pajek '*Vertices 5\n*Edges\n1 2\n1 3\n2 3\n3 4\n4 5\n'
put dot 'graph {\n 0 -- 1;\n}\n'
put ldbc-vertices '0\n1\n2\n3\n4\n'
put json '{"links": [{"source": 0, "target": 1}]}\n'
put multiline '#x\n# GMT Fri Nov 27 21:00:00 2026\n# \n0 2\n1 {}\n2 {}\n1 1\n2 {}\n2 1\n3 {}\n3 1\n4 {}\n4 0\n'
text_formats='pairs weighted csv friendster networkx neighbours mtx mtx-real metis metis-111 dimacs pace lg lgl lgl-weights attributes'
foreign_formats='kagen ligra graphml gml pajek dot ldbc-vertices json multiline'
for format in u32 u64 graph500 edges sg; do
    "$edgeconv" -q -u -t $format -o $format pairs
done
"$edgeconv" -q -t u64 -o graph500-16 pairs
{ printf '\x93NUMPY\1\0v\0%-117s\n' "{'descr': '<u8', 'fortran_order': False, 'shape': (5, 2), }" && cat u64; } >npy
printf '\377\3760\000 \0001\000\n\000' >utf-16
"$mkwebgraph" webgraph 5 <pairs
binary_formats='webgraph.graph edges sg npy graph500 graph500-16 u32 u64 utf-16'

# graph FILE OPTION...: prints the edges of a file, the smaller end first, from 0 on; fails as edgeconv does
graph() {
    "$edgeconv" -q -t text "${@:2}" "$1" >read.txt 2>read.err </dev/null || return
    awk -v OFS='\t' 'NR == FNR { least = NR == 1 || $1 < least ? $1 : least; least = $2 < least ? $2 : least; next }
        { u = $1 - least; v = $2 - least; print u < v ? u : v, u < v ? v : u }' read.txt read.txt | sort -u
}
graph pairs >want
check 'there is a graph' test -s want

# outcome FILE OPTION...: prints what comes of it: = the graph, x a refusal with a message, or what else happened
outcome() {
    local status=0
    graph "$@" >got || status=$?
    case $status in
    0) cmp -s got want && echo = || echo other ;;
    2 | 3) grep -q '^edgeconv: .' read.err && echo x || echo "exit $status without a message" ;;
    *) echo "exit $status" ;;
    esac
}

# ---- every reader, every file ----

# A row is a reader (-f) and the files that it reads: those after = give the graph; those after ~ another graph, since
# the user has said how to read a file that may be read in two ways. It refuses all others.
while read -r reader files; do
    kind='' wrong=''
    declare -A expected=()
    for file in $files; do
        case $file in
        = | '~') kind=$file ;;
        *) expected[$file]=$kind ;;
        esac
    done
    for file in $text_formats $foreign_formats $binary_formats; do
        got=$(outcome $file -f $reader)
        want=${expected[$file]:-x}
        [ "$want" != '~' ] || want=other
        [ "$got" = "$want" ] || wrong+=" $file ($got)"
    done
    check "-f $reader reads its own files, and refuses those of other formats:$wrong" test -z "$wrong"
done <<'ROWS'
auto           = pairs weighted csv friendster networkx mtx mtx-real metis metis-111 dimacs pace lg lgl lgl-weights attributes webgraph.graph edges sg npy
pairs          = pairs weighted attributes
csv            = csv
adjacency      = friendster
adjlist        = pairs networkx neighbours ~ ldbc-vertices
matrix-market  = mtx mtx-real
metis          = metis metis-111
dimacs         = dimacs
pace           = pace
lg             = lg
lgl            = lgl lgl-weights
edges          = edges
sg             = sg
webgraph       = webgraph.graph
npy            = npy
npz            = 
graph500       = graph500
graph500-16    = graph500-16 u64
u32            = u32 ~ u64 graph500-16
u64            = u64 graph500-16
ROWS

# ---- every file in every dress ----

comment_of() { # FORMAT: prints a line that is a comment there
    case $1 in
    metis*) echo '% a comment' ;;
    dimacs | pace) echo 'c a comment' ;;
    mtx*) echo '%a comment' ;;
    *) echo '# a comment of 1 line' ;;
    esac
}
dress() { # DRESS FORMAT: prints the file of the format in it
    case $1 in
    plain) cat "$2" ;;
    'a byte order mark') printf '\xef\xbb\xbf' && cat "$2" ;;
    'CR LF') sed 's/$/\r/' "$2" ;;
    'blank lines before') printf '\n \n' && cat "$2" ;;
    'blank lines behind') cat "$2" && printf '\n\n' ;;
    'a comment before') comment_of "$2" && cat "$2" ;;
    'all of these') printf '\xef\xbb\xbf\r\n' && { comment_of "$2" && cat "$2"; } | sed 's/$/\r/' && printf '\r\n' ;;
    compressed) gzip -c "$2" ;;
    esac
}
for dress in plain 'a byte order mark' 'CR LF' 'blank lines before' 'blank lines behind' 'a comment before' 'all of these' compressed; do
    wrong=''
    for format in $text_formats; do
        want='='
        case $format-$dress in
        neighbours*) want=x ;; # without the comments of networkx
        lgl*comment* | lgl*'all of these') want=x ;; # which has none
        esac
        dress "$dress" $format >dressed
        got=$(outcome dressed)
        [ "$got" = "$want" ] || wrong+=" $format ($got)"
    done
    check "text is recognised: $dress$wrong" test -z "$wrong"
    wrong=''
    for format in $foreign_formats; do
        dress "$dress" $format >dressed
        got=$(outcome dressed)
        [ "$got" = x ] || wrong+=" $format ($got)"
    done
    check "formats of other programs are refused: $dress$wrong" test -z "$wrong"
done
wrong=''
for format in $text_formats webgraph.graph edges sg npy; do
    want='='
    case $format in neighbours | csv) want=x ;; esac # the user is asked
    got=$(
        "$edgeconv" -q -t text --force --compact=names -o numbers $format 2>read.err </dev/null || { echo x && exit; }
        awk -v OFS='\t' 'FILENAME == "names" { name[FNR - 1] = $0; next } { print name[$1], name[$2] }' names numbers >named
        outcome named -f pairs
    )
    [ "$got" = "$want" ] || wrong+=" $format ($got)"
done
check "every format gives the same graph with ids as names:$wrong" test -z "$wrong"

# ---- two readings ----

# doubtful NAME CONTENT FORMAT FORMAT: the file is refused, and both formats are named; each of them reads the file
doubtful() {
    put doubtful "$2"
    check_exit 3 "$1" "$edgeconv" -t text doubtful
    check_says "-f $3 or -f $4 says which"
    check "$1: both commands of the message work" eval '"$edgeconv" -q -f '$3' -t text doubtful && "$edgeconv" -q -f '$4' -t text doubtful'
}
doubtful 'LGL or pairs: neighbours with whole weights' '# 0\n1 5\n# 1\n2 7\n# 2\n3 9\n' lgl pairs
doubtful 'LGL or pairs: a comment of one number' '# 3\n0 1\n1 2\n' lgl pairs
doubtful 'neighbours or pairs: as many in each line' '0 1 2\n1 2 3\n2 3 0\n3 0 1\n' pairs adjlist
cp doubtful good.lgl && put good.lgl '# 0\n1 5\n# 1\n2 7\n'
check 'the suffix .lgl decides between two readings' test "$("$edgeconv" -q -t text good.lgl)" = "$(printf '0\t1\n1\t2')"
gzip -k good.lgl
check 'a compressed .lgl is recognised' test "$("$edgeconv" -q -t text good.lgl.gz)" = "$(printf '0\t1\n1\t2')"
put section '# part\n0 1\n1 2\n# end\n2 3\n'
check 'a comment of one word that is no id is no LGL' test "$("$edgeconv" -q -t text section | wc -l)" = 3
put metis-100 '# x\n4 4 10\n1 3 2\n1 4 1\n1 1 4\n1 2 3\n'
check 'METIS with a weight for each vertex, and lines of equal length, is recognised' test "$(graph metis-100 | tr '\t\n' '  ')" = '0 1 0 2 1 3 2 3 '
put broken '4 4\n2 4\n1 3\n2 4\n1 2\n'
check_exit 3 'METIS with a fault, whose lines could be edges' "$edgeconv" -t text broken
check_says '-f metis or -f pairs says which'
# regular graphs of more lines than one looks at: 2 and 3 neighbours, with and without weights of vertices and edges
regular() { # N DEGREE FORMAT: a circulant graph, its vertices in no order
    awk -v n="$1" -v degree="$2" -v format="$3" 'function at(i) { return (i % n + n) % n * 7919 % n + 1 }
        BEGIN { step[1] = 1; step[2] = -1; step[3] = n / 2
            for (i = 0; i < n; i++) {
                line = format >= 10 ? "3" : ""
                for (k = 1; k <= degree; k++)
                    line = line " " at(i + (degree == 1 && i % 2 ? -1 : step[k])) (format % 10 ? " 4" : "")
                row[at(i)] = line
            }
            print n, n * degree / 2, format
            for (i = 1; i <= n; i++) print row[i] }'
}
for kind in '2 0' '2 1' '2 10' '3 0' '1 1' '1 11'; do
    regular 20000 ${kind% *} ${kind#* } >regular
    check "METIS of $kind (neighbours, format) is told from pairs" test \
        "$("$edgeconv" -q -t text regular | sort | cksum)" = "$("$edgeconv" -q -f metis -t text regular | sort | cksum)"
done
# a list of pairs with the arithmetic of METIS, whose first lines say no more
awk 'BEGIN { print 9000000, 9000000; for (i = 1; i < 100000; i++) print 8000000 + i, 8500000 + i }' >far
check_exit 3 'a first edge that could be the counts of METIS' "$edgeconv" -t text far
check_says '-f metis or -f pairs says which'
check '-f pairs reads it' test "$("$edgeconv" -q -f pairs -t text far | wc -l)" = 100000
cd "$here" || exit 1
finish
