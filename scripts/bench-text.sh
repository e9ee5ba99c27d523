#!/bin/bash
# bench-text.sh: from a graph as text to distances, beside GAPBS, which reads, builds and searches, and writes none.
#
#   GAPBS=/path/to/gapbs scripts/bench-text.sh FILE.el|SCALE [ROUNDS]
#
# FILE.el has an undirected edge on each line; a SCALE is an RMAT graph. The programs take turns. Ours is `dbfs
# --no-cache -o depths.npy`: edgeconv and dbfs-pack in a pipe, the shards on disk, dbfs-traverse, the array. All files
# lie in a memory-backed folder. The last lines have medians: wall-clock, and the processors' time of all. On a
# machine that others use, `chrt -f 10` before it keeps them off the cores for the short runs.
set -euo pipefail
cd "$(dirname "$0")/.."
graph=$1
rounds=${2:-5}
. scripts/bench-lib.sh
TIMEFORMAT='%R %U %S'
case $graph in
*[!0-9]*) grep -v '^[#%]' "$graph" >"$work/graph.el" ;; # GAPBS stops at a comment, and searches what it has
*) "$bin/rmatgen" -q -s "$graph" -f text -o "$work/graph.el" ;;
esac
root=$(awk '!/^[#%]/ { print $1; exit }' "$work/graph.el")

# took NAME COMMAND...: keeps the seconds that it ran, and those of the processors
took() {
    local name=$1 times
    shift
    sleep 1 # under chrt -f, Linux takes 5% of every second from those who used 95
    times=$({ time "$@" >"$work/said" 2>&1; } 2>&1)
    echo "$times" | awk '{ print $1, $2 + $3 }' >>"$work/times.$name"
    echo "$name: $(tail -n 1 "$work/times.$name")"
}
median() { # NAME COLUMN
    cut -d' ' -f"$2" "$work/times.$1" | sort -g | awk '{ a[NR] = $1 } END { printf "%.2f", (a[int((NR + 1) / 2)] + a[int(NR / 2) + 1]) / 2 }'
}
for _ in $(seq "$rounds"); do
    took dbfs "$bin/dbfs" -q --no-cache -r "$root" --force -o "$work/depths.npy" "$work/graph.el"
    [ -z "${GAPBS:-}" ] || took gapbs "$GAPBS/bfs" -f "$work/graph.el" -s -r "$root" -n 1
done
for column in 1 2; do
    what=$([ $column = 1 ] && echo wall-clock || echo processors)
    ours=$(median dbfs $column)
    echo "medians, $what: dbfs $ours s$([ -z "${GAPBS:-}" ] || echo ", GAPBS $(median gapbs $column) s: $(awk -v a="$(median gapbs $column)" -v b="$ours" 'BEGIN { printf "%.2f", a / b }') times")"
done
