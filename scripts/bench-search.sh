#!/bin/bash
# bench-search.sh: times dbfs-traverse by both clocks on graphs of many shapes, beside other builds, options and
# programs, in one table.
#
#   scripts/bench-search.sh [GRAPH | FOLDER | NAME=COMMAND]...
#
# A GRAPH is rmatS, uniformS (2^S vertices, edge factor 16), uniformSeE (edge factor E), pathN, gridN (N x N), or a
# file that edgeconv reads. A FOLDER stands for each such file in it. The default is a small suite of all shapes.
# Paths and grids need `make tests-bin`.
#
# NAME=COMMAND is a peer: another program, which the user builds outside this repository. COMMAND is a line of shell,
# in which these words are replaced:
#   {pairs}    a file of undirected edges, two 32-bit ids each
#   {text}     the same as text, an edge a line
#   {sg}       the graph in GAPBS's serialised format
#   {edges}    the graph as an edge stream of dbfs
#   {n}        the number of vertices; ids are below it
#   {roots}    the ids of the roots
#   {count}    the number of roots
#   {threads}  the threads to use, also in OMP_NUM_THREADS
# For each search a peer prints "ROOT SECONDS [REACHED LEVELS [CHECKSUM]]", where CHECKSUM is that of dbfs-traverse,
# or "Trial Time: SECONDS", as GAPBS does. Examples:
#   'GAPBS=gapbs/bfs -f {sg} -n {count}'        'mine=./mine {pairs} {n} {roots}'
#
# The environment:
#   BACKEND   cpu, cuda or both (default: cuda where there is a GPU, else cpu); with both, cuda is compared
#   THREADS   of the cpu backend and of peers: one number, or several, each with rows of its own (default: all cores)
#   ROOTS     the number of sampled roots of a graph (16), or `ends`: its two ends and its middle, which are always the
#             roots of a path or a grid
#   ROUNDS    processes of each program (3); in a round all programs take turns, because machines drift
#   EACH      seconds (20) after which a row gets no further round
#   TH        thresholds, each with rows of its own: numbers, inf, memory (the paper's rule), suggested (the default:
#             predicted to be fastest with BACKEND), or sweep: powers of 2, and all that are suggested
#   BEFORE    a folder with another build's programs, whose dbfs-traverse takes the same roots. Its dbfs-pack packs, if
#             it is there: an older build may not read newer shards
#   OPTIONS   options of dbfs-traverse to compare, separated by `;`: '--resident packed;--resident host'
#   CHECK     1 compares also --direction push, pull and cost, on graphs of up to 20,000 levels
#   PACK      more options for dbfs-pack; with '-p 2' also OPTIONS='-g 2', as one GPU else searches small graphs joined
#   RUN       words before each program: 'taskset -c 0-15', 'numactl -i all', 'chrt -f 10'
#   LIMIT     seconds that one program may run (600)
#   SWEEP     a file that gets a line for each row of dbfs, for `scripts/fit-rates sweeps`
#   WORK      a folder for graphs (default: /dev/shm)
#   RESULTS   a file that keeps the table, with command, machine, revision and date (scripts/results/)
#
# A row is a program on a graph: TH, in brackets if suggested; threads; processes; mean levels; medians over the
# processes of their means over the roots, in ms: the search for distances and its answer, the search with parents and
# its answer; us a level and GTEPS (harmonic mean over input edges) of the first; how many times as fast dbfs was by
# search, answer, and answer with parents (- where answers stand in memory in another way); and whether the distances equal those of dbfs, whose own row has their
# checksum. Peers have one time. Exit 1 if a graph cannot be read or dbfs fails, 4 if distances differ.
set -euo pipefail
cd "$(dirname "$0")/.."
export TMPDIR=${WORK:-/dev/shm}
settings='BACKEND THREADS ROOTS ROUNDS EACH TH BEFORE OPTIONS CHECK PACK RUN LIMIT SWEEP'
. scripts/bench-lib.sh
edges=$work/graph.edges
ours=$work/ours
backends=${BACKEND:-$(nvidia-smi -L 2>/dev/null | grep -q '^GPU' && echo cuda || echo cpu)}
deepest=20000
powers='0 1 2 4 8 16 32 64 128 256 512 inf'
graphs=()
code=0
row='%-20s %7s %7s %-13s %6s %8s %9s %9s %9s %9s %9s %8s %7s %7s %7s  %s\n'

