#!/bin/bash
# bench-suite.sh: dbfs-traverse on graphs of many shapes, beside other programs, as one table.
#
#   scripts/bench-suite.sh [GRAPH...]
#
# A GRAPH is rmatS, uniformS (2^S vertices, edge factor 16), pathN, gridN (N x N), a file that edgeconv
# reads, or a folder of such files. Without one: a small suite of all shapes. Paths and grids want
# `make tests-bin`. The environment says how it runs:
#   BACKEND   cpu or cuda (default: cuda where there is a GPU)
#   THREADS   of the cpu backend and of GAPBS (default: all cores)
#   ROOTS     sampled for each graph (16); a path or a grid has its two ends and its middle
#   TH        thresholds, each a row of the table (default: suggested); `0 suggested inf` shows what TH does
#   BEFORE    the folder of another build's programs: its dbfs-traverse is a peer that takes the same roots
#   GAPBS     the folder of GAPBS, built outside this repository: its `bfs` samples roots of its own
#   PEERS     other programs, "NAME=COMMAND ...". COMMAND EDGES N ROOT... gets each undirected edge once, as
#             two 32-bit ids, and prints a line "ROOT SECONDS" for each search
#   CHECK     1: the level loop's answers by pushing and by pulling must be the same (to 20,000 levels)
#   WORK      a folder for graphs (default: /dev/shm)
#
# A row: graph, TH, mean levels, mean ms, us a level, GTEPS (harmonic mean), then each peer's mean ms and
# how many times as fast dbfs was, then whether the distances of all dbfs runs agree. Exit 4 if some do not.
set -euo pipefail
cd "$(dirname "$0")/.."
export TMPDIR=${WORK:-/dev/shm}
. scripts/bench-lib.sh
[ -n "${BACKEND:-}" ] || { nvidia-smi -L 2>/dev/null | grep -q '^GPU' && BACKEND=cuda || BACKEND=cpu; }
threads=${THREADS:-$cores}
tests=${BUILD:-build}/tests
bad=0

value() { sed -n "s/^$1: *\([^ ]*\).*/\1/p" "$2"; }

peer_names() {
    [ -z "${BEFORE:-}" ] || echo before
    [ -z "${GAPBS:-}" ] || echo GAPBS
    local peer
    for peer in ${PEERS:-}; do echo "${peer%%=*}"; done
}

heading() {
    local name
    printf '%-24s %9s %9s %10s %9s %9s' graph TH levels ms us/level GTEPS
    for name in $(peer_names); do printf ' %10s %6s' "$name" ratio; done
    printf ' %s\n' distances
}

# ---- graphs ----

convert() { # FILE: each line an undirected edge, unless the format says otherwise; words get numbers
    "$bin/edgeconv" -q -u --force -o "$work/edges" "$1" 2>"$work/why" ||
        "$bin/edgeconv" -q --force -o "$work/edges" "$1" 2>>"$work/why" ||
        "$bin/edgeconv" -q -u --compact="$work/map" --force -o "$work/edges" "$1" 2>>"$work/why"
}

# Writes $work/edges, and $roots: options that choose them.
make_graph() { # GRAPH
    local size=${1##*[a-z]}
    roots="-n ${ROOTS:-16}"
    case $1 in
    rmat[0-9]*) "$bin/rmatgen" -q -s "$size" --force -o "$work/edges" ;;
    uniform[0-9]*) "$bin/rmatgen" -q -s "$size" -A .25 -B .25 -C .25 --force -o "$work/edges" ;;
    path[0-9]*) "$tests/mkgraph" path "$size" | "$bin/edgeconv" -q -u --force -o "$work/edges" -
        roots="-r 0,$((size / 2)),$((size - 1))" ;;
    grid[0-9]*) "$tests/mkgraph" grid "$size" "$size" | "$bin/edgeconv" -q -u --force -o "$work/edges" -
        roots="-r 0,$((size / 2 * size + size / 2)),$((size * size - 1))" ;;
    *) convert "$1" ;;
    esac
}

