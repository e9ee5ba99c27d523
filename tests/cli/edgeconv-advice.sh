#!/bin/bash
# edgeconv-advice.sh: each command that a message of edgeconv prints is run as it stands, and gives the graph or fails.
set -u
. tests/lib.sh
edgeconv=$(realpath "$BIN/edgeconv")
dbfs=$(realpath "$BIN/dbfs")
programs=$(dirname "$edgeconv")
here=$PWD
cd "$tmp" || exit 1
mkdir wrapped
printf '#!/bin/sh\nexec "%s" -q -t text --force "$@"\n' "$edgeconv" >wrapped/edgeconv
chmod +x wrapped/edgeconv

# follow OPTION...: prints the edges that the command of the message about FILE gives, with names where a map is made
follow() {
    local command status=0
    rm -f MAP out.txt
    "$edgeconv" -t text "$@" FILE >/dev/null 2>message </dev/null && return 1
    command=$(sed -n 's/^edgeconv: [^`]*`\([^`]*\)`.*/\1/p' message)
    [ -n "$command" ] || return 1
    PATH=$PWD/wrapped:$PATH bash -c "$command" >out.txt 2>err </dev/null || status=$?
    if [ -e MAP ]; then
        awk 'FILENAME == "MAP" { name[FNR - 1] = $0; next } { print name[$1] "\t" name[$2] }' MAP out.txt
    else
        cat out.txt
    fi
    return $status
}
# advised NAME CONTENT WANT [NEEDS [OPTION...]]: the command gives the edges WANT; NEEDS is a program, or module of Python
advised() {
    local needs=${4:-}
    printf -- "$2" >FILE
    case $needs in
    '') ;;
    python3:*) python3 -c "import ${needs#*:}" 2>/dev/null || { skip "the advice for $1: no module ${needs#*:}" && return; } ;;
    *) command -v "$needs" >/dev/null 2>&1 || { skip "the advice for $1: no $needs" && return; } ;;
    esac
    printf "$3" >want
    follow "${@:5}" >got
    check "the advice for $1 gives its graph" cmp want got
}
# fails NAME CONTENT: the command fails, as the file is not what it needs
fails() {
    printf -- "$2" >FILE
    if follow >got; then
        fail "the advice for $1 fails where it cannot read the file"
    else
        check "the advice for $1 fails where it cannot read the file" test -s err
    fi
}

two='a b\tc\nc\t#d\n'
graphml='<?xml version="1.0"?>\n<graphml xmlns="http://graphml.graphdrafting.org/xmlns">\n<graph edgedefault="%s">\n<node id="a b"/>\n<edge source="a b" target="c"><data key="w">1</data></edge>\n<edge source="c" target="#d"/>\n</graph></graphml>\n'
advised 'GraphML' "${graphml/\%s/undirected}" "$two" python3:xml
check 'the advice for GraphML takes the edges as undirected' grep -q 'edgeconv -u ' message
advised 'directed GraphML' "${graphml/\%s/directed}" "$two" python3:xml
check 'the advice for directed GraphML takes the edges as directed' grep -q 'edgeconv --direction directed ' message
fails 'GraphML that was cut' '<?xml version="1.0"?>\n<graphml>\n<graph edgedefault="directed">\n<edge source="a" target="b"/>\n'
advised 'GML' 'graph [\n  directed 1\n  node [\n    id 0\n    label "a b"\n  ]\n  node [\n    id 5\n    label "c"\n  ]\n  edge [\n    source 5\n    target 0\n  ]\n]\n' '5\t0\n' python3:networkx
check 'the advice for GML takes the edges as directed' grep -q 'edgeconv --direction directed ' message
advised 'GEXF' '<?xml version="1.0"?>\n<gexf xmlns="http://www.gexf.net/1.2draft" version="1.2">\n<graph defaultedgetype="directed"><nodes><node id="a b" label="x"/><node id="c" label="y"/></nodes><edges><edge id="0" source="a b" target="c"/></edges></graph></gexf>\n' 'a b\tc\n' python3:networkx
advised 'multi-line adjacency lists' '#x\n# GMT Fri\n# \na 2\nb {}\nc {}\nb 1\nc {}\nc 0\n' 'a\tb\na\tc\nb\tc\n' python3:networkx
advised 'DOT' 'digraph G {\n  a -> b;\n  b -> c;\n}\n' 'a\tb\nb\tc\n' gvpr
advised 'JSON' '{"links": [{"source": "a b", "target": "c"}, {"source": "c", "target": "#d"}]}\n' "$two" jq
advised 'JSON with edges' '{"nodes": [], "edges": [{"source": 7, "target": 0}]}\n' '7\t0\n' jq
advised 'a list in JSON' '[{"source": "a b", "target": "c"},\n {"source": "c", "target": "#d"}]\n' "$two" jq
fails 'JSON with other names' '{"links": [{"from": "a", "to": "b"}]}\n'
fails 'JSON with another list' '{"arcs": [{"source": "a", "target": "b"}]}\n'
advised 'Pajek' '*Vertices 4\r\n1 "a"\r\n2 "b"\r\n*Edges\r\n1 2 5\r\n2 3 1\r\n' '1\t2\n2\t3\n'
advised 'Pajek with lists' '*Network x\n*Vertices 4\n*Arcslist\n1 2 3\n2 4\n*Edges\n3 4 1\n' '1\t2\n1\t3\n2\t4\n3\t4\n'
fails 'Pajek with a matrix' '*Vertices 2\n1 "a"\n2 "b"\n*Matrix\n0 1\n1 0\n'
fails 'Pajek with an id beyond its vertices' '*Vertices 2\n*Edges\n1 3\n'
advised 'KaGen' 'p 4294967299 2\ne 4294967298 2\ne 2 1\n' '4294967298\t2\n2\t1\n'
fails 'KaGen with an id beyond its vertices' 'p 3 1\ne 1 4\n'
advised 'graphs to be coloured' 'c x\np edge 3 2\ne 1 2\ne 2 3\n' '1\t2\n2\t3\n'
advised 'graphs to be coloured, of the name col' 'p col 3 2\ne 1 2\ne 2 3\n' '1\t2\n2\t3\n'
advised 'lines that end in CR' '1 2\r3 4\r' '1\t2\n3\t4\n'
advised 'comments of //' '// a graph\n1 2\n // x\n2 3\n' '1\t2\n2\t3\n'
advised 'UTF-16' '\377\3761\000 \0002\000\n\000' '1\t2\n' iconv
advised 'UTF-16 of the other order' '\376\377\0001\000 \0002\000\n' '1\t2\n' iconv
advised 'UTF-16 without a mark' '1\000\t\0002\000\n\0003\000\t\0004\000\n\000' '1\t2\n3\t4\n' iconv
advised 'UTF-32' '\377\376\000\0001\000\000\000 \000\000\0002\000\000\000\n\000\000\000' '1\t2\n' iconv
for tool in lz4 lzip compress; do
    if command -v $tool >/dev/null 2>&1; then
        printf '1 2\n2 3\n' | $tool -c >FILE
        follow >got
        check "the advice for $tool gives its graph" test "$(cat got)" = "$(printf '1\t2\n2\t3')"
    else
        skip "the advice for $tool: no $tool"
    fi
