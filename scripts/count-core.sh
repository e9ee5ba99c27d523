#!/bin/bash
# count-core.sh GRAPH...: measures the possible gain from taking trees off a graph before the search. A GRAPH is
# rmatN, or a file for edgeconv. It counts leaves and vertices outside the 2-core, and searches the 2-core and the
# whole graph in turn, from the same roots. The depths of trees are not written, so the ratio is an upper bound on the
# gain.
set -euo pipefail
settings='THREADS ROUNDS COUNT'
. scripts/bench-lib.sh
export LC_ALL=C

edges_of() { # GRAPH: prints distinct edges without self-loops, as text
    case $1 in
    rmat[0-9]*) "$bin/rmatgen" -q -s "${1#rmat}" -f text ;;
    *) "$bin/edgeconv" -q --base 0 -t text -o - "$1" ;;
    esac | awk '/^#/ || $1 == $2 { next } { print ($1 < $2 ? $1 " " $2 : $2 " " $1) }' | sort -u -S 2G
}

# Prints the edges of the 2-core of standard input. A vertex with one neighbour left finds it in its sum of
# neighbours.
core_of() {
    awk '
        { u[NR] = $1; v[NR] = $2; degree[$1]++; degree[$2]++; sum[$1] += $2; sum[$2] += $1 }
        END {
            for (x in degree) if (degree[x] == 1) { leaves++; queue[++n] = x }
            for (i = 1; i <= n; i++) {
                x = queue[i]
                if (degree[x] != 1) continue # this is the last vertex of a tree
                y = sum[x]; degree[x] = 0; degree[y]--; sum[y] -= x
                if (degree[y] == 1) queue[++n] = y
            }
            print leaves + 0 >"/dev/stderr"
            for (i = 1; i <= NR; i++) if (degree[u[i]] > 0 && degree[v[i]] > 0) print u[i], v[i]
        }' "$1"
}
vertices() { tr ' ' '\n' <"$1" | sort -u -S 1G | wc -l; }
percent() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.1f", 100 * a / b }'; }

# median NAME: prints milliseconds of a search of the packed graph, by the search clock and by that of the answer
median() {
    "$bin/dbfs-traverse" -q --backend cpu -@ "${THREADS:-0}" --warm-up 2 --roots-from "$work/roots" --force \
        --json "$work/json" "$work/$1" >/dev/null
    for clock in search answer; do
        "$bin/dbfs-report" means --clock $clock "$work/json" | awk -F '\t' 'NR == 2 { printf "%.4f ", 1000 * $12 }'
    done
}

printf 'graph\tvertices\tedges\tleaves_percent\tcore_vertices_percent\tcore_edges_percent\twhole_ms\tcore_ms\tratio\twhole_answer_ms\tcore_answer_ms\tanswer_ratio\n'
for graph in "$@"; do
    edges_of "$graph" >"$work/whole.txt"
    leaves=$({ core_of "$work/whole.txt" >"$work/core.txt"; } 2>&1)
    n=$(vertices "$work/whole.txt")
    m=$(wc -l <"$work/whole.txt")
    if [ ! -s "$work/core.txt" ]; then # the graph is a tree
        printf '%s\t%s\t%s\t%s\t0\t0\n' "$(basename "$graph")" "$n" "$m" "$(percent "$leaves" "$n")"
        continue
    fi
    # both keep the ids of the input, and so their order
    for part in whole core; do
        "$bin/edgeconv" -q -u --randomize=1 --vertices "$(awk '{ if ($1 > n) n = $1; if ($2 > n) n = $2 } END { print n + 1 }' "$work/whole.txt")" \
            --force -o "$work/$part.edges" "$work/$part.txt"
        "$bin/dbfs-pack" -q -p 1 --force -o "$work/$part" "$work/$part.edges"
    done
    awk -v count="${COUNT:-16}" '{ x[NR] = $1 } END { for (i = 0; i < count; i++) print x[1 + int(i * NR / count)] }' \
        "$work/core.txt" | sort -u -n >"$work/roots"
    : >"$work/whole.times" && : >"$work/core.times"
    for _ in $(seq "${ROUNDS:-5}"); do
        { median whole && echo; } >>"$work/whole.times"
        { median core && echo; } >>"$work/core.times"
    done
    # the least of all rounds
    read -r whole whole_answer <<<"$(awk '{ if (a == "" || $1 < a) a = $1; if (b == "" || $2 < b) b = $2 } END { print a, b }' "$work/whole.times")"
    read -r core core_answer <<<"$(awk '{ if (a == "" || $1 < a) a = $1; if (b == "" || $2 < b) b = $2 } END { print a, b }' "$work/core.times")"
    printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$(basename "$graph")" "$n" "$m" "$(percent "$leaves" "$n")" \
        "$(percent "$(vertices "$work/core.txt")" "$n")" "$(percent "$(wc -l <"$work/core.txt")" "$m")" \
        "$whole" "$core" "$(ratio "$whole" "$core")" "$whole_answer" "$core_answer" "$(ratio "$whole_answer" "$core_answer")"
done
