# grid.sh: searches of the 2D partition by dbfs-traverse-2d, from one root, with one rank for each processor of the grid.

# grid_levels RxC: packs and searches $work/edges; prints rows `level expanded folded dropped`: vertices that all processors send
# in the expand and in the ring of the fold, and vertices that the ring drops as duplicates.
grid_levels() {
    heard "$bin/dbfs-pack" --layout "2d=$1" --force -o "$work/grid" "$work/edges"
    heard "$mpiexec" -n $((${1%x*} * ${1#*x})) "$bin/dbfs-traverse-2d" -@ 1 -n 1 --breakdown --force --json "$work/grid.json" "$work/grid" \
        >/dev/null </dev/null
    local name
    for name in frontier_bytes list_bytes dropped_vertices; do
        grep -o "\"$name\": \[[0-9, ]*\]" "$work/grid.json" | sed 's/.*\[//; s/\]//; s/, */\n/g' >"$work/$name"
    done
    paste "$work/frontier_bytes" "$work/list_bytes" "$work/dropped_vertices" |
        awk -v OFS='\t' '{ print NR, $1 / 4, $2 / 4, $3 }'
}
