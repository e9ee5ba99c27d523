#!/bin/bash
# bench-prepare.sh: times all steps before a search beside other programs, on one graph: generating, converting,
# packing, checking results, and one command from text to distances.
#
#   GAPBS=/path/to/gapbs GRAPH500=/path/to/graph500_reference_bfs scripts/bench-prepare.sh [SCALE | FILE.el [ROUNDS]]
#
# The graph is RMAT of SCALE (22), or a file with an undirected edge on each line, and then nothing is generated. The
# user builds the peers outside this repository; a peer that is not named is left out. All files lie in a folder in
# memory. Programs take turns, ROUNDS times (5). A pause of PAUSE seconds (3) precedes each run, as the host of a
# virtual machine may take back the memory of one program while the next runs, and Linux takes 5% of each second from
# programs that used more under `chrt -f`. The last lines have medians of wall-clock time, and of processor time where
# both programs end with distances. The time of packing excludes the syncing of files, which is a row of its own.
# `dbfs` writes distances, GAPBS none.
set -euo pipefail
cd "$(dirname "$0")/.."
graph=${1:-22}
rounds=${2:-5}
pause=${PAUSE:-3}
settings='GAPBS GRAPH500 PAUSE'
. scripts/bench-lib.sh
TIMEFORMAT='%R %U %S'

# took COMMAND...: prints its seconds of wall-clock time, and keeps its processor time; its output goes to $work/said
took() {
    sleep "$pause"
    { time "$@" >"$work/said" 2>&1; } 2>&1 | WORK=$work awk '{ print $2 + $3 >(ENVIRON["WORK"] "/processors"); print $1 }'
}
rate() { awk -v n="$1" -v t="$2" 'BEGIN { printf "%.1f", n / t / 1e6 }'; }
note() { echo "$2" >>"$work/noted.$1"; } # KEY SECONDS
# versus WHAT OURS PEER THEIRS: prints the medians of two keys and their ratio
versus() {
    local ours theirs
    ours=$(median "$work/noted.$2") theirs=$(median "$work/noted.$4")
    echo "medians: $1 $ours s, $3 $theirs s; dbfs is $(ratio "$theirs" "$ours") times as fast"
}

case $graph in
*[!0-9]*)
    grep -v -e '^[#%]' -- "$graph" >"$work/graph.el" # GAPBS stops reading at a comment, and searches the edges before it
    "$bin/edgeconv" -q -u -o "$work/edges" "$work/graph.el"
    scale=
    ;;
*)
    scale=$graph
    "$bin/rmatgen" -q -s "$scale" -o "$work/edges"
    "$bin/edgeconv" -q -t text -o "$work/graph.el" "$work/edges"
    ;;
esac
edges=$(wc -l <"$work/graph.el")
root=$(awk '{ print $1; exit }' "$work/graph.el")
gzip -1 -c "$work/graph.el" >"$work/graph.el.gz"

generating() { # ROUND
    t=$(took "$bin/rmatgen" -q -s "$scale" --force -o "$work/made")
    note rmat "$t"
    echo "round $1: rmatgen: $t s, $(rate "$edges" "$t") M edges/s"
    t=$(took "$bin/rmatgen" -q --graph500 -s "$scale" --force -o "$work/made")
    note kronecker "$t"
    echo "round $1: rmatgen --graph500: $t s, $(rate "$edges" "$t") M edges/s"
    rm "$work/made"
    [ -n "${GRAPH500:-}" ] || return 0
    took env SKIP_BFS=1 "$mpiexec" -n 2 "$GRAPH500" "$scale" 16 >/dev/null
    t=$(sed -n 's/^graph_generation: *//p' "$work/said")
    note reference "$t"
    echo "round $1: Graph500 reference, 2 ranks: graph generation $t s"
}

converting() { # ROUND
    t=$(took wc -l "$work/graph.el")
    note lines "$t"
    echo "round $1: wc -l: $t s"
    t=$(took "$bin/edgeconv" -q -u --force -o "$work/made" "$work/graph.el")
    note text "$t"
    echo "round $1: edgeconv from text: $t s, $(rate "$edges" "$t") M edges/s"
    t=$(took sh -c 'gzip -dc "$0" >/dev/null' "$work/graph.el.gz")
    note inflate "$t"
    t=$(took "$bin/edgeconv" -q -u --force -o "$work/made" "$work/graph.el.gz")
    note gzip "$t"
    echo "round $1: edgeconv from gzip: $t s"
    rm "$work/made"
    [ -n "${GAPBS:-}" ] || return 0
    t=$(took env OMP_NUM_THREADS="$cores" "$GAPBS/converter" -s -f "$work/graph.el" -b "$work/made")
    note converter "$t"
    echo "round $1: GAPBS converter: $t s"
    rm "$work/made"
}

packing() { # ROUND
    sleep "$pause"
    "$bin/dbfs-pack" -v -p 1 -o "$work/shards" "$work/edges" 2>"$work/said"
    t=$(sed -n 's/.* shards in \([0-9.]*\) s and fsync.*/\1/p' "$work/said")
    note pack "$t"
    sed -n "s/^dbfs-pack: \(.* shards in .*\)/round $1: dbfs-pack: \1/p" "$work/said"
    "$bin/dbfs-traverse" -q -r "$root" --depths "$work/d.npy" --parents "$work/p.npy" "$work/shards" >"$work/said"
    t=$(took "$bin/dbfs-check" --depths "$work/d.npy" --parents "$work/p.npy" "$work/edges")
    note check "$t"
    echo "round $1: dbfs-check of depths and parents: $t s"
    rm -r "$work/shards" "$work/d.npy" "$work/p.npy"
}

from_text() { # ROUND
    t=$(took "$bin/dbfs" -q --no-cache -r "$root" --force -o "$work/depths.npy" "$work/graph.el")
    note dbfs "$t"
    note dbfs.cpu "$(cat "$work/processors")"
    echo "round $1: dbfs from text to distances: $t s, processors $(cat "$work/processors") s"
    [ -n "${GAPBS:-}" ] || return 0
    t=$(took env OMP_NUM_THREADS="$cores" "$GAPBS/bfs" -s -f "$work/graph.el" -r "$root" -n 1)
    note gapbs "$t"
    note gapbs.cpu "$(cat "$work/processors")"
    note build "$(sed -n 's/^Build Time: *//p' "$work/said")"
    echo "round $1: GAPBS: $t s, processors $(cat "$work/processors") s; building in memory $(tail -n 1 "$work/noted.build") s"
}

for round in $(seq "$rounds"); do
    [ -z "$scale" ] || generating "$round"
    converting "$round"
    packing "$round"
    from_text "$round"
done
versus 'edgeconv from gzip' gzip 'gzip -dc' inflate
versus 'edgeconv from text' text 'wc -l' lines
versus 'dbfs-check' check 'dbfs-pack' pack
if [ -n "${GAPBS:-}" ]; then
    versus 'edgeconv from text' text "GAPBS's converter" converter
    versus 'dbfs-pack' pack "GAPBS's build" build
    versus 'dbfs from text to distances' dbfs GAPBS gapbs
    versus 'the same, processors' dbfs.cpu GAPBS gapbs.cpu
else
    echo "medians: dbfs from text to distances $(median "$work/noted.dbfs") s, processors $(median "$work/noted.dbfs.cpu") s"
fi
if [ -n "${GRAPH500:-}" ] && [ -n "$scale" ]; then
    versus 'rmatgen' rmat 'the Graph500 reference' reference
    versus 'rmatgen --graph500' kronecker 'the Graph500 reference' reference
fi
