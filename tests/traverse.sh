#!/bin/bash
# traverse.sh short|long [directed]: distances and parents are the oracle's, over graphs, p, R x G, TH, directions and
# exchange options. With `directed` a line of a graph is an edge from its first id to its second, and searches also go
# against the edges.
#
# On graphs of small diameter each pair of option values occurs in some run, and short mode takes a sample of these
# runs. Graphs of large diameter run with R <= 2, since an allreduce between many ranks on few cores takes
# milliseconds. All configurations of a graph must give the same checksum of distances.
set -u
in_memory_mib=$([ "${1:-}" = long ] && echo 8192 || echo 1024)
. tests/lib.sh
mode=${1:-short}
edges=${2:-undirected}
convert=(-u) arcs=()
[ "$edges" = undirected ] || { convert=(--direction directed) arcs=(-d); }

layouts='1x1 1x2 2x1 1x3 3x1 1x4 2x2 4x1 1x7 7x1 1x8 2x4 4x2 8x1' # ranks x shards per rank
long_layouts='1x1 1x2 2x1 1x3 2x2 1x7 1x8 2x4'

parameters() { # LAYOUTS
    cat <<END
layout $1
th 0 memory inf
direction auto push pull
reduction blocking nonblocking
memory auto host
form auto list bits
l none --local-all2all
u none --uniquify
chunk 4M 64
threads 1 2
encoding packed raw
resident raw packed
END
    [ "$edges" = undirected ] || echo 'reverse none --reverse'
}
parameters "$layouts" | awk -f tests/pairs.awk >"$tmp/pairs"
parameters "$long_layouts" | awk -f tests/pairs.awk >"$tmp/long_pairs"

# pack_graph P TH ENCODING: prints the folder of $edges for P shards
pack_graph() {
    local dir=$work/pack-$1-$2-$3
    if [ ! -e "$dir/manifest" ]; then
        local th=
        if [ "$2" = memory ]; then th="--suggest memory"; else th="-t $2"; fi
        "$BIN/dbfs-pack" -q -p "$1" $th --encoding "$3" -o "$dir" "$work/edges" 2>"$work/pack.err" ||
            { cat "$work/pack.err"; return 1; }
    fi
}

