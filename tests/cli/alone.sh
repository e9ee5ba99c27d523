#!/bin/bash
# alone.sh: searches of one process over one shard, which a device runs by itself: distances and parents
# against the oracle, on graphs of many shapes, with several thresholds, directions and numbers of threads;
# and beside the level loop, its twin.
set -u
. tests/lib.sh
traverse="$BIN/dbfs-traverse --backend cpu"

# search NAME OPTION...: distances and parents of every root
search() {
    local name=$1 root
    shift
    rm -f "$work"/depths.* "$work"/parents.*
    $traverse -q -r "$roots" "$@" --depths "$work/depths.%d" --parents "$work/parents.%d" \
        "$work/graph" >"$work/out" 2>"$work/err" || { cat "$work/err"; return 1; }
    for root in ${roots//,/ }; do
        cmp -s "$work/depths.$root" "$work/oracle.$root" || { echo "$name: depths from $root"; return 1; }
        "$TESTS/treecheck" "$work/text" "$root" "$work/depths.$root" "$work/parents.$root" || return 1
    done
    sed -n 's/^distance_checksum: //p' "$work/out" >>"$work/checksums"
}

# The same without parents, which has loops of its own: the checksum tells.
bare() {
    $traverse -q -r "$roots" "$@" "$work/graph" >"$work/out" 2>"$work/err" || { cat "$work/err"; return 1; }
    sed -n 's/^distance_checksum: //p' "$work/out" >>"$work/checksums"
}

settings() { # every way through a graph that is packed
    local threads direction
    for threads in 1 2 3 16; do
        search "$threads threads" -@ "$threads" && bare -@ "$threads" || return 1
    done
    search 'no room for bins' -@ 16 -S 24M || return 1
    for direction in push pull; do
        search "$direction" -@ 2 --direction $direction && bare -@ 1 --direction $direction || return 1
    done
    bare -@ 2 -v && bare -@ 2 --factor0 nn=0.1,nd=0.1,dn=0.1,dd=0.1
}

check_graph() { # NAME ROOTS: the graph whose text is $tmp/text
    local th bad=0
    roots=$2
    work=$tmp/alone
    rm -rf "$work"
    mkdir "$work"
    mv "$tmp/text" "$work/text"
    "$BIN/edgeconv" -q -u -o "$work/edges" "$work/text" 2>"$work/err" &&
        "$TESTS/oracle" -o "$work/oracle.%d" "$work/text" "$roots" >"$work/out" 2>>"$work/err" ||
        { fail "$1: conversion or oracle: $(cat "$work/err")"; return; }
    for th in 0 suggested inf; do
        rm -rf "$work/graph"
        "$BIN/dbfs-pack" -q -p 1 $([ $th = suggested ] || echo "-t $th") -o "$work/graph" "$work/edges" &&
            settings >"$work/why" 2>&1 || { bad=1; echo "    $1, TH $th: $(head -c 600 "$work/why")"; }
    done
    check "$1: distances and parents agree" test $bad = 0
    check "$1: one checksum of $(wc -l <"$work/checksums") searches" \
        test "$(sort -u "$work/checksums" | wc -l)" = 1
}

make_text() { "$TESTS/mkgraph" "$@" >"$tmp/text"; }

"$BIN/rmatgen" -q -s 14 -f text -o "$tmp/text" && check_graph 'RMAT scale 14' 0,7,4242
"$BIN/rmatgen" -q -s 14 -A .25 -B .25 -C .25 -f text -o "$tmp/text" && check_graph 'uniform scale 14' 1,16383
make_text star 60000 && check_graph star 0,59999
make_text twostars 25000 && check_graph 'two hubs with all leaves' 0,2,25001
make_text bipartite 40 3000 && check_graph bipartite 0,3039
make_text tree 15 && check_graph 'binary tree' 0,65534
make_text path 3000 && check_graph 'path of 3,000' 0,1500
make_text grid 150 150 && check_graph 'grid 150 x 150' 0,11175
printf '3 5\n' >"$tmp/text" && check_graph 'one edge, isolated vertices' 3,0,5
grep -v '^#' datasets/wordnet-3.0.txt >"$tmp/text" && check_graph WordNet 0,46302
finish