# ---- roots ----

farthest() { # ROOT: prints the last vertex that a search finds, and leaves all distances in a file
    "$bin/dbfs-traverse" -q --no-check --backend cpu -@ "$threads" -r "$1" --force --depths "$work/depths" \
        "$work/shards" >"$work/said" 2>&1
    awk '$2 >= far { far = $2; id = $1 } END { print id }' "$work/depths"
}

ends() { # prints about the two ends of the graph and a vertex half-way between them
    local some one other
    "$bin/dbfs-traverse" --no-check --backend cpu -n 1 "$work/shards" >"$work/said"
    some=$(awk '$1 == "root" { print $2 }' "$work/said")
    one=$(farthest "$some")
    other=$(farthest "$one")
    echo "$one,$other,$(awk 'NR == FNR { if ($2 > far) far = $2; next }
        $2 == int(far / 2) { print $1; exit }' "$work/depths" "$work/depths")"
}

# ---- searches: a file of lines "ROOT SECONDS REACHED LEVELS CHECKSUM EDGES ANSWER" ----

search() { # PROGRAM BACKEND ANSWER OUTPUT OPTION...
    local program=$1 backend=$2 answer=$3 output=$4
    shift 4
    timeout "${LIMIT:-600}" ${RUN:-} "$program" --no-check --backend "$backend" -@ "$threads" --warm-up 1 $roots \
        --answer "$answer" "$@" "$work/shards" >"$work/said" || return 1
    awk '$1 == "root" { for (i = 3; i < NF; i += 2) v[$i] = $(i + 1)
                        print $2, v["time_s"], v["reached"], v["levels"], v["checksum"], v["edges"], v["answer_s"] }' \
        "$work/said" >"$output"
}

# LABEL KIND: appends "ms answer-ms us/level GTEPS levels" of the searches in $work/theirs to the times of a program,
# and to its verdicts whether they are those of dbfs
note() {
    OURS=$ours TIMES=$work/times.$1.$2 awk '
        BEGIN {
            ours = ENVIRON["OURS"]
            times = ENVIRON["TIMES"]
            while ((getline line <ours) > 0) {
                split(line, f, " ")
                known[f[1]] = 1
                reached[f[1]] = f[3]; levels[f[1]] = f[4]; sum[f[1]] = f[5]; edges[f[1]] = f[6]
                all++; all_levels += f[4]; all_edges += f[6]
            }
        }
        {
            n++
            seconds += $2
            answers += $7
            depth += known[$1] ? levels[$1] : all_levels / all
            work = known[$1] ? edges[$1] : all_edges / all
            inverse += work > 0 ? $2 / work : 0
            if (NF < 4) next
            checked++
            if (!known[$1] || $3 != reached[$1] || $4 != levels[$1] || (NF > 4 && $5 != sum[$1])) wrong++
        }
        END {
            print (n == 0 ? "failed" : wrong > 0 ? wrong " differ" : checked < n ? "not compared" : "same")
            if (n > 0)
                print 1e3 * seconds / n, 1e3 * answers / n, 1e6 * seconds / depth,
                    (inverse > 0 ? n / inverse / 1e9 : 0), depth / n >>times
        }' "$work/theirs" >>"$work/verdicts.$1"
}

both_clocks() { # LABEL PROGRAM BACKEND OPTION...
    local label=$1 answer
    shift
    for answer in depths parents; do
        search "$1" "$2" $answer "$work/theirs" "${@:3}" || : >"$work/theirs"
        note "$label" $answer
    done
}

# prints lines "LABEL<tab>PROGRAM<tab>BACKEND<tab>OPTIONS" for dbfs in each compared way; the first is dbfs itself
ways() {
    local backend options
    for backend in $backends; do printf 'dbfs-%s\t%s\t%s\t\n' "$backend" "$bin/dbfs-traverse" "$backend"; done
    [ -z "${BEFORE:-}" ] || printf 'before\t%s\t%s\t\n' "$BEFORE/dbfs-traverse" "$first"
    tr ';' '\n' <<<"${OPTIONS:-}" | while read -r options; do
        [ -z "$options" ] || printf '%s-%s\t%s\t%s\t%s\n' "${options##*[ -]}" "$first" "$bin/dbfs-traverse" "$first" "$options"
    done
    [ -n "${CHECK:-}" ] && awk -v most=$deepest '$4 > most { exit 1 }' "$ours" || return 0
    for backend in $backends; do
        for options in push pull cost; do
            printf '%s-%s\t%s\t%s\t%s\n' $options "$backend" "$bin/dbfs-traverse" "$backend" "--direction $options"
        done
    done
}

