#!/bin/bash
# bench-suite.sh: dbfs-traverse on graphs of many shapes, beside other programs, as one table.
#
#   scripts/bench-suite.sh [GRAPH | FOLDER | NAME=COMMAND]...
#
# A GRAPH is rmatS, uniformS (2^S vertices, edge factor 16), pathN, gridN (N x N), or a file that edgeconv
# reads; a FOLDER stands for each such file in it. Without any: a small suite of all shapes. Paths and grids
# want `make tests-bin`.
#
# NAME=COMMAND is a peer: another program, which the user builds outside this repository. COMMAND is a line of
# shell, in which these words are replaced:
#   {pairs}    a file of undirected edges, two 32-bit ids each
#   {text}     the same as text, an edge a line
#   {sg}       the graph as GAPBS serialises it
#   {edges}    the graph as an edge stream of dbfs
#   {n}        the number of vertices; ids are below it
#   {roots}    the ids of the roots
#   {count}    the number of roots
#   {threads}  the threads to use, also in OMP_NUM_THREADS
# For each search a peer prints "ROOT SECONDS [REACHED LEVELS [CHECKSUM]]", where CHECKSUM is that of
# dbfs-traverse, or, as GAPBS does, "Trial Time: SECONDS". Examples:
#   'GAPBS=gapbs/bfs -f {sg} -n {count}'        'mine=./mine {pairs} {n} {roots}'
#
# The environment says how it runs:
#   BACKEND   cpu, cuda or both (default: cuda where there is a GPU, else cpu); with both, cuda is compared
#   THREADS   of the cpu backend and of peers (default: all cores)
#   ROOTS     how many are sampled for each graph (16), or `ends`: its two ends and its middle, which are
#             always the roots of a path or a grid
#   TH        thresholds, each with rows of its own: numbers, inf, memory (the rule of the paper) or suggested, the
#             default, which is the TH predicted to be fastest with BACKEND
#   PACK      more options for dbfs-pack
#   BEFORE    the folder of another build's programs: its dbfs-traverse takes the same roots
#   CHECK     1: searches with --direction push, pull and cost, on graphs of up to 20,000 levels
#   LIMIT     seconds that one program may run (600)
#   FOLDER    one more FOLDER
#   WORK      a folder for graphs (default: /dev/shm)
#   RESULTS   a file that keeps the table, with command, machine, revision and date (scripts/results/)
#
# A row is a program on a graph: TH, in brackets if suggested; searches; their mean levels, ms and us a level;
# GTEPS (harmonic mean over input edges); how many times as fast dbfs was; and whether its distances are those
# of dbfs, whose own row has their checksum. Exit 1 if a graph cannot be read or dbfs fails, 4 if distances
# differ.
set -euo pipefail
cd "$(dirname "$0")/.."
export TMPDIR=${WORK:-/dev/shm}
settings='BACKEND THREADS ROOTS TH PACK BEFORE CHECK LIMIT FOLDER'
. scripts/bench-lib.sh
. scripts/bench-peers.sh
edges=$work/graph.edges
ours=$work/ours
tests=${BUILD:-build}/tests
threads=${THREADS:-$cores}
backends=${BACKEND:-$(nvidia-smi -L 2>/dev/null | grep -q '^GPU' && echo cuda || echo cpu)}
deepest=20000
graphs=()
code=0

# ---- graphs ----

convert() { # FILE: each line an undirected edge, unless the format says otherwise; words get numbers
    "$bin/edgeconv" -q -u --force -o "$work/graph.edges" "$1" 2>"$work/why" ||
        "$bin/edgeconv" -q --force -o "$work/graph.edges" "$1" 2>>"$work/why" ||
        "$bin/edgeconv" -q -u --compact="$work/map" --force -o "$work/graph.edges" "$1" 2>>"$work/why"
}

