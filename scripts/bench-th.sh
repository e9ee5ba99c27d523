#!/bin/bash
# bench-th.sh: what TH does to the time of a search, as lines separated by tabs.
#
#   scripts/bench-th.sh [GRAPH...]
#
# A GRAPH is one of bench-suite.sh: rmatS, uniformS, uniformSeE, pathN, gridN, a file that edgeconv reads, or a
# folder of such files. Without one: a set of all shapes. Paths and grids want `make tests-bin`. The environment:
#   BACKEND   cpu or cuda (default: cuda where there is a GPU)
#   THREADS   of the cpu backend (default: all cores)
#   ROOTS     searches of a run (16)
#   ROUNDS    runs of each TH (1); the least time of each root counts, as machines are disturbed
#   TH        thresholds (0 1 2 4 8 16 32 64 128 256 512 inf). One with the delegates of another is left out.
#   P         shards (1)
#   WAYS      with several shards: how they are searched, each NAME:LINKS:LAUNCH:OPTIONS, with `;` between ways.
#             NAME stands after the graph's, LINKS is degsplit's --links, LAUNCH comes before dbfs-traverse, as in
#             '1x2:peer::;2x1:host:mpiexec -n 2:--exchange-memory host'. Without it: one way, of one process
#   TRAVERSE  the dbfs-traverse to run (default: that of BUILD)
#   OPTIONS   for it
#   THREADS is for each process; a way may have its own -@
#   WORK      a folder for graphs (default: /dev/shm)
#
# A line: graph, TH, delegates, normals with edges, directed edges kept of nn, nd, dn, dd, mean ms, median ms,
# mean levels, mean vertices reached, and the ms that degsplit predicts for BACKEND. Standard error has, for each
# graph, the TH that is the fastest, the TH suggested for BACKEND and by default, and their times over the least.
# The rates TH of formats/rates.def are fitted to such lines (scripts/fit-rates): where suggestions lose, they want another fit.
set -euo pipefail
cd "$(dirname "$0")/.."
export TMPDIR=${WORK:-/dev/shm}
. scripts/bench-lib.sh >&2
. scripts/bench-graphs.sh
[ -n "${BACKEND:-}" ] || { nvidia-smi -L 2>/dev/null | grep -q '^GPU' && BACKEND=cuda || BACKEND=cpu; }
threads=${THREADS:-$cores}

# Packs for the next TH. On a GPU this goes on beside the searches of the TH before.
pack_next() { # TH
    "$bin/dbfs-pack" -q -p "${P:-1}" -t "$1" -o "$work/graph-$1" "$work/edges"
}

# One run, as a line like those of the output but with the way in place of the graph, and the time of each root in
# place of mean and median.
measure() { # TH WAY
    $(part_of "$2" 3) "${TRAVERSE:-$bin/dbfs-traverse}" -q --no-check --backend "$BACKEND" -@ "$threads" $roots \
        ${OPTIONS:-} $(part_of "$2" 4) --force --json "$work/json" "$work/graph-$1" >/dev/null
    tr '\n{}[]' '     ' <"$work/json" | awk -v way="$(part_of "$2" 1)" -v th="$1" '
        function after(key, text,    at) { # the number that follows a key
            at = index(text, "\"" key "\":")
            return at ? substr(text, at + length(key) + 3) + 0 : ""
        }
        { split(substr($0, index($0, "\"roots\":")), root, "\"root\": ")
          for (i = 2; i in root; i++) {
              levels += after("levels", root[i]); reached += after("reached", root[i])
              times = times " " 1e3 * after("time_s", root[i])
          }
          n = i - 2
          d = after("delegates", $0)
          printf "%s\t%s\t%d\t%d\t%d\t%d\t%d\t%d\t%s\t\t%.1f\t%.0f\n", way, th, d,
              after("vertices_with_edges", $0) - d, after("nn", $0), after("nd", $0), after("dn", $0),
              after("dd", $0), times, levels / n, reached / n }'
}

machine=gpu
[ "$BACKEND" = cuda ] || machine=cpu

part_of() { echo "$1" | cut -d : -f "$2"; } # WAY NUMBER