# run_config LAYOUT TH DIRECTION REDUCTION MEMORY FORM L U CHUNK THREADS ENCODING RESIDENT [REVERSE]
run_config() {
    local ranks=${1%x*} shards=${1#*x} options="--exchange-memory $5 --exchange-form $6 --resident ${12}"
    local p=$((ranks * shards)) text=$work/text
    if [ "${13:-none}" != none ]; then
        options="$options ${13}"
        text=$work/reversed
    fi
    [ "$7" = none ] || options="$options $7"
    [ "$8" = none ] || options="$options $8"
    pack_graph "$p" "$2" "${11}" || return 1
    rm -f "$work"/depths.* "$work"/parents.*
    "$MPIEXEC" -n "$ranks" "$BIN/dbfs-traverse" -q -@ "${10}" -g "$shards" --direction "$3" \
        --reduction "$4" --chunk "$9" $options -r "$roots" --depths "$work/depths.%d.txt" \
        --parents "$work/parents.%d.txt" "$work/pack-$p-$2-${11}" >"$work/out" 2>"$work/err" ||
        { cat "$work/err"; return 1; }
    for root in ${roots//,/ }; do
        cmp -s "$work/depths.$root.txt" "$text-oracle.$root.txt" ||
            { echo "depths from $root differ"; return 1; }
        "$TESTS/treecheck" "${arcs[@]}" "$text" "$root" "$work/depths.$root.txt" \
            "$work/parents.$root.txt" || return 1
    done
    local checksum
    checksum=$(sed -n 's/^distance_checksum: //p' "$work/out")
    [ -n "$checksum" ] || { echo "no checksum"; return 1; }
    [ -s "$text-checksum" ] || echo "$checksum" >"$text-checksum"
    [ "$checksum" = "$(cat "$text-checksum")" ] || { echo "another checksum: $checksum"; return 1; }
}

# check_graph NAME ROOTS SHARE PAIRS: tests the graph whose text is $tmp/text with each SHARE-th line. Lines follow
# those that the last graph took, and the first line follows the last one.
declare -A taken
check_graph() {
    local name=$1 pairs=$4 line lines wanted number=-1 ran=0 bad=0 first
    lines=$(wc -l <"$pairs")
    wanted=$(((lines + $3 - 1) / $3))
    roots=$2
    work=$tmp/graph
    first=$((${taken[$pairs]:-0} % lines))
    taken[$pairs]=$((first + wanted))
    rm -rf "$work"
    mkdir "$work"
    mv "$tmp/text" "$work/text"
    awk '!/^#/ { print $2, $1 }' "$work/text" >"$work/reversed"
    if ! "$BIN/edgeconv" -q "${convert[@]}" --force -o "$work/edges" "$work/text" 2>"$work/err" ||
        ! "$TESTS/oracle" "${arcs[@]}" -o "$work/text-oracle.%d.txt" "$work/text" "$roots" >"$work/oracle" 2>>"$work/err" ||
        ! "$TESTS/oracle" "${arcs[@]}" -o "$work/reversed-oracle.%d.txt" "$work/reversed" "$roots" >>"$work/oracle" 2>&1; then
        fail "$name: conversion or oracle"
        cat "$work/err"
        return
    fi
    while read -r line; do
        number=$((number + 1))
        [ $(((number - first + lines) % lines)) -lt $wanted ] || continue
        ran=$((ran + 1))
        if ! run_config $line >"$work/why" 2>&1 </dev/null; then
            bad=$((bad + 1))
            echo "    $name: $line: $(head -c 600 "$work/why")"
        fi
    done <"$pairs"
    if [ "$bad" = 0 ]; then
        pass "$name: $ran configurations, distances and parents agree"
    else
        fail "$name: $bad of $ran configurations"
    fi
}

# short mode takes fewer lines than the shares below say, as a search of many ranks takes half a second on few cores
every() { if [ "$mode" = long ]; then echo 1; else echo $(($1 * 3 / 2)); fi; }

make_text() { "$TESTS/mkgraph" "$@" >"$tmp/text"; }

# prints three vertices, from the start, the middle and the end of a graph's edges
some_roots() {
    "$TESTS/mkgraph" "$@" | awk '!/^#/ { v[n++] = $1 } END {
        split(v[0] " " v[int(n / 2)] " " v[n - 1], pick)
        for (i = 1; i <= 3; i++) if (!(pick[i] in seen)) { seen[pick[i]]; printf "%s%s", (i > 1 ? "," : ""), pick[i] }
    }'
}

small() { check_graph "$1" "$2" "$(every "$3")" "$tmp/pairs"; }
deep() { check_graph "$1" "$2" "$(every "$3")" "$tmp/long_pairs"; }

real() { # FILE ROOTS SHARE: edgeconv reads the file itself, and the oracle reads the text that edgeconv writes
    if [ ! -e "$DATA/$1" ]; then
        skip "$1: not here"
        return
    fi
    case $1 in
    *.xz) xz -dc "$DATA/$1" | "$BIN/edgeconv" -q "${convert[@]}" -t text --force -o "$tmp/text" - ;;
    *) "$BIN/edgeconv" -q "${convert[@]}" -t text --force -o "$tmp/text" "$DATA/$1" ;;
    esac 2>"$tmp/err" || { fail "$1: edgeconv: $(head -3 "$tmp/err")"; return; }
    "$4" "$1" "$2" "$3"
}