make_graph() { # GRAPH
    local size=${1##*[a-z]}
    case $1 in
    rmat[0-9]*) "$bin/rmatgen" -q -s "$size" --force -o "$work/graph.edges" ;;
    uniform[0-9]*) "$bin/rmatgen" -q -s "$size" -A .25 -B .25 -C .25 --force -o "$work/graph.edges" ;;
    path[0-9]*) "$tests/mkgraph" path "$size" | "$bin/edgeconv" -q -u --force -o "$work/graph.edges" - ;;
    grid[0-9]*) "$tests/mkgraph" grid "$size" "$size" | "$bin/edgeconv" -q -u --force -o "$work/graph.edges" - ;;
    *) convert "$1" ;;
    esac
}

farthest() { # ROOT: prints the last vertex that a search finds, and leaves all distances in a file
    "$bin/dbfs-traverse" -q --no-check --backend cpu -@ "$threads" -r "$1" --force --depths "$work/depths" \
        "$work/shards" >"$work/said" 2>&1
    awk '$2 >= far { far = $2; id = $1 } END { print id }' "$work/depths"
}

ends() { # prints the two ends of the graph, about, and a vertex half-way between them
    local some one other
    "$bin/dbfs-traverse" --no-check --backend cpu -n 1 "$work/shards" >"$work/said"
    some=$(awk '$1 == "root" { print $2 }' "$work/said")
    one=$(farthest "$some")
    other=$(farthest "$one")
    echo "$one,$other,$(awk 'NR == FNR { if ($2 > far) far = $2; next }
        $2 == int(far / 2) { print $1; exit }' "$work/depths" "$work/depths")"
}

root_options() { # GRAPH
    local size=${1##*[a-z]}
    case $1 in
    path[0-9]*) echo "-r 0,$((size / 2)),$((size - 1))" ;;
    grid[0-9]*) echo "-r 0,$((size / 2 * size + size / 2)),$((size * size - 1))" ;;
    *) if [ "${ROOTS:-}" = ends ]; then echo "-r $(ends)"; else echo "-n ${ROOTS:-16}"; fi ;;
    esac
}