# The table of degsplit for each way and machine; the TH that are suggested; those of $TH that differ in delegates.
thresholds() {
    local way links for
    : >"$work/suggested"
    while read -r way; do
        links=$(part_of "$way" 2)
        for for in $machine both; do
            "$bin/degsplit" -q -p "${P:-1}" --for $for --links "${links:-auto}" --force --sweep "$work/sweep.$for" \
                -o /dev/null "$work/edges"
            awk -F'\t' -v OFS='\t' -v way="$(part_of "$way" 1)" -v asked="$for" '$NF == 1 { print way, asked, $1 }' \
                "$work/sweep.$for" >>"$work/suggested"
        done
        mv "$work/sweep.$machine" "$work/sweep.$(part_of "$way" 1)"
    done <"$work/ways"
    cat "$work"/sweep.* | awk -F'\t' -v wanted="$(cut -f 3 "$work/suggested" | tr '\n' ' ') \
        ${TH:-0 1 2 4 8 16 32 64 128 256 512 inf}" '
        BEGIN { split(wanted, list, " "); for (i in list) want[list[i]] = 1 }
        want[$1] && $2 == 0 { last = "inf"; next }
        want[$1] && !seen[$2]++ { print $1 }
        END { if (want["inf"]) print "inf" }' | sort -g
}

# Lines of measure() in, lines of the output out; what is fastest and what was suggested goes to standard error.
summarise() { # GRAPH WAY
    awk -F'\t' -v graph="$1" -v way="$2" -v OFS='\t' -v machine=$machine '
        FILENAME ~ /suggested$/ { if ($1 == way) th[$2] = $3; next }
        FILENAME != "-" && FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        FILENAME != "-" { predicted[$1] = $at[machine "_ms"]; delegates[$1] = $2; next }
        $1 != way { next }
        { $1 = graph (way == "" ? "" : ":" way); roots = split($9, time, " ") }
        !($2 in line) { order[++n] = $2; line[$2] = $0; for (i in time) best_of[$2, i] = time[i] }
        { for (i in time) if (time[i] + 0 < best_of[$2, i] + 0) best_of[$2, i] = time[i] }
        # mean[] and median[] of the least times of all roots with this TH
        function take(th,    i, j, sorted, t) {
            for (i = 1; i <= roots; i++) {
                t = best_of[th, i] + 0; mean[th] += t / roots
                for (j = i - 1; j > 0 && sorted[j] > t; j--) sorted[j + 1] = sorted[j]
                sorted[j + 1] = t
            }
            median[th] = (sorted[int((roots + 1) / 2)] + sorted[int(roots / 2) + 1]) / 2
        }
        function loss(th) { # of the TH that was run for it
            for (i = 1; i <= n; i++) if (delegates[order[i]] == delegates[th]) return sprintf("%.2f", mean[order[i]] / least)
        }
        END {
            for (i = 1; i <= n; i++) {
                $0 = line[order[i]]; take($2)
                $9 = sprintf("%.6f", mean[$2]); $10 = sprintf("%.6f", median[$2])
                name = $1
                print $0, predicted[$2]
                if (!least || mean[$2] < least) { least = mean[$2]; best = $2 } }
            printf "%s: TH %s is the fastest; %s, suggested for it, takes %s of that, and %s, the default, %s\n", name,
                best, th[machine], loss(th[machine]), th["both"], loss(th["both"]) >"/dev/stderr" }' \
        "$work/suggested" "$work/sweep.$2" -
}

bench() { # GRAPH
    local th round ths next way name
    make_graph "$1" || { sed 's/^/left out: /' "$work/why" | tail -1 >&2; return 0; }
    echo "${WAYS:-:auto::}" | tr ';' '\n' >"$work/ways"
    ths=($(thresholds))
    for ((round = 0; round < ${ROUNDS:-1}; round++)); do
        for ((i = 0; i < ${#ths[@]}; i++)); do
            th=${ths[i]} next=${ths[i + 1]:-}
            [ -e "$work/graph-$th/manifest" ] || pack_next "$th"
            [ "$BACKEND" = cpu ] || [ -z "$next" ] || [ -e "$work/graph-$next" ] || pack_next "$next" &
            while read -r way <&4; do measure "$th" "$way"; done 4<"$work/ways"
            wait
            [ "${ROUNDS:-1}" != 1 ] || rm -rf "$work/graph-$th"
        done
    done >"$work/lines"
    name=$(basename "$1" | cut -c 1-24)
    while read -r way <&4; do summarise "$name" "$(part_of "$way" 1)" <"$work/lines"; done 4<"$work/ways"
    rm -rf "$work"/graph-* "$work/edges" "$work"/sweep.*
}

[ $# -gt 0 ] || set -- rmat16 rmat18 rmat20 rmat22 uniform18 uniform20 uniform22 uniform20e2 path20000 grid1000 \
    $([ ! -d ../shared/data ] || echo ../shared/data)
printf 'graph\tth\tdelegates\tnormals\tnn\tnd\tdn\tdd\tmean_ms\tmedian_ms\tlevels\treached\tpredicted_ms\n'
for graph in "$@"; do
    start=$SECONDS
    if [ -d "$graph" ]; then
        files_of "$graph" >"$work/files"
        while read -r file <&3; do bench "$file"; done 3<"$work/files"
    else
        bench "$graph"
    fi
    echo "$graph: $((SECONDS - start)) s" >&2
done