if [ "$edges" = directed ]; then
    "$BIN/rmatgen" -q -s 14 -f text --force -o "$tmp/text" && small 'directed RMAT scale 14' 0,7,4242 10
    "$BIN/rmatgen" -q -s 12 -e 4 -f text --force -o "$tmp/one-way" &&
        awk '{ print $1, $2; if (NR % 2) print $2, $1 }' "$tmp/one-way" >"$tmp/text" &&
        small 'half of the edges in both directions' 0,7,1001 14
    make_text star 20000 && small 'star, from hub to leaves' 0,19999 16
    "$TESTS/mkgraph" star 20000 | awk '!/^#/ { print $2, $1 }' >"$tmp/text" && small 'star, from leaves to hub' 0,19999 16
    make_text components && small 'components, isolated vertices, gaps' "$(some_roots components)" 16
    make_text multi 3000 9000 7 && small 'self-loops and multi-edges' "$(some_roots multi 3000 9000 7)" 14
    make_text twostars 5000 && small 'two hubs' 0,2,5001 16
    make_text complete 200 && small 'from smaller ids to larger ones' 0,100,199 16
    awk 'BEGIN { for (i = 0; i < 3000; i++) print i, (i + 1) % 3000 }' >"$tmp/text" && deep 'ring of 3,000' 0,1500 24
    make_text path 5000 && deep 'path of 5,000' 0,2500,4999 24
    make_text grid 40 50 && small 'grid 40 x 50' 0,1025 16
    make_text tree 12 && small 'binary tree' 0,8190 16
    printf '0 0\n' >"$tmp/text" && small 'one self-loop, no edge' 0 24
    printf '3 5\n' >"$tmp/text" && small 'one edge, isolated vertices' 3,0,5 24
    real wiki-Vote.txt.gz 3,30,2565 16 small
    real soc-Epinions1.txt.gz 0,18 36 small
    real cage10.mtx.gz 0,11396 36 small
    real web-NotreDame.txt.gz 0,1000 60 small
    finish
fi

scale=14 length=2500
[ "$mode" = short ] || scale=16 length=10000
"$BIN/rmatgen" -q -s $scale -f text --force -o "$tmp/text" && small "RMAT scale $scale" 0,7,4242 16
"$BIN/rmatgen" -q -s $scale -A .25 -B .25 -C .25 -f text --force -o "$tmp/text" && small "uniform scale $scale" 1,$(((1 << scale) - 1)) 20
make_text star 20000 && small 'star' 0,19999 14
make_text components && small 'components, isolated vertices, gaps' "$(some_roots components)" 12
make_text multi 3000 9000 7 && small 'self-loops and multi-edges' "$(some_roots multi 3000 9000 7)" 12
make_text twostars 5000 && small 'two hubs with all leaves' 0,2,5001 12
make_text complete 200 && small 'complete graph' 0,199 12
make_text bipartite 40 3000 && small 'bipartite' 0,3039 12
make_text tree 12 && small 'binary tree' 0,8190 12
make_text grid 40 50 && small 'grid 40 x 50' 0,1025 12
printf '0 0\n' >"$tmp/text" && small 'one self-loop, no edge' 0 16
printf '3 5\n' >"$tmp/text" && small 'one edge, isolated vertices' 3,0,5 16

make_text path $length && deep "path of $length" 0,$((length / 2)) 16
make_text grid 300 300 && deep 'grid 300 x 300' 0,45150 16
make_text path 200 && printf '8x1 memory auto blocking auto auto none none 4M 1 packed packed\n' >"$tmp/one" &&
    check_graph 'path of 200 with 8 ranks' 0 1 "$tmp/one"

# most rows are equally long; or their degrees say so, though one of the edges occurs twice
for threads in 1 2; do
    echo "1x1 inf auto blocking auto auto none none 4M $threads raw raw"
    echo "1x1 inf push blocking auto auto none none 4M $threads packed packed"
done >"$tmp/alone"
{ "$TESTS/mkgraph" grid 100 100; printf '5050 %d\n' 0 17 9999 777; } >"$tmp/text" &&
    check_graph 'grid 100 x 100 with a hub' 0,5050,9999 1 "$tmp/alone"
{ "$TESTS/mkgraph" grid 100 100; printf '20 21\n'; } >"$tmp/text" &&
    check_graph 'grid 100 x 100 with an edge twice' 0,5050,9999 1 "$tmp/alone"

# real graphs that ship, and those beside a checkout
grep -v '^#' datasets/wordnet-3.0.txt >"$tmp/text" && small 'WordNet' 0,46302 20
grep -v '^#' datasets/usa-road-NY.txt >"$tmp/text" && deep 'USA-road NY' 0 16

real facebook_combined.txt.gz 0,107 22 small
real wiki-Vote.txt.gz 3,30,2565 20 small
real soc-Epinions1.txt.gz 0,18 20 small
real deezer_HU_edges.csv.gz 0,100 20 small
real cage10.mtx.gz 0,11396 18 small
real 4elt.graph 0 20 small
real web-NotreDame.txt.gz 0,1000 25 small
real mdual.graph.gz 0 36 small
real actor-collaboration.txt.xz 0 45 small
real usa-road-FLA.gr.xz 0 64 deep
finish
