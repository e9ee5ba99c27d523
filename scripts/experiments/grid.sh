# grid.sh: the 2D partition, searched by dbfs-traverse-2d from one root: on as many ranks as it has processors.

# grid_levels RxC: of $work/edges; rows `level expanded folded dropped`, vertices that all processors send to each other in the
# expand and in the ring of the fold, and those that the ring drops as duplicates.
grid_levels() {
    "$bin/dbfs-pack" -q --layout "2d=$1" --force -o "$work/grid" "$work/edges"
    "$mpiexec" -n $((${1%x*} * ${1#*x})) "$bin/dbfs-traverse-2d" -q -@ 1 -n 1 --breakdown --force --json "$work/grid.json" "$work/grid" \
        >/dev/null 2>"$work/said" </dev/null || die 1 "$(head -3 "$work/said")"
    local name
    for name in frontier_bytes list_bytes dropped_vertices; do
        grep -o "\"$name\": \[[0-9, ]*\]" "$work/grid.json" | sed 's/.*\[//; s/\]//; s/, */\n/g' >"$work/$name"
    done
    paste "$work/frontier_bytes" "$work/list_bytes" "$work/dropped_vertices" |
        awk -v OFS='\t' '{ print NR, $1 / 4, $2 / 4, $3 }'
}
