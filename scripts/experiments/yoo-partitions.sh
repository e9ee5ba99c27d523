#!/bin/bash
# yoo-partitions.sh: bytes that move by level, in one search on 8 processes: one dimension (no delegates), two dimensions
# (2x4: expand and union-fold), and degree separation. Yoo compares the first two in figure 7.
. scripts/experiments/lib.sh
. scripts/experiments/grid.sh

# moved NAME: prints rows `level bytes` of the last search of NAME
moved() {
    "$bin/dbfs-report" exchange "$work/$1.json" |
        awk -F '\t' -v OFS='\t' 'NR > 1 { sum[$2] += $7 } END { for (level in sum) print level + 1, sum[level] }' | sort -n
}
# by_level GRAPH: searches $work/edges in three partitions; prints rows of GRAPH
by_level() {
    packed one 8 inf <"$work/edges"
    searched one 8 --breakdown -@ 1 -n 1 --direction push --uniquify --exchange-memory host --exchange-form list
    packed separated 8 16 <"$work/edges"
    searched separated 8 --breakdown -@ 1 -n 1 --uniquify --exchange-memory host --exchange-form list
    grid_levels 2x4 >"$work/levels"
    moved one >"$work/moved.1"
    moved separated >"$work/moved.2"
    awk -v OFS='\t' -v graph="$1" '
        FNR == 1 { file++ }
        file == 1 { one[$1] = $2 } file == 2 { separated[$1] = $2 }
        file == 3 && one[$1] + $2 + $3 > 0 { print graph, $1, one[$1] + 0, 4 * $2, 4 * $3, 4 * ($2 + $3), separated[$1] + 0 }' \
        "$work/moved.1" "$work/moved.2" "$work/levels"
}
{
    row graph level one_d_bytes two_d_expand_bytes two_d_fold_bytes two_d_bytes degree_separated_bytes
    heard "$bin/rmatgen" --poisson -n 8000 -k 10 >"$work/edges"
    by_level 'Poisson, n = 8000, k = 10'
    heard "$bin/rmatgen" --poisson -n 8000 -k 50 --force -o "$work/edges"
    by_level 'Poisson, n = 8000, k = 50'
    rmat "$scale" >"$work/edges"
    by_level "RMAT $scale"
} | keep yoo-partitions 'Bytes by level in one dimension, in two, and with degrees separated; 8 processes' \
    "1D and degree-separated: dbfs-traverse, cpu, messages as lists; 2D: dbfs-traverse-2d, 2x4, ring; TH 16"
