#!/bin/bash
# edgeconv-asks.sh: inputs that are easily taken for others: formats of other programs, lines of column names, and
# lists with each edge twice. Each is recognised, and the message names a command that helps.
set -u
. tests/lib.sh
edgeconv=$(realpath "$BIN/edgeconv")
here=$PWD
cd "$tmp" || exit 1

# foreign WHAT CONTENT REMEDY OPTION...: expects a refusal that names the format and the command that helps
foreign() {
    local what=$1 content=$2 remedy=$3
    shift 3
    printf "$content" >in.txt
    check_exit 3 "$what $*" "$edgeconv" "$@" -o x.edges in.txt
    check_says "in.txt: is .*$what"
    check_says "$remedy"
    check "$situation: nothing is left" test ! -e x.edges -a ! -e x.map
}
for options in '' '--compact=x.map'; do
    foreign GraphML '<?xml version="1.0"?>\n<graphml xmlns="x">\n<graph edgedefault="directed">\n' ElementTree $options
    foreign GEXF '<?xml version="1.0"?>\n<gexf>\n' read_gexf $options
    foreign HTML '<!DOCTYPE html>\n<html>\n' 'web page' $options
    foreign GML 'graph [\n  node [\n    id 1\n  ]\n]\n' read_gml $options
    foreign GML 'Creator "x"\nVersion 1\ngraph\n[\n  node [\n' read_gml $options
    foreign DOT 'digraph G {\n  a -> b;\n}\n' gvpr $options
    foreign DOT 'strict graph\n{\n  a -- b;\n}\n' gvpr $options
    foreign Pajek '*Vertices 3\n1 "a"\n2 "b"\n3 "c"\n*Edges\n1 2\n2 3\n' awk $options
    foreign JSON '{"nodes": [{"id": 1}],\n "links": []}\n' jq $options
    foreign JSON '[{"source": 1, "target": 2}]\n' jq $options
    foreign Arrow 'ARROW1\0\0\377\377' pyarrow $options
    foreign HDF5 '\x89HDF\r\n\x1a\n....' h5py $options
    foreign ';' '1;2\n2;3\n' 'use --separator=semicolon' $options
    foreign '|' '1|2\n2|3\n' 'use --separator=bar' $options
    foreign 'coloured' 'c x\np edge 3 2\ne 1 2\ne 2 3\n' 'awk' $options
    foreign 'coloured' 'p col 3 2\ne 1 2\ne 2 3\n' 'awk' $options
    foreign 'a multi-line adjacency list' '#-c\n# GMT Tue Nov 24 03:58:10 2026\n# \n0 1\n1 {}\n1 0\n' read_multiline $options
    foreign 'end in CR' '1 2\r3 4\r' "tr '..'" $options
    foreign '//' '// a graph\n1 2\n' 'grep -v' $options
done
printf 'graph 1\ngraph 2\n' >words
check_exit 0 'words that only look like it are ids' "$edgeconv" -q -f pairs --compact=words.map -t text -o words.txt words
check "$situation: all of them are ids" test "$(cat words.txt)" = "$(printf '0\t1\n0\t2')"
printf '1 2;\n' >semicolon
check_exit 3 'a stray semicolon is a fault of its line' "$edgeconv" -t text semicolon
check_says "semicolon:1: found '2;'"

# ---- a first line of column names ----

printf 'source target\n1 2\n2 3\n' >names
printf '1\t2\n2\t3\n' >want
check_exit 0 'names of columns without commas' "$edgeconv" -t text names
check "$situation: are no edge" cmp out want
check_says 'taken for column names: source target'
printf 'Alice Bob\n1 2\n' >odd
printf 'from\tto\nAlice\tBob\n' >people
for file in names odd people; do
    check_exit 2 "$file: with --compact the user is asked" "$edgeconv" --compact=m.map -t text $file
    check_says 'f pairs or -f csv says which'
    check 'nothing is made' test ! -e m.map
done
check_exit 0 '-f pairs: an edge' "$edgeconv" -q -f pairs --compact=m.map -t text people
check "$situation: the map has four names" test "$(cat m.map | wc -l)" = 4
check_exit 0 '-f csv: names of columns' "$edgeconv" -q -f csv --force --compact=m.map -t text people
check "$situation: the map has two vertices" test "$(cat m.map)" = "$(printf 'Alice\nBob')"
printf 'u v\nv w\n' >short
check_exit 0 'short names are vertices' "$edgeconv" -q --force --compact=m.map -t text short
check "$situation: the map has three names" test "$(cat m.map | wc -l)" = 3

# ---- each edge twice ----

said='each edge is listed as u v and as v u'
printf '0 1\n1 0\n1 2\n2 1\n3 3\n' >both
printf '0 1\n2 1\n' >part1
printf '1 0\n1 2\n' >part2
for options in '-u' '-u -t text' '-u -t u32' '-u --randomize' '-u --compact=m.map' '-u -@ 3' '--direction once'; do
    check_exit 0 "a symmetric list $options" "$edgeconv" --force $options -o out.x both
    check_says "warning: $said.*--direction symmetric"
done
check_exit 0 'in two files' "$edgeconv" -u --force -o out.x part1 part2
check_says "$said"
check_exit 0 'a list with each edge twice is folded by --direction symmetric' "$edgeconv" --direction symmetric --force -o out.x both
check "$situation: the folded stream gets no warning" test "$(grep -c "$said" err)" = 0
silent() { # NAME CONTENT OPTION...
    local name=$1
    printf "$2" >in.txt
    shift 2
    check_exit 0 "$name" "$edgeconv" "$@" --force -o out.x in.txt
    check "$situation: gets no warning" test "$(grep -c "$said" err)" = 0
}
silent 'one edge in one direction' '0 1\n1 0\n1 2\n' -u
silent 'a directed list' '0 1\n1 0\n' --direction directed
silent 'self-loops alone' '0 0\n1 1\n' -u
silent 'an empty list' '# none\n' -u -f pairs --vertices 3
silent 'as many lines each way' '0 1\n2 1\n' -u

# ---- ids out of range ----

printf '0 281474976710656\n' >far
check_exit 3 'an id of 2^48' "$edgeconv" -t text far
check_says 'any others: --compact=MAP, or --compact of dbfs'
for content in 'a b\n' 'source,target\na,b\n' '-1 2\n' '1.5 2\n'; do
    printf -- "$content" >in.txt
    check_exit 3 "no number: $content" "$edgeconv" -t text in.txt
    check_says 'any others: --compact=MAP, or --compact of dbfs'
done
printf '0 140737488355329\n' | "$edgeconv" -q -u -o far.edges
check_exit 5 'ids near 2^47, too many for a shard' "$(dirname "$edgeconv")/dbfs-pack" -S 64M -p 1 -o far.dbfs far.edges
check_says 'edgeconv --compact'
cd "$here" || exit 1
finish
