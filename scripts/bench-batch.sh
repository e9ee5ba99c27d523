#!/bin/bash
# bench-batch.sh: dbfs-batch beside searches one by one, and the exact closeness of all vertices beside other programs, as
# two tables.
#
#   scripts/bench-batch.sh [GRAPH | FOLDER | NAME=COMMAND]...
#
# Graphs are those of bench-search.sh; the default is rmat18, uniform18, grid500 and the roads of New York. NAME=COMMAND is a
# peer, with the words of bench-search.sh in braces. It prints a line "seconds S", and a line "ID CLOSENESS" for each vertex,
# or for some of them: then its time is multiplied, and has a ~ before it.
#
# The environment says how it runs:
#   BACKEND    cpu or cuda (default: cuda where there is a GPU, else cpu)
#   THREADS    of the cpu backend and of peers (default: all cores)
#   BATCHES    sizes of batches ('64 256')
#   ROUNDS     processes of each program, in turns (3)
#   BEFORE     the folder of another build's programs: its dbfs-batch has rows, too, and its dbfs-pack packs, if it is there
#   CLOSENESS  graphs of up to so many vertices have a row in the second table (default: 400000; 0: none)
#   LIMIT      seconds that one program may run (600)
#   WORK       a folder for graphs (default: /dev/shm)
#   RESULTS    a file that keeps the tables, with command, machine, revision and date (scripts/results/)
#
# First table: searches a second, from the sum of the search times of the sampled roots, medians over the processes; how
# many times those of one by one; whether checksums of distances are the same. Second: seconds of the searches and of the
# whole run, loading and writing included; of one by one, and of peers, how many times the searches take; and the largest
# relative difference of a peer's value from `closeness` or `closeness_wf`, whichever is meant (dbfs-batch(1) defines them).
# Exit 1 if a program fails, 4 if distances or values differ.
set -euo pipefail
cd "$(dirname "$0")/.."
export TMPDIR=${WORK:-/dev/shm}
settings='BACKEND THREADS BATCHES ROUNDS BEFORE CLOSENESS LIMIT'
. scripts/bench-lib.sh
edges=$work/graph.edges
ours=/dev/null
backend=${BACKEND:-$(nvidia-smi -L 2>/dev/null | grep -q '^GPU' && echo cuda || echo cpu)}
threads=${THREADS:-$cores}
graphs=()
code=0
row='%-20s %-16s %12s %8s  %s\n'
closeness_row='%-20s %-16s %10s %10s %9s  %s\n'
tables=$work/closeness

run() { # PROGRAM OPTION...
    timeout "${LIMIT:-600}" "$@" --trust --backend "$backend" -@ "$threads" "$work/shards"
}

# ---- searches one by one, and batches ----

# Appends the rate and the checksum of one process to the file of its row.
one_by_one() { # COUNT
    run "$bin/dbfs-traverse" --no-check --warm-up 1 -n "$1" | awk '
        $1 == "root" { for (i = 3; i < NF; i += 2) if ($i == "time_s") { n++; sum += $(i + 1) } }
        $1 == "distance_checksum:" { print n / sum, $2 }' >>"$work/rates.single.$1"
}

batch() { # LABEL PROGRAMS COUNT: the time without checksums, and then a checksum
    { run "$2/dbfs-batch" -q -n "$3" --batch "$3" --no-checksum && run "$2/dbfs-batch" -q -n "$3" --batch "$3"; } | awk '
        $1 == "searches_per_s:" && !rate { rate = $2 }
        $1 == "distance_checksum:" { print rate, $2 }' >>"$work/rates.$1.$3"
}

show() { # GRAPH LABEL COUNT
    local rate same
    rate=$(median "$work/rates.$2.$3")
    same=$(cut -d' ' -f2 "$work/rates.$2.$3" "$work/rates.single.$3" | sort -u | wc -l)
    [ "$same" = 1 ] && same=same || { same=differ && code=4; }
    printf "$row" "$1" "$2 $3" "$rate" "$(ratio "$rate" "$(median "$work/rates.single.$3")")" "$same"
}

bench_batches() { # GRAPH
    local count i
    for count in ${BATCHES:-64 256}; do
        for ((i = 0; i < ${ROUNDS:-3}; i++)); do
            one_by_one "$count"
            batch batch "$bin" "$count"
            [ -z "${BEFORE:-}" ] || batch before "$BEFORE" "$count"
        done
        show "$1" single "$count"
        show "$1" batch "$count"
        [ -z "${BEFORE:-}" ] || show "$1" before "$count"
    done
}

