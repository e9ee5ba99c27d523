#!/bin/bash
# bench-cpu.sh: dbfs-traverse on the CPU by both clocks, with several numbers of threads, beside other programs
#
#   scripts/bench-cpu.sh [GRAPH | FOLDER | NAME=COMMAND]...
#
# A GRAPH, a FOLDER and a peer NAME=COMMAND are those of bench-suite.sh. GAPBS=DIR stands for the peer
# 'GAPBS=DIR/bfs -f {sg} -n {count}'. Without a graph: rmat20 rmat22 uniform20 uniform22 grid1000.
#
# The environment says how it runs:
#   THREADS   numbers of threads (default: those of 1, 2, 8, 16, 32 that are no more than the cores)
#   ROOTS     how many are sampled for each graph (16); those of paths and grids are fixed
#   ROUNDS    at most (3): in a round all programs take turns, because machines drift
#   EACH      seconds (20) after which a row has no further round
#   RUN       words before each program: 'taskset -c 0-15', 'numactl -i all', 'chrt -f 10'
#   PACK      options for dbfs-pack (--for cpu)
#   LIMIT     seconds that one program may run (600)
#   WORK      a folder for graphs (default: /dev/shm)
#   RESULTS   a file that keeps the table, with command, machine, revision and date (scripts/results/)
#
# A row, printed as soon as it is measured, is a graph with a number of threads:
#   ms        medians over the rounds of the mean over the roots: the search for distances, and its answer
#             (int32 distances by input id); the search that records parents, and its answer
#   par/dist  the answer with parents over that with distances
# and for each peer
#   its ms, and how many times as fast dbfs was: search for distances, answer with distances, answer with parents
#   same      the peer found the distances of dbfs (as far as it says what it found)
# Exit 4 if distances differ, between numbers of threads too.
set -euo pipefail
cd "$(dirname "$0")/.."
export TMPDIR=${WORK:-/dev/shm}
settings='THREADS ROOTS ROUNDS EACH RUN PACK LIMIT GAPBS'
. scripts/bench-lib.sh
. scripts/bench-graphs.sh
. scripts/bench-peers.sh
edges=$work/graph.edges
ours=$work/ours
code=0

# Its times are kept in $work/KIND, a line "SEARCH ANSWER" for each round; what it found is in $ours.
search() { # KIND: depths or parents
    timeout "${LIMIT:-600}" ${RUN:-} "$bin/dbfs-traverse" -@ "$threads" --backend cpu --no-check --warm-up 1 \
        $roots --answer "$1" "$work/shards" >"$work/said"
    awk -v found="$ours" -v times="$work/$1" '
        $1 == "root" {
            for (i = 3; i < NF; i += 2) v[$i] = $(i + 1)
            print $2, v["reached"], v["levels"], v["checksum"] >found
            search += v["time_s"]; answer += v["answer_s"]; n++
        }
        END { print 1e3 * search / n, 1e3 * answer / n >>times }' "$work/said"
    sed -n 's/^distance_checksum: //p' "$work/said" >>"$work/sums"
}

# Times are kept in $work/peer.NAME, and in $work/verdict.NAME whether it found the same.
ask_peer() { # NAME COMMAND
    run_peer "${RUN:-} $2" "$work/theirs"
    awk -v found="$ours" -v times="$work/peer.$1" '
        BEGIN {
            while ((getline line <found) > 0) {
                split(line, f, " ")
                known[f[1]] = 1; reached[f[1]] = f[2]; levels[f[1]] = f[3]; sum[f[1]] = f[4]
            }
        }
        { seconds += $2; n++ }
        NF >= 4 {
            said++
            wrong += !known[$1] || $3 != reached[$1] || $4 != levels[$1] || (NF > 4 && $5 != sum[$1])
        }
        END {
            if (n > 0) print 1e3 * seconds / n >>times
            print (n == 0 ? "failed" : wrong > 0 ? wrong " differ" : said < n ? "not compared" : "same")
        }' "$work/theirs" >"$work/verdict.$1"
}

