#!/bin/bash
# ids.sh: vertices have the ids of the file that a graph was made from, also where these begin at 1: in roots and targets, in text,
# CSV, JSON, traces, names of files and messages. Arrays and --serve count from 0.
set -u
. tests/lib.sh
. tests/layouts.sh
bin=$(realpath "$BIN")
oracle=$(realpath "$TESTS/oracle")
PATH=$bin:$PATH
cd "$tmp" || exit 1

traverse() { dbfs-traverse --backend cpu -@ 1 "$@"; }
lines() { tr '\n\t' ' ,' <"$1"; }

# A path 1 2 3 4 with a branch 2 6, and vertex 5 by itself, in every format that begins at 1.
edges=$'0 1\n1 2\n2 3\n1 5'
echo "$edges" >zero.txt
matrix general pattern 6 zero.txt >graph.mtx
printf '%s\n' '6 4' 2 '1 3 6' '2 4' 3 '' 2 >graph.metis
{ echo 'p sp 6 8'; awk '{ print "a", $1 + 1, $2 + 1, 1; print "a", $2 + 1, $1 + 1, 1 }' zero.txt; } >graph.gr
{ echo 'p tw 6 4'; awk '{ print $1 + 1, $2 + 1 }' zero.txt; } >graph.pace
{ echo 6,4,u,six,2,Int64,simplegraph; awk '{ print $1 + 1 "," $2 + 1 }' zero.txt; } >graph.lg
awk '{ print $1 + 1, $2 + 1 }' zero.txt >graph.pairs
{ printf '\223NUMPY\1\0v\0%-117s\n' "{'descr': '<i4', 'fortran_order': False, 'shape': (4, 2), }" &&
    edgeconv -q -t u32 -o - graph.pairs; } >graph.npy
options_of() { # FORMAT
    case $1 in
    gr) echo --direction symmetric ;;
    pairs | npy) echo -u --one-based --vertices 6 ;;
    *) echo -u -f "$1" ;;
    esac
}
"$oracle" -n 7 -o want0 graph.pairs 4 && sed 1d want0 | tr ' ' '\t' >want # the oracle counts from 0, and there is no vertex 0
parents=$'1,2 2,3 3,4 4,4 5,-1 6,2 '

for format in mtx metis gr pace lg pairs npy; do
    for randomize in '' --randomize=3; do
        case $format$randomize in gr--* | pace--* | lg--* | npy--*) continue ;; esac
        name=$format$randomize
        # shellcheck disable=SC2046 # words
        check_exit 0 "$name is converted" edgeconv -q $(options_of $format) $randomize --force -o graph.edges graph.$format
        check_exit 0 "$name is packed" dbfs-pack -q -p 2 -t 1 --force -o graph.dbfs graph.edges
        check_exit 0 "$name is searched from vertex 4" traverse -r 4 --force --depths d%d.tsv --parents p%d.csv graph.dbfs
        check "$name: -r and text have the ids of the file" cmp want d4.tsv
        check "$name: parents have the ids of the file" test "$(sed 1d p4.csv | tr '\n' ' ')" = "$parents"
        check "$name: reports have the ids of the file" grep -q '^root 4 .* levels 4 reached 5 ' out
        for graph in graph.edges graph.dbfs; do
            check_exit 0 "$name: dbfs-check of $graph takes the ids of the file" dbfs-check -r 4 --depths d%d.tsv --parents p%d.csv $graph
            check "$name: dbfs-check of $graph prints the ids of the file" grep -q '^root 4 levels 4 reached 5 ' out
        done
        check_exit 0 "$name: dbfs-check finds the root by itself" dbfs-check --depths d4.tsv graph.edges
        check "$situation: is vertex 4" grep -q '^root 4 ' out
    done
done

# ---- results of all kinds, of the last of these graphs ----

