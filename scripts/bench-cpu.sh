#!/bin/bash
# bench-cpu.sh: dbfs-traverse on the CPU beside other programs, on one graph in one run.
#
#   GAPBS=/path/to/gapbs GRAPH500=/path/to/graph500_reference_bfs scripts/bench-cpu.sh [SCALE [ROUNDS]]
#
# The user builds the peers, outside this repository; a peer that is not named is left out. Programs
# take turns, ROUNDS times, and ratios are formed within a round, because machines drift. GAPBS's
# `bfs` gets the graph of dbfs, through its own `converter`. The Graph500 reference makes its own graph
# of the same scale and edge factor.
set -euo pipefail
cd "$(dirname "$0")/.."
scale=${1:-20}
rounds=${2:-3}
roots=${ROOTS:-64}
. scripts/bench-lib.sh

"$bin/rmatgen" -q -s "$scale" -o "$work/edges"
"$bin/dbfs-pack" -q -p 1 --for cpu -o "$work/one" "$work/edges"
"$bin/dbfs-pack" -q -p 2 --for cpu -o "$work/two" "$work/edges"
if [ -n "${GAPBS:-}" ]; then
    "$bin/edgeconv" -q -t text -o "$work/graph.el" "$work/edges"
    "$GAPBS/converter" -s -f "$work/graph.el" -b "$work/graph.sg" >/dev/null
    rm "$work/graph.el"
fi

value() { sed -n "s/^$1: *\([^ ]*\).*/\1/p" "$2"; }

theirs=
for round in $(seq "$rounds"); do
    "$bin/dbfs-traverse" -q -n "$roots" "$work/one" >"$work/dbfs1"
    ours=$(value mean_time "$work/dbfs1")
    echo "round $round: dbfs, 1 process x $cores threads: mean time $ours s," \
        "harmonic mean $(value harmonic_mean_TEPS "$work/dbfs1") TEPS"
    if [ -n "${GAPBS:-}" ]; then
        OMP_NUM_THREADS=$cores "$GAPBS/bfs" -f "$work/graph.sg" -n "$roots" >"$work/gapbs"
        theirs=$(sed -n 's/^Average Time: *//p' "$work/gapbs")
        echo "round $round: GAPBS bfs, $cores threads: average time $theirs s;" \
            "dbfs is $(ratio "$theirs" "$ours") times as fast"
    fi
    # by the answer clock: with distances, and with parents by id, which GAPBS always makes
    distances=$(value mean_answer_time "$work/dbfs1")
    "$bin/dbfs-traverse" -q -n "$roots" --answer parents "$work/one" >"$work/dbfs1"
    ours=$(value mean_answer_time "$work/dbfs1")
    echo "round $round: mean answer time $ours s with parents, $(ratio "$ours" "$distances") times that of" \
        "distances${theirs:+; with parents in both dbfs is $(ratio "$theirs" "$ours") times as fast as GAPBS}"
    "$mpiexec" -n 2 "$bin/dbfs-traverse" -q -@ 1 -n "$roots" "$work/two" >"$work/dbfs2"
    ours=$(value harmonic_mean_TEPS "$work/dbfs2")
    echo "round $round: dbfs, 2 ranks x 1 thread: mean time $(value mean_time "$work/dbfs2") s," \
        "harmonic mean $ours TEPS"
    if [ -n "${GRAPH500:-}" ]; then
        SKIP_VALIDATION=1 "$mpiexec" -n 2 "$GRAPH500" "$scale" 16 >"$work/g500" 2>/dev/null
        theirs=$(sed -n 's/^bfs *harmonic_mean_TEPS: *!* *//p' "$work/g500")
        echo "round $round: Graph500 reference, 2 ranks, unvalidated: harmonic mean $theirs TEPS;" \
            "dbfs has $(ratio "$ours" "$theirs") times the rate"
    fi
done