median() { # FILE COLUMN; nothing if there is no line
    awk -v column="$2" '{ print $column }' "$1" 2>/dev/null | sort -g |
        awk '{ a[NR] = $1 } END { if (NR > 0) printf "%.4g", (a[int((NR + 1) / 2)] + a[int(NR / 2) + 1]) / 2 }'
}

rounds() { # runs programs in turns; sets `done_rounds`
    local begun=$SECONDS i
    rm -f "$work"/{depths,parents} "$work"/peer.* "$work"/verdict.*
    for ((done_rounds = 0; done_rounds < ${ROUNDS:-3}; done_rounds++)); do
        [ $done_rounds = 0 ] || [ $((SECONDS - begun)) -lt "${EACH:-20}" ] || break
        search depths
        search parents
        vertices=$(sed -n 's/^vertices: //p' "$work/said")
        for i in "${!peer_names[@]}"; do ask_peer "${peer_names[i]}" "${peer_commands[i]}"; done
    done
}

times_as_fast() { # PEER-MS OUR-MS
    if [ -n "$1" ]; then ratio "$1" "$2"; else echo -; fi
}

row() { # GRAPH
    local name theirs times=() verdict
    times=("$(median "$work/depths" 1)" "$(median "$work/depths" 2)" "$(median "$work/parents" 1)"
        "$(median "$work/parents" 2)")
    printf '%-20s %7s %6s %9s %9s %9s %9s %8s' "$1" "$threads" "$done_rounds" "${times[@]}" \
        "$(ratio "${times[3]}" "${times[1]}")"
    for name in "${peer_names[@]}"; do
        theirs=$(median "$work/peer.$name" 1)
        verdict=$(cat "$work/verdict.$name")
        [[ $verdict != *differ ]] || code=4
        printf '  %9s %7s %7s %7s %s' "${theirs:--}" "$(times_as_fast "$theirs" "${times[0]}")" \
            "$(times_as_fast "$theirs" "${times[1]}")" "$(times_as_fast "$theirs" "${times[3]}")" "$verdict"
    done
    echo
}

bench() { # GRAPH
    local name
    name=$(basename "$1" | cut -c 1-20)
    rm -rf "$work/shards" "$work"/graph.* "$work/sums"
    make_graph "$1" || { sed 's/^/left out: /' "$work/why" | tail -1 >&2; code=1; return; }
    mv "$work/edges" "$edges"
    "$bin/dbfs-pack" -q -p 1 --for cpu ${PACK:-} -o "$work/shards" "$edges"
    for threads in $thread_counts; do
        rounds
        row "$name"
    done
    [ "$(sort -u "$work/sums" | wc -l)" = 1 ] || { echo "$name: distances differ between searches"; code=4; }
}

thread_counts=${THREADS:-}
[ -n "$thread_counts" ] || for some in 1 2 8 16 32; do
    [ "$some" -gt "$cores" ] || thread_counts+=" $some"
done
graphs=()
[ -z "${GAPBS:-}" ] || add_peer "GAPBS=$GAPBS/bfs -f {sg} -n {count}"
for argument in "$@"; do
    if [ -d "$argument" ]; then
        while IFS= read -r file; do graphs+=("$file"); done < <(files_of "$argument")
    elif ! add_peer "$argument"; then
        graphs+=("$argument")
    fi
done
[ ${#graphs[@]} -gt 0 ] || graphs=(rmat20 rmat22 uniform20 uniform22 grid1000)
printf '%-20s %7s %6s %9s %9s %9s %9s %8s' graph threads rounds search answer p-search p-answer par/dist
for name in "${peer_names[@]}"; do printf '  %9s %7s %7s %7s %s' "$name" search answer p-answer same; done
echo
for graph in "${graphs[@]}"; do bench "$graph"; done
exit $code