traverse -q -r 4 --depths d.npy --parents p.raw --list-reached near.csv --json json --trace trace graph.dbfs >/dev/null
check 'an array of depths counts vertices from 0' test "$(tail -c 24 d.npy | od -An -v -td4 | tr -s ' \n' ' ')" = ' 3 2 1 0 -1 3 '
check 'an array of parents counts vertices from 0' test "$(od -An -v -td4 p.raw | tr -s ' \n' ' ')" = ' 1 2 3 3 -1 1 '
check_exit 0 'dbfs-check of arrays' dbfs-check -r 4 --depths d.npy --parents p.raw graph.edges
check '--list-reached has the ids of the file' test "$(lines near.csv)" = 'id,distance 4,0 3,1 2,2 1,3 6,3 '
check '--json has the ids of the file, and says where they begin' grep -q '"base": 1' json
check '--json has the root as it is in the file' grep -q '"root": 4,' json
check '--trace has the root as it is in the file' grep -q '^{"root": 4,' trace
printf '4\n2\n' >roots
check_exit 0 '--roots-from' traverse -q --roots-from roots --depths both.csv graph.dbfs
check '--roots-from takes the ids of the file' test "$(grep -c -e ^4,4,0 -e ^2,2,0 both.csv)" = 2
check_exit 0 'three ranks' "$MPIEXEC" -n 2 dbfs-traverse --backend cpu -@ 1 -q -r 4 --force --depths d4.tsv graph.dbfs
check 'several ranks write the ids of the file' cmp want d4.tsv
check_exit 0 '--together' traverse -r 1,4 --together --depths together.tsv --nearest nearest.tsv --force --json json graph.dbfs
check '--together and --nearest have the ids of the file' test "$(lines together.tsv)$(lines nearest.tsv)" = \
    '1,0 2,1 3,1 4,0 5,-1 6,2 1,1 2,1 3,4 4,4 5,-1 6,1 '
check '--json has all roots of --together as they are in the file' grep -q '"roots": \[1, 4\]' json
check_exit 0 'dbfs-check --together' dbfs-check -r 4,1 --together --depths together.tsv --nearest nearest.tsv graph.edges
check_exit 0 '--serve' bash -c 'printf "3\n0\n" | "$@"' - dbfs-traverse --backend cpu --serve --depths s%d.tsv graph.dbfs
check '--serve takes roots from 0' test "$(grep -c -e '^root 3 ' -e '^root 0 ' out)" = 2
check '--serve writes text from 0' test "$(head -1 s0.tsv)" = "$(printf '0\t0')"
check_exit 0 '--base 0' traverse -q -r 3 --base 0 --force --depths z%d.tsv graph.dbfs
check '--base 0 counts from 0 what the shards count from 1' test "$(lines z3.tsv)" = '0,3 1,2 2,1 3,0 4,-1 5,3 '
check_exit 0 'dbfs-check --base 0' dbfs-check --base 0 -r 3 --depths z3.tsv graph.dbfs
check_exit 2 '--serve --base 1' dbfs-traverse --serve --base 1 --depths s%d.tsv graph.dbfs
check_says 'serve and --base 1 exclude each other'

# ---- ids that the file does not have ----

for root in 0 7; do
    check_exit 2 "root $root" traverse -r $root graph.dbfs
    check_says "root $root: the graph has vertices 1 to 6"
    check_exit 2 "dbfs-check, root $root" dbfs-check -r $root --depths d4.tsv graph.dbfs
    check_says "root $root: the graph has vertices 1 to 6"
    check_exit 2 "dbfs-paths, target $root" dbfs-paths -r 1 --target $root graph.dbfs
    check_says "target $root: the graph has vertices 1 to 6"
    check_exit 2 "dbfs-batch, target $root" dbfs-batch -r 1 -t $root --depths - graph.dbfs
    check_says "target $root: the graph has vertices 1 to 6"
done
check_exit 3 'dbfs-check of results that begin at 0' dbfs-check -r 4 --depths z3.tsv graph.edges
check_says "z3.tsv:1: not '1 VALUE'.* as ids of the graph begin at 1"
check_exit 3 'dbfs-check of results that begin at 1, where the graph begins at 0' dbfs-check --base 0 -r 3 --depths d4.tsv graph.edges
check_says "d4.tsv:1: not '0 VALUE'"
sed 's/\t3$/\t1/' d4.tsv >wrong.tsv
check_exit 4 'dbfs-check of wrong results' dbfs-check -r 4 --depths wrong.tsv graph.edges
check_says 'wrong.tsv: edge 1 2: depths 1 and 2\|wrong.tsv: vertex 1: depth 1, and no neighbour has depth 0'
sed 's/^1,2$/1,0/' p4.csv >wrong.csv
check_exit 4 'dbfs-check of a parent 0' dbfs-check -r 4 --parents wrong.csv graph.edges
check_says 'wrong.csv:2: vertex 1: 0 is no parent, as ids begin at 1'

# ---- the other programs ----

