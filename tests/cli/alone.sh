#!/bin/bash
# alone.sh: searches of one process over one shard, which a device runs by itself: distances and parents
# against the oracle, on graphs of many shapes, with several thresholds, directions and numbers of threads;
# and beside the level loop, its twin.
set -u
in_memory_mib=1024
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

# Without parents a search has loops of its own. Its result is compared by the checksum.
bare() {
    $traverse -q -r "$roots" "$@" "$work/graph" >"$work/out" 2>"$work/err" || { cat "$work/err"; return 1; }
    sed -n 's/^distance_checksum: //p' "$work/out" >>"$work/checksums"
}

settings() { # each way to search a packed graph
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

graphs=0
thresholds() { # short mode takes one of them by turns
    if [ "${TEST_MODE:-short}" = long ]; then echo 0 suggested inf
    else
        set -- 0 suggested inf
        shift $((graphs % 3)) && echo "$1"
    fi
}
check_graph() { # NAME ROOTS: the graph whose text is $tmp/text
    local th bad=0
    roots=$2
    graphs=$((graphs + 1))
    work=$tmp/alone
    rm -rf "$work"
    mkdir "$work"
    mv "$tmp/text" "$work/text"
    "$BIN/edgeconv" -q -u -o "$work/edges" "$work/text" 2>"$work/err" &&
        "$TESTS/oracle" -o "$work/oracle.%d" "$work/text" "$roots" >"$work/out" 2>>"$work/err" ||
        { fail "$1: conversion or oracle: $(cat "$work/err")"; return; }
    for th in $(thresholds); do
        rm -rf "$work/graph"
        "$BIN/dbfs-pack" -q -p 1 $([ $th = suggested ] || echo "-t $th") -o "$work/graph" "$work/edges" &&
            settings >"$work/why" 2>&1 || { bad=1; echo "    $1, TH $th: $(head -c 600 "$work/why")"; }
    done
    check "$1: distances and parents agree" test $bad = 0
    check "$1: $(wc -l <"$work/checksums") searches have one checksum" \
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

# ---- as many threads as -@ says, on graphs that are large enough for 16 ----

# A search takes only as many threads as pay off (useful_threads in traverse/cpu/cpu_open.c), and starts no more of them
# than there are cores (thread_pool.c). So 16 cores are pretended, except where a test wants more threads than cores.
pretend=$(realpath "$TESTS/pretend.so")
on_cores() { # COUNT FUNCTION ARGUMENT...: calls the function, with COUNT cores pretended if it is a number, and notes the threads that start
    local cores=${1:+PRETENDED_CORES=$1} plain=$traverse failed=0
    shift
    rm -f "$work/started"
    traverse="env LD_PRELOAD=$pretend $cores PRETENDED_THREADS=$work/started $plain"
    "$@" || failed=1
    traverse=$plain
    return $failed
}
# the number of threads that searched: those that the program started, without OpenMP's, and the first one. libgomp may be a part of the
# program; all its threads begin in one function.
openmp=$(nm "$BIN/dbfs-traverse" 2>/dev/null | awk '$3 == "gomp_thread_start" { print $1 }')
searching() {
    cat "$work/started" 2>/dev/null | awk -v openmp="$openmp" '$1 == "dbfs-traverse" && $2 != openmp { n++ } END { print n + 1 }'
}
# useful THREADS EDGES [CORES]: how many of THREADS threads search a shard of EDGES directed edges
useful() {
    local most=$((1 + ($2 >= 32768) + $2 / 131072)) cores=${3:-$1}
    local threads=$(($1 < cores ? $1 : cores))
    echo $((threads < most ? threads : most))
}
with_threads() { # CORES THREADS EDGES
    local way most=$(useful "$2" "$3" "${1:-$(nproc)}")
    for way in 'search parents' bare; do
        on_cores "$1" $way -@ "$2" || return 1
        [ "$(searching)" = "$most" ] || { echo "-@ $2: $(searching) threads, not $most"; return 1; }
    done
}
# check_packed MOST EDGES TH: packs $work/edges into one shard and into two, and searches with several numbers of
# threads. MOST threads must search with -@ 16. TH may be empty.
check_packed() {
    local bad=0 threads
    rm -rf "$work/graph" "$work/checksums"
    "$BIN/dbfs-pack" -q -p 1 ${3:+-t $3} -o "$work/graph" "$work/edges"
    for threads in 1 2 3 16; do
        with_threads 16 $threads "$2" || bad=1
    done
    with_threads '' 40 "$2" || bad=1
    rm -r "$work/graph"
    "$BIN/dbfs-pack" -q -p 2 ${3:+-t $3} -o "$work/graph" "$work/edges"
    for threads in 3 16; do
        on_cores 16 search 'two shards' -g 2 -@ $threads || bad=1
    done
    [ "$(useful 16 "$2")" = "$1" ] || { echo "-@ 16: $(useful 16 "$2") threads, not $1"; bad=1; }
    [ "$(sort "$work/checksums" | uniq -c | awk '{ print $1 }')" = 12 ] || { echo 'other checksums'; bad=1; }
    return $bad
}
# check_threads NAME ROOTS MOST [TH...]: check_packed for the graph whose text is $tmp/text, with each TH
check_threads() {
    local name=$1 most=$3 edges th
    roots=$2
    work=$tmp/threads
    shift 3
    rm -rf "$work"
    mkdir "$work"
    mv "$tmp/text" "$work/text"
    "$BIN/edgeconv" -q -u -o "$work/edges" "$work/text" && "$TESTS/oracle" -o "$work/oracle.%d" "$work/text" "$roots" &&
        "$BIN/dbfs-pack" -q -p 1 -o "$work/graph" "$work/edges" || { fail "$name: no graph"; return; }
    edges=$(awk '/^edges-/ { sum += $2 } END { print sum }' "$work/graph/manifest")
    for th in "${@:-}"; do
        check "$name, TH ${th:-suggested}, $edges edges: 1, 2, 3, 16 and 40 threads, and of 16 search $most" \
            check_packed "$most" "$edges" "$th"
    done
}
make_text path 3000 && check_threads 'path of 3,000' 0 1
make_text grid 150 150 && check_threads 'grid 150 x 150' 0 2
make_text grid 700 700 && check_threads 'grid 700 x 700' 350 16
"$BIN/rmatgen" -q -s 16 -A .25 -B .25 -C .25 -f text -o "$tmp/text" && check_threads 'uniform scale 16' 1 16
if [ -e "$DATA/web-NotreDame.txt.gz" ]; then
    "$BIN/edgeconv" -q -u -t text -o "$tmp/text" "$DATA/web-NotreDame.txt.gz" && check_threads web-NotreDame 0 16
else
    skip "web-NotreDame: not in $DATA"
fi
"$BIN/rmatgen" -q -s 16 -e 18 -f text -o "$tmp/text" && check_threads 'RMAT scale 16' 1,7 16 $([ "${TEST_MODE:-short}" = short ] && echo 64 || echo 0 64 inf)
"$BIN/dbfs-pack" -q -p 1 --force -o "$work/graph" "$work/edges"
"$BIN/edgeconv" -q -u -o "$work/roads" datasets/usa-road-NY.txt && "$BIN/dbfs-pack" -q -p 1 -o "$work/roads.packed" "$work/roads"
few_levels() { $traverse -q --no-check --backend cpu -r 0 --max-depth 3 -@ 16 "$work/roads.packed"; }
check_exit 0 'a search of roads with 16 threads' on_cores 16 few_levels
check "$situation: has all of them, as roads are searched in rounds" test "$(searching)" = 16
for cores in 1 3 16; do
    check_exit 0 "a search on $cores cores" on_cores $cores bare
    check "$situation: has a thread on each core" test "$(searching)" = $cores
done
finish