# ---- closeness of all vertices ----

# Prints "SECONDS VALUES DIFFERENCE": what the peer took, of how many vertices it has values, and how far they are from ours.
judge() { # OUTPUT
    awk -v most=1e-9 '
        function far(a, b) { a -= b; a = a < 0 ? -a : a; return b > 0 ? a / b : a }
        FILENAME == ARGV[1] { if ($1 !~ /^#/) { plain[$1] = $5; scaled[$1] = $6 } next }
        $1 == "seconds" { seconds = $2 }
        $1 in plain { n++; d = far($2, plain[$1]); if (d > p) p = d; d = far($2, scaled[$1]); if (d > s) s = d }
        END {
            least = p < s ? p : s
            verdict = n == 0 || least > most ? "differ" : p < s ? "closeness" : "closeness_wf"
            printf "%s %d %.2g %s\n", seconds, n, least, verdict
        }' \
        "$work/table" "$1"
}

bench_peer() { # GRAPH NAME COMMAND SECONDS
    local seconds values difference verdict vertices_done mark=
    timeout "${LIMIT:-600}" env OMP_NUM_THREADS="$threads" bash -c "$(fill "$3")" >"$work/theirs" 2>"$work/why" || {
        printf "$closeness_row" "$1" "$2" failed - - "$(tail -1 "$work/why")" >>"$tables"
        return
    }
    read -r seconds values difference verdict <<<"$(judge "$work/theirs")"
    vertices_done=$(grep -c '^[0-9]' "$work/theirs" || true)
    [ "$verdict" != differ ] || code=4
    [ "$vertices_done" -ge "$vertices" ] || mark='~'
    seconds=$(awk -v s="$seconds" -v n="$vertices" -v done="$vertices_done" 'BEGIN { printf "%.4g", s * n / (done > 0 ? done : n) }')
    printf "$closeness_row" "$1" "$2" "$mark$seconds" - "$mark$(ratio "$seconds" "$4")" \
        "$verdict of $values vertices, largest difference $difference" >>"$tables"
}

bench_closeness() { # GRAPH
    local i begun seconds single
    begun=$(date +%s.%N)
    run "$bin/dbfs-batch" -q -n all --batch 256 --no-checksum --force --centrality "$work/table" >"$work/said"
    begun=$(awk -v a="$begun" -v b="$(date +%s.%N)" 'BEGIN { printf "%.3f", b - a }')
    seconds=$(sed -n 's/^search_time: //p' "$work/said")
    printf "$closeness_row" "$1" dbfs-batch "$(printf %.4g "$seconds")" "$begun" 1 "$(sed -n 's/^NBFS: //p' "$work/said") vertices" >>"$tables"
    cat "$work"/rates.single.* >"$work/rates"
    single=$(awk -v n="$(sed -n 's/^NBFS: //p' "$work/said")" -v rate="$(median "$work/rates")" 'BEGIN { printf "%.4g", n / rate }')
    printf "$closeness_row" "$1" 'one by one' "~$single" - "~$(ratio "$single" "$seconds")" 'reckoned from those above' >>"$tables"
    for i in "${!peer_names[@]}"; do bench_peer "$1" "${peer_names[i]}" "${peer_commands[i]}" "$seconds"; done
}

# ---- graphs ----

bench() { # GRAPH
    local name
    name=$(basename "$1" | cut -c 1-20)
    make_graph "$1" || { left_out; code=1; return; }
    mv "$work/edges" "$edges"
    rm -rf "$work/shards" "$work"/rates.*
    "$packer" -q -p 1 --for "$([ "$backend" = cuda ] && echo gpu || echo cpu)" -o "$work/shards" "$edges"
    vertices=$(run "$bin/dbfs-traverse" --no-check -n 1 | sed -n 's/^vertices: //p')
    bench_batches "$name"
    [ "$vertices" -gt "${CLOSENESS:-400000}" ] || bench_closeness "$name"
    rm -rf "$work/shards" "$work"/graph.*
}

take_arguments "$@"
[ ${#graphs[@]} -gt 0 ] || graphs=(rmat18 uniform18 grid500 datasets/usa-road-NY.txt)
printf "$row" graph program searches/s times distances
for graph in "${graphs[@]}"; do bench "$graph"; done
[ ! -s "$tables" ] || { echo && printf "$closeness_row" graph closeness search_s run_s times values && cat "$tables"; }
exit $code