check_exit 0 'dbfs-paths' dbfs-paths -r 1 --target 4 --path --force --json json graph.dbfs
check 'dbfs-paths prints the ids of the file' grep -qx '1	4	3	1	2	3	4' out
check 'dbfs-paths --json has the ids of the file' grep -q '"source": 1, "target": 4, .*"path": \[1, 2, 3, 4\]' json
printf '1 4\n6 2\n' >pairs
check_exit 0 'dbfs-paths --pairs' dbfs-paths --pairs pairs graph.dbfs
check '--pairs takes the ids of the file' test "$(lines out)" = '1,4,3 6,2,1 '
check_exit 0 'dbfs-batch' dbfs-batch -r 4,2 --centrality c.tsv --depths b.csv --parents bp%d.tsv --reached ball.tsv --hops hops.tsv graph.dbfs
check 'dbfs-batch prints the ids of the file' test "$(grep -c -e '^root 4 levels 4' -e '^root 2 levels 3' out)" = 2
check '--centrality has the ids of the file' test "$(cut -f 1 c.tsv | tr '\n' ' ')" = '4 2 '
check 'distances of several roots have the ids of the file' test "$(grep -c -e ^root,id -e ^4,4,0 -e ^2,2,0 -e ^4,1,3 b.csv)" = 4
check 'parents of a batch have the ids of the file' test "$(lines bp4.tsv)" = "$parents"
check '--reached has the ids of the file' test "$(grep -c '^4	' ball.tsv) $(head -1 ball.tsv)" = '5 4	4	0'
check '--hops has the ids of the file' test "$(head -1 hops.tsv)" = '4	0	1'
printf '1\n5\n' >targets
check_exit 0 '--targets' dbfs-batch -q -r 4 --targets targets --depths - graph.dbfs
check '--targets takes and gives the ids of the file' test "$(lines out)" = '4,1,3 4,5,-1 '
check_exit 0 '-n all' dbfs-batch -q -n all --centrality - graph.dbfs
check '-n all: roots have the ids of the file' test "$(cut -f 1 out | tr '\n' ' ')" = '1 2 3 4 6 '
check_exit 0 '--sample' dbfs-batch -q --sample 9 --centrality - graph.dbfs
check '--sample: vertices have the ids of the file' test "$(cut -f 1 out | tr '\n' ' ')" = '1 2 3 4 6 '
check_exit 0 '--resume' bash -c 'dbfs-batch -q -r 4,2 --centrality whole.tsv graph.dbfs && cmp whole.tsv c.tsv'
check_exit 0 'dbfs-components' dbfs-components -q -o - --largest largest.edges graph.edges
check 'dbfs-components has the ids of the file' test "$(lines out)" = '1,0 2,0 3,0 4,0 5,1 6,0 '
check 'dbfs-components --largest keeps where ids begin' test "$(edgeconv -q --original-ids -t text largest.edges | sort | tr '\n\t' ' ,')" = '1,2 2,3 2,6 3,4 '
check_exit 0 'dbfs-diameter' dbfs-diameter -q -r 3 --all ecc.tsv --force --json json graph.dbfs
check 'dbfs-diameter has the ids of the file' test "$(lines ecc.tsv)" = '1,3 2,2 3,2 4,3 5,-1 6,3 '
check 'dbfs-diameter --json has the ids of the file' grep -qE '"from": [146], "to": [146]' json
check_exit 0 'dbfs-graph500' dbfs-graph500 -n 5 graph.dbfs
check 'dbfs-graph500 has roots as they are in the file' test "$(sed -n 's/^root \([0-9]*\) .*/\1/p' out | sort | tr '\n' ' ')" = '1 2 3 4 6 '
dbfs-pack -q --layout 2d=1x2 --force -o grid.dbfs graph.edges
check_exit 0 'dbfs-traverse-2d' "$MPIEXEC" -n 2 dbfs-traverse-2d -q -r 4 --force --depths d4.tsv grid.dbfs
check 'dbfs-traverse-2d has the ids of the file' cmp want d4.tsv

# ---- names have no base: line k + 1 of a map is vertex k ----

check_exit 0 'names of a file from 1' edgeconv -q -u --compact=map --force -o named.edges graph.pairs
dbfs-pack -q -o named.dbfs named.edges
check_exit 0 'a search by name' traverse -q -r 4 --map map --depths named.tsv named.dbfs
check 'names are the ids of the file' test "$(sort named.tsv | tr '\n\t' ' ,')" = '1,3 2,2 3,1 4,0 6,3 '
finish