add_folder() { # its graphs; what edgeconv refuses is left out with its reason
    local file
    for file in "$1"/*; do
        case $file in *.md | *.properties) continue ;; esac
        if convert "$file"; then graphs+=("$file"); else left_out; fi
    done
}

left_out() { sed 's/^/left out: /' "$work/why" | tail -1 >&2; }

# ---- searches: a file of lines "ROOT SECONDS REACHED LEVELS CHECKSUM EDGES" for each program ----

search() { # PROGRAM BACKEND OUTPUT OPTION...
    local program=$1 backend=$2 output=$3
    shift 3
    timeout "${LIMIT:-600}" "$program" --no-check --backend "$backend" -@ "$threads" --warm-up 1 $roots "$@" \
        "$work/shards" >"$work/said" || return 1
    awk '$1 == "root" { for (i = 3; i < NF; i += 2) v[$i] = $(i + 1)
                        print $2, v["time_s"], v["reached"], v["levels"], v["checksum"], v["edges"] }' \
        "$work/said" >"$output"
}

# ---- the table ----

row() { # GRAPH TH PROGRAM SEARCHES
    local line
    line=$(awk -v graph="$1" -v th="$2" -v program="$3" -v ours="$work/ours" '
        BEGIN {
            while ((getline line <ours) > 0) {
                split(line, f, " ")
                known[f[1]] = 1
                reached[f[1]] = f[3]; levels[f[1]] = f[4]; sum[f[1]] = f[5]; edges[f[1]] = f[6]
                all++; all_seconds += f[2]; all_levels += f[4]; all_edges += f[6]
            }
        }
        {
            n++
            seconds += $2
            depth += known[$1] ? levels[$1] : all_levels / all
            work = known[$1] ? edges[$1] : all_edges / all
            inverse += work > 0 ? $2 / work : 0
            if (NF < 4) next
            checked++
            if (!known[$1] || $3 != reached[$1] || $4 != levels[$1] || (NF > 4 && $5 != sum[$1])) wrong++
        }
        END {
            if (n == 0) verdict = "failed"
            else if (wrong > 0) verdict = wrong " differ"
            else if (checked < n) verdict = "not compared"
            else verdict = "same"
            printf "%-20s %7s %-13s %8d", graph, th, program, n
            if (n > 0)
                printf " %9.1f %11.4f %9.2f %9.3f %8.2f", depth / n, 1e3 * seconds / n,
                    1e6 * seconds / depth, (inverse > 0 ? n / inverse / 1e9 : 0),
                    (all_seconds > 0 ? seconds / n / (all_seconds / all) : 0)
            else
                printf " %9s %11s %9s %9s %8s", "-", "-", "-", "-", "-"
            printf "  %s\n", verdict
        }' "$4")
    [[ $line != *' differ' ]] || code=4
    [ "$4" != "$work/ours" ] || line=${line%same}$(sed -n 's/^distance_checksum: //p' "$work/said")
    echo "$line"
}

# The rows that need no peer: other backends, the other build, one direction alone.
own_rows() { # GRAPH TH
    local backend direction
    for backend in ${backends#* }; do
        [ "$backend" = "$first" ] || ! search "$bin/dbfs-traverse" "$backend" "$work/theirs" ||
            row "$1" "$2" "dbfs-$backend" "$work/theirs"
    done
    if [ -n "${BEFORE:-}" ]; then
        search "$BEFORE/dbfs-traverse" "$first" "$work/theirs" || : >"$work/theirs"
        row "$1" "$2" before "$work/theirs"
    fi
    [ -n "${CHECK:-}" ] && awk -v most=$deepest '$4 > most { exit 1 }' "$work/ours" || return 0
    for backend in $backends; do
        for direction in push pull cost; do
            search "$bin/dbfs-traverse" "$backend" "$work/theirs" --direction $direction || : >"$work/theirs"
            row "$1" "$2" "$direction-$backend" "$work/theirs"
        done
    done
}

rows() { # GRAPH TH
    local i th=$2
    if ! search "$bin/dbfs-traverse" "$first" "$work/ours"; then
        code=1
        return
    fi
    vertices=$(sed -n 's/^vertices: //p' "$work/said")
    [[ $th != [sm]* ]] || th="($(sed -n 's/^th: //p' "$work/said"))"
    row "$1" "$th" "dbfs-$first" "$work/ours"
    own_rows "$1" "$th"
    for i in "${!peer_names[@]}"; do
        run_peer "${peer_commands[i]}" "$work/theirs"
        row "$1" "$th" "${peer_names[i]}" "$work/theirs"
    done
}

threshold_options() { # TH, a word of $TH; nothing for a suggested one if PACK gives another
    case $1$backends in
    suggested*)
        [[ " ${PACK:-}" != *" -t"* ]] || return 0 ;;&
    suggestedcuda) echo "--for gpu" ;;
    suggestedcpu) echo "--for cpu" ;;
    suggested*) ;;
    memory*) echo "--suggest memory" ;;
    *) echo "-t $1" ;;
    esac
}

bench() { # GRAPH
    local th name
    name=$(basename "$1" | cut -c 1-20)
    make_graph "$1" || { left_out; code=1; return; }
    for th in ${TH:-suggested}; do
        rm -rf "$work/shards"
        "$bin/dbfs-pack" -q -p 1 $(threshold_options "$th") ${PACK:-} -o "$work/shards" \
            "$work/graph.edges"
        roots=$(root_options "$1")
        rows "$name" "$th"
    done
    rm -rf "$work/shards" "$work"/graph.*
}

for argument in "$@" ${FOLDER:+"$FOLDER"}; do
    if [ -d "$argument" ]; then
        add_folder "$argument"
    elif ! add_peer "$argument"; then
        graphs+=("$argument")
    fi
done
[ ${#graphs[@]} -gt 0 ] ||
    graphs=(rmat16 rmat20 uniform18 path10000 grid500 datasets/wordnet-3.0.txt datasets/usa-road-NY.txt)
[ "$backends" != both ] || backends='cuda cpu'
first=${backends%% *}
echo "threads: $threads"
printf '%-20s %7s %-13s %8s %9s %11s %9s %9s %8s  %s\n' \
    graph TH program searches levels ms us/level GTEPS ratio distances
for graph in "${graphs[@]}"; do bench "$graph"; done
exit $code