files_of() { # a folder's graphs; what edgeconv refuses is left out with its reason
    local file
    for file in "$1"/*; do
        case $file in *.md | *.properties) continue ;; esac
        if convert "$file"; then echo "$file"; else sed 's/^/left out: /' "$work/why" | tail -1 >&2; fi
    done
}

# ---- runs ----

search() { # PROGRAM OUTPUT OPTION...
    local program=$1 output=$2
    shift 2
    "$program" --no-check --backend "$BACKEND" -@ "$threads" $roots "$@" "$work/graph" >"$output"
}

mean_levels() {
    awk '$1 == "root" { for (i = 3; i < NF; i += 2) if ($i == "levels") { sum += $(i + 1); n++ } }
         END { printf "%.1f", (n > 0 ? sum / n : 0) }' "$1"
}

# Mean ms of each peer, a line "NAME MS".
run_peers() {
    local peer roots_list
    if [ -n "${BEFORE:-}" ]; then
        search "$BEFORE/dbfs-traverse" "$work/before"
        echo "before $(awk "BEGIN { print 1e3 * $(value mean_time "$work/before") }")"
    fi
    if [ -n "${GAPBS:-}" ]; then
        [ -e "$work/sg" ] || "$bin/edgeconv" -q -t sg --force -o "$work/sg" "$work/edges"
        mv "$work/sg" "$work/graph.sg"
        OMP_NUM_THREADS=$threads "$GAPBS/bfs" -f "$work/graph.sg" -n "${ROOTS:-16}" |
            awk '/^Average Time:/ { print "GAPBS", 1e3 * $3 }'
        mv "$work/graph.sg" "$work/sg"
    fi
    roots_list=$(awk '$1 == "root" { print $2 }' "$work/ours")
    for peer in ${PEERS:-}; do
        [ -e "$work/pairs" ] || "$bin/edgeconv" -q -t u32 --force -o "$work/pairs" "$work/edges"
        "${peer#*=}" "$work/pairs" "$(value vertices "$work/ours")" $roots_list |
            awk -v name="${peer%%=*}" '{ sum += $2 } END { print name, (NR > 0 ? 1e3 * sum / NR : "failed") }'
    done
}

# Whether other ways of the same search find the same distances.
agreement() { # LEVELS
    local expected other direction
    expected=$(value distance_checksum "$work/ours")
    other=$expected
    [ -z "${BEFORE:-}" ] || other=$(value distance_checksum "$work/before")
    [ "$other" = "$expected" ] || { echo before differs; return 1; }
    if [ -n "${CHECK:-}" ] && [ "${1%.*}" -le 20000 ]; then
        for direction in push pull; do
            search "$bin/dbfs-traverse" "$work/other" -q --direction $direction
            other=$(value distance_checksum "$work/other")
            [ "$other" = "$expected" ] || { echo "$direction differs"; return 1; }
        done
    fi
    echo same
}

row() { # NAME TH
    local levels ms name theirs agree=0 verdict
    search "$bin/dbfs-traverse" "$work/ours"
    levels=$(mean_levels "$work/ours")
    ms=$(awk "BEGIN { print 1e3 * $(value mean_time "$work/ours") }")
    printf '%-24s %9s %9s %10.4f %9.2f %9.3f' "$1" "$2" "$levels" "$ms" \
        "$(awk "BEGIN { print ($levels > 0 ? 1e3 * $ms / $levels : 0) }")" \
        "$(awk "BEGIN { print $(value harmonic_mean_TEPS "$work/ours") / 1e9 }")"
    run_peers >"$work/peers"
    while read -r name theirs; do
        printf ' %10.4f %6s' "$theirs" "$(ratio "$theirs" "$ms")"
    done <"$work/peers"
    verdict=$(agreement "$levels") || agree=1
    printf ' %s\n' "$verdict"
    bad=$((bad + agree))
}

bench() { # GRAPH
    local th
    make_graph "$1" || { sed 's/^/left out: /' "$work/why" | tail -1 >&2; return 0; }
    for th in ${TH:-suggested}; do
        rm -rf "$work/graph"
        "$bin/dbfs-pack" -q -p 1 $([ "$th" = suggested ] || echo "-t $th") -o "$work/graph" "$work/edges"
        row "$(basename "$1" | cut -c 1-24)" "$th"
    done
    rm -rf "$work/graph" "$work/sg" "$work/pairs" "$work/edges"
}

echo "backend: $BACKEND, $threads threads"
heading
[ $# -gt 0 ] ||
    set -- rmat16 rmat20 uniform18 path10000 grid500 datasets/wordnet-3.0.txt datasets/usa-road-NY.txt
for graph in "$@"; do
    if [ -d "$graph" ]; then
        files_of "$graph" >"$work/files"
        while read -r file <&3; do bench "$file"; done 3<"$work/files"
    else
        bench "$graph"
    fi
done
[ "$bad" = 0 ] || exit 4
