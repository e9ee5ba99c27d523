#!/bin/bash
# bench-prepare.sh: generating, converting and packing beside other programs, and checking results, on one
# graph in one run.
#
#   GAPBS=/path/to/gapbs GRAPH500=/path/to/graph500_reference_bfs scripts/bench-prepare.sh [SCALE [ROUNDS]]
#
# The user builds the peers, outside this repository; a peer that is not named is left out. All files
# lie in a memory-backed folder. Programs take turns, ROUNDS times. A pause of PAUSE seconds precedes
# each run, since a virtual machine's host may take back the memory of one program while the next runs.
# The last lines have the medians. The time of packing does not include that of synchronising files,
# which stands beside it.
set -euo pipefail
cd "$(dirname "$0")/.."
scale=${1:-22}
rounds=${2:-5}
pause=${PAUSE:-3}
. scripts/bench-lib.sh
TIMEFORMAT=%R

# took COMMAND...: prints the seconds that it ran; its output goes to $work/said
took() {
    sleep "$pause"
    { time "$@" >"$work/said" 2>&1; } 2>&1
}
rate() { awk -v n="$1" -v t="$2" 'BEGIN { printf "%.1f", n / t / 1e6 }'; }
# note KEY SECONDS keeps a time; median KEY prints the median of those kept
note() { echo "$2" >>"$work/noted.$1"; }
median() {
    sort -g "$work/noted.$1" |
        awk '{ a[NR] = $1 } END { printf "%.3f", (a[int((NR + 1) / 2)] + a[int(NR / 2) + 1]) / 2 }'
}
# versus WHAT OURS PEER THEIRS: prints the medians of two keys and their ratio
versus() {
    local ours theirs
    ours=$(median "$2") theirs=$(median "$4")
    echo "medians: $1 $ours s, $3 $theirs s; dbfs is $(ratio "$theirs" "$ours") times as fast"
}

"$bin/rmatgen" -q -s "$scale" --force -o "$work/edges"
edges=$("$bin/edgeconv" -q -t text "$work/edges" | tee "$work/graph.el" | wc -l)
gzip -1 -c "$work/graph.el" >"$work/graph.el.gz"

for round in $(seq "$rounds"); do
    t=$(took "$bin/rmatgen" -q -s "$scale" --force -o "$work/made")
    note rmat "$t"
    echo "round $round: rmatgen: $t s, $(rate "$edges" "$t") M edges/s"
    t=$(took "$bin/rmatgen" -q --graph500 -s "$scale" --force -o "$work/made")
    note kronecker "$t"
    echo "round $round: rmatgen --graph500: $t s, $(rate "$edges" "$t") M edges/s"
    rm "$work/made"
    if [ -n "${GRAPH500:-}" ]; then
        took env SKIP_BFS=1 "$mpiexec" -n 2 "$GRAPH500" "$scale" 16 >/dev/null
        t=$(sed -n 's/^graph_generation: *//p' "$work/said")
        note reference "$t"
        echo "round $round: Graph500 reference, 2 ranks: graph generation $t s"
    fi
    t=$(took wc -l "$work/graph.el")
    note lines "$t"
    echo "round $round: wc -l: $t s"
    t=$(took "$bin/edgeconv" -q -u --force -o "$work/made" "$work/graph.el")
    note text "$t"
    echo "round $round: edgeconv from text: $t s, $(rate "$edges" "$t") M edges/s"
    t=$(took sh -c 'gzip -dc "$0" >/dev/null' "$work/graph.el.gz")
    note inflate "$t"
    t=$(took "$bin/edgeconv" -q -u --force -o "$work/made" "$work/graph.el.gz")
    note gzip "$t"
    echo "round $round: edgeconv from gzip: $t s"
    rm "$work/made"
    sleep "$pause"
    "$bin/dbfs-pack" -v -p 1 -o "$work/shards" "$work/edges" 2>"$work/said"
    t=$(sed -n 's/.* shards in \([0-9.]*\) s and fsync.*/\1/p' "$work/said")
    note pack "$t"
    sed -n "s/^dbfs-pack: \(.* shards in .*\)/round $round: dbfs-pack: \1/p" "$work/said"
    "$bin/dbfs-traverse" -q -r 0 --depths "$work/d.npy" --parents "$work/p.npy" "$work/shards" >"$work/said"
    t=$(took "$bin/dbfs-check" --depths "$work/d.npy" --parents "$work/p.npy" "$work/edges")
    note check "$t"
    echo "round $round: dbfs-check of depths and parents: $t s"
    rm -r "$work/shards" "$work/d.npy" "$work/p.npy"
    if [ -n "${GAPBS:-}" ]; then
        took env OMP_NUM_THREADS="$cores" "$GAPBS/bfs" -s -f "$work/graph.el" -n 1 >/dev/null
        t=$(sed -n 's/^Build Time: *//p' "$work/said")
        note build "$t"
        echo "round $round: GAPBS, building in memory: $t s"
        t=$(took env OMP_NUM_THREADS="$cores" "$GAPBS/converter" -s -f "$work/graph.el" -b "$work/made")
        note converter "$t"
        echo "round $round: GAPBS converter: $t s"
        rm "$work/made"
    fi
done
versus 'edgeconv from gzip' gzip 'gzip -dc' inflate
versus 'edgeconv from text' text 'wc -l' lines
versus 'dbfs-check' check 'dbfs-pack' pack
if [ -n "${GAPBS:-}" ]; then
    versus 'edgeconv from text' text "GAPBS's converter" converter
    versus 'dbfs-pack' pack "GAPBS's build" build
fi
if [ -n "${GRAPH500:-}" ]; then
    versus 'rmatgen' rmat 'the Graph500 reference' reference
    versus 'rmatgen --graph500' kronecker 'the Graph500 reference' reference
fi