done
{ printf '\3\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0' && printf '\0\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0'; } >FILE
check 'the advice for binary KaGen gives its graph' test "$(follow)" = "$(printf '0\t2')"
# lists
advised 'counts' '7 3\n2 3\n1 3\n4 2\n' '2\t3\n1\t3\n4\t2\n'
advised 'counts, 1-based' '4 3\n2 3\n1 3\n4 2\n' '2\t3\n1\t3\n4\t2\n' '' --one-based
advised 'counts before weights' '# c\n5 3\n1 2 9\n2 3 9\n4 5 9\n' '1\t2\n2\t3\n4\t5\n'
advised 'counts or METIS' '4 6\n2 3 4\n1 3 4\n1 2 4\n1 2 2\n' '2\t3\n1\t3\n1\t2\n1\t2\n'
advised 'a row of numbers in place of names' '0,1\n5,6\n6,7\n' '5\t6\n6\t7\n' '' -f csv
advised 'the same with columns' '0,1,2\n9,5,6\n9,6,7\n' '5\t6\n6\t7\n' '' -f csv --columns 2,3
advised 'the same with a separator and comments' '0;1;2\n!9\n8;5;6\n' '5\t6\n' '' -f csv --columns 2,3 --separator ';' --comments '!'
advised 'row names of R' '"source" "target"\n"1" 10 20\n"2" 30 40\n' '10\t20\n30\t40\n'
advised 'row names of R, and ids in quotes' '"source" "target"\n"1" "10" "20"\n"2" "30" "40"\n' '10\t20\n30\t40\n'
printf 'example.com\t0\nexample.org\t1\n' >FILE
command=$("$edgeconv" -t text FILE 2>&1 | sed -n 's/^edgeconv: [^`]*`\([^`]*\)`.*/\1/p')
check "the advice for an index makes its map: $command" eval 'PATH=$programs:$PATH bash -c "$command --force -q" && test "$(cat MAP)" = "$(printf "example.com\nexample.org")"'
for separator in ';' '|'; do
    printf "1${separator}2\n2${separator}3\n" >FILE
    option=$("$edgeconv" -t text FILE 2>&1 | sed -n 's/.*use \(--separator=[a-z]*\)$/\1/p')
    check "the option for '$separator' reads it" test "$("$edgeconv" -q -t text $option FILE)" = "$(printf '1\t2\n2\t3')"
done
# the same commands as dbfs prints them
printf '*Vertices 3\n*Edges\n1 2\n2 3\n' >FILE
command=$("$dbfs" --no-cache -r 0 FILE 2>&1 | sed -n 's/^dbfs: [^`]*`\([^`]*\)`.*/\1/p')
check "dbfs: the advice of the message works: $command" eval 'PATH=$programs:$PATH bash -c "${command% -} -q --no-cache -r 1 -o - -" >got 2>err && test "$(tr "\t\n" "  " <got)" = "1 0 2 1 3 2 "'
if command -v jq >/dev/null 2>&1; then
    printf '[{"source": "a b", "target": "c"}]\n' >FILE
    command=$("$dbfs" --no-cache -r 0 FILE 2>&1 | sed -n 's/^dbfs: [^`]*`\([^`]*\)`.*/\1/p')
    check "dbfs: the advice of the message works with names: $command" eval 'PATH=$programs:$PATH bash -c "${command% -} -q --no-cache -r c -o - -" >got 2>err && grep -q "^a b.1$" got'
fi
cd "$here" || exit 1
finish