rounds() { # runs all programs in turn and sets `done_rounds`
    local begun=$SECONDS i label program backend options
    rm -f "$work"/times.* "$work"/verdicts.*
    ways >"$work/ways"
    for ((done_rounds = 0; done_rounds < ${ROUNDS:-3}; done_rounds++)); do
        [ $done_rounds = 0 ] || [ $((SECONDS - begun)) -lt "${EACH:-20}" ] || break
        while IFS=$'\t' read -r label program backend options <&3; do
            both_clocks "$label" "$program" "$backend" $options
        done 3<"$work/ways"
        for i in "${!peer_names[@]}"; do
            run_peer "${RUN:-} ${peer_commands[i]}" "$work/theirs"
            note "${peer_names[i]}" depths
        done
    done
}

# ---- the table ----

dash() { echo "${1:--}"; }

of() { median "$work/times.$1" "$2"; } # LABEL.KIND COLUMN

times_as_fast() { # THEIRS OURS
    if [ -n "$1" ] && [ -n "$2" ]; then ratio "$1" "$2"; else echo -; fi
}

layout() { # PROGRAM: prints how its answers stand in memory (dbfs-json(5)); an older build does not say it
    "$1" -q --no-check --backend "$first" -@ "$threads" -n 1 --force --json "$work/layout" "$work/shards" >"$work/said"
    sed -n 's/.*"answer_layout": "\([a-z]*\)".*/\1/p' "$work/layout" | grep . || echo ids
}

show() { # GRAPH TH LABEL
    local verdict ms=("$(of "$3.depths" 1)" "$(of "$3.depths" 2)" "$(of "$3.parents" 1)" "$(of "$3.parents" 2)") own=dbfs-$first
    # a peer has one time, which both clocks of dbfs are compared with
    local theirs=("${ms[0]}" "${ms[1]}" "${ms[3]}")
    [ -n "${ms[2]}" ] || { theirs=("${ms[0]}" "${ms[0]}" "${ms[0]}") && ms[1]=; }
    # answers by owner and by input id are not the same arrays
    [ "$3" != before ] || [ "$(layout "$BEFORE/dbfs-traverse")" = "$(layout "$bin/dbfs-traverse")" ] || theirs[1]= theirs[2]=
    verdict=$(grep -m 1 -e 'differ$' -e '^failed' "$work/verdicts.$3" || tail -n 1 "$work/verdicts.$3")
    [[ $verdict != *' differ' ]] || code=4
    [ "$3" != "$own" ] || { [ "$verdict" != same ] || verdict=$sum; }
    printf "$row" "$1" "$2" "$threads" "$3" "$done_rounds" "$(dash "$(of "$3.depths" 5)")" "${ms[0]:--}" "${ms[1]:--}" "${ms[2]:--}" "${ms[3]:--}" "$(dash "$(of "$3.depths" 3)")" \
        "$(dash "$(of "$3.depths" 4)")" "$(times_as_fast "${theirs[0]}" "$(of "$own.depths" 1)")" \
        "$(times_as_fast "${theirs[1]}" "$(of "$own.depths" 2)")" \
        "$(times_as_fast "${theirs[2]}" "$(of "$own.parents" 2)")" "$verdict"
}

keep_sweep() { # GRAPH TH: writes a line for scripts/fit-rates
    local class manifest=$work/shards/manifest delegates counts=
    delegates=$(sed -n 's/^delegates //p' "$manifest")
    for class in nn nd dn dd; do counts+=$(sed -n "s/^edges-$class //p" "$manifest")$'\t'; done
    printf '%s\t%s\t%s\t%s\t%s%s\t%s\t%s\t%s\n' "$1" "$2" "$delegates" $((with_edges - delegates)) "$counts" \
        "$(of "dbfs-$first.depths" 1)" "$(of "dbfs-$first.depths" 1)" "$(of "dbfs-$first.depths" 5)" \
        "$(awk '{ sum += $3 } END { printf "%.0f", sum / NR }' "$ours")" >>"${SWEEP:-/dev/null}"
}

