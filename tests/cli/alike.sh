#!/bin/bash
# alike.sh: two searches from one root on a CPU go alike: each level takes the same way and the same directions. This
# holds with more threads than cores, and with a core for one thread alone. Long mode has more searches.
set -u
in_memory_mib=1024
. tests/lib.sh
searches=8 counts='4 16'
[ "${TEST_MODE:-short}" = short ] || searches=24 counts='4 8 16'

# A mesh of 30 layers of 6000 vertices, each with edges to four of the next layer: many levels in a row that
# are worth a parallel region.
awk 'BEGIN { for (layer = 0; layer < 30; layer++) for (i = 0; i < 6000; i++) for (j = 0; j < 4; j++)
    print 6000 * layer + i, 6000 * (layer + 1) + (i * 7 + j * 371) % 6000 }' >"$tmp/mesh.txt"
"$BIN/edgeconv" -q -u -o "$tmp/mesh.edges" "$tmp/mesh.txt" && "$BIN/rmatgen" -q -s 17 -o "$tmp/rmat.edges" || fail 'edges'
pack() { # NAME P TH: as $tmp/NAMEP
    "$BIN/dbfs-pack" -q -p "$2" -t "$3" -o "$tmp/$1$2" "$tmp/$1.edges" || fail "packing $1"
}
pack mesh 1 inf && pack mesh 3 inf && pack rmat 1 0 && pack rmat 4 16
alone=()
command -v taskset >/dev/null 2>&1 && alone=(taskset -c "$(taskset -pc $$ | sed 's/.*: \([0-9]*\).*/\1/')")

# levels FILE GRAPH THREADS COMMAND...: of all searches a line for each level: its frontier, way and directions
levels() {
    local file=$1 graph=$2 threads=$3
    shift 3
    "$@" "$BIN/dbfs-traverse" -q --backend cpu -@ "$threads" -n $searches --trace "$tmp/trace" --force "$tmp/$graph" >"$tmp/out" 2>&1
    "$BIN/dbfs-report" levels "$tmp/trace" | awk -F '\t' '
        NR == 1 { for (i = 1; i <= NF; i++) if ($i ~ /^(root|level|frontier|way|.*\.direction)$/) c[++n] = i }
        { for (i = 1; i <= n; i++) printf "%s ", $c[i]; print "" }' >"$tmp/$file"
    rm -f "$tmp/trace"
    sed -n 's/^distance_checksum: //p' "$tmp/out" >>"$tmp/$graph.checksums"
}
for graph in mesh1 rmat1 mesh3 rmat4; do
    levels single $graph 1 env
    for threads in $counts; do
        levels first $graph $threads env
        levels second $graph $threads env
        name="$graph, -@ $threads"
        case $graph in
        mesh1) [ "$threads" = 4 ] || check "$name: levels in a parallel region" grep -q ' region ' "$tmp/first" ;;
        rmat1) check "$name: levels by masks" grep -q ' masks ' "$tmp/first" ;;
        esac
        check "$name: two runs go alike" diff "$tmp/first" "$tmp/second"
        if [ ${#alone[@]} = 0 ]; then
            skip "$name: there is no taskset"
            continue
        fi
        levels alone $graph $threads "${alone[@]}"
        check "$name: a run on a single core goes alike" diff "$tmp/first" "$tmp/alone"
    done
    check "$graph: the distances are those of one thread" test "$(sort -u "$tmp/$graph.checksums" | wc -l)" = 1 -a -s "$tmp/$graph.checksums"
done
check 'there are levels of rmat4' test "$(wc -l <"$tmp/first")" -gt $((4 * searches))
finish