bench_th() { # GRAPH TH
    local label th=$2
    if ! search "$bin/dbfs-traverse" "$first" depths "$ours"; then
        code=1
        return
    fi
    vertices=$(sed -n 's/^vertices: //p' "$work/said")
    with_edges=$(sed -n 's/^vertices_with_edges: //p' "$work/said")
    sum=$(sed -n 's/^distance_checksum: //p' "$work/said")
    [[ $th != [sm]* ]] || th="($(sed -n 's/^th: //p' "$work/said"))"
    rounds
    while IFS=$'\t' read -r label _ <&3; do show "$1" "$th" "$label"; done 3<"$work/ways"
    for label in "${peer_names[@]}"; do show "$1" "$th" "$label"; done
    keep_sweep "$1" "$2"
    printf '%s\t%s\n' "$2" "$(of "dbfs-$first.depths" 1)" >>"$work/by-th"
}

# ---- thresholds ----

# TH, a word of $TH; prints nothing for a suggested TH if PACK gives another
threshold_options() {
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

# prints the suggested TH for each machine, which $work/suggested keeps, and powers of 2 that differ in delegates
sweep() {
    local machine
    for machine in gpu cpu both; do
        "$bin/degsplit" -q -p 1 --for $machine --force --sweep "$work/sweep" -o /dev/null "$edges"
        awk -F'\t' -v machine=$machine '$NF == 1 { print machine, ($2 == 0 ? "inf" : $1) }' "$work/sweep"
    done >"$work/suggested"
    awk -F'\t' -v wanted="$(cut -d' ' -f 2 "$work/suggested" | tr '\n' ' ') $powers" '
        BEGIN { split(wanted, list, " "); for (i in list) want[list[i]] = 1 }
        want[$1] && $2 == 0 { want["inf"] = 1; next }
        want[$1] && !seen[$2]++ { print $1 }
        END { if (want["inf"]) print "inf" }' "$work/sweep"
}

sum_up_sweep() { # GRAPH: prints the fastest TH, and the time of the suggested TH over it
    awk -v graph="$1" '
        FILENAME ~ /suggested$/ { th[$1] = $2; next }
        { ms[$1] = $2; if (!least || $2 < least) { least = $2; best = $1 } }
        END { printf "%s: TH %s is the fastest", graph, best
              for (m in th) if (th[m] in ms) printf "; %s, suggested for %s, takes %.2f of that", th[m], m, ms[th[m]] / least
              print "" }' "$work/suggested" "$work/by-th"
}

bench() { # GRAPH
    local th ths name
    name=$(basename "$1" | cut -c 1-20)
    make_graph "$1" || { left_out; code=1; return; }
    mv "$work/edges" "$edges"
    ths=${TH:-suggested}
    [ "$ths" != sweep ] || ths=$(sweep)
    : >"$work/by-th"
    for th in $ths; do
        rm -rf "$work/shards"
        "$packer" -q -p 1 $(threshold_options "$th") ${PACK:-} -o "$work/shards" "$edges"
        for threads in ${THREADS:-$cores}; do
            case $1 in
            path[0-9]* | grid[0-9]*) ;;
            *) [ "${ROOTS:-}" != ends ] || roots="-r $(ends)" ;;
            esac
            bench_th "$name" "$th"
        done
    done
    [ "${TH:-}" != sweep ] || sum_up_sweep "$name"
    rm -rf "$work/shards" "$work"/graph.*
}

take_arguments "$@"
[ ${#graphs[@]} -gt 0 ] ||
    graphs=(rmat16 rmat20 uniform18 path10000 grid500 datasets/wordnet-3.0.txt datasets/usa-road-NY.txt)
[ "$backends" != both ] || backends='cuda cpu'
first=${backends%% *}
printf "$row" graph TH threads program rounds levels search answer p-search p-answer us/level GTEPS search answer p-answer distances
for graph in "${graphs[@]}"; do bench "$graph"; done
exit $code
