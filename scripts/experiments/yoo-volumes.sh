#!/bin/bash
# yoo-volumes.sh: figures 7 and 8 and table 1: vertices that a process receives by level in one dimension and in two, and
# how many of them are dropped as duplicates: before they move in one dimension, by the ring of the fold in two.
. scripts/experiments/lib.sh
. scripts/experiments/grid.sh
. scripts/experiments/counted.sh

row k processes topology before after redundant_percent >"$work/redundant"
row source topology vertices_a_process k search_s communication_s expand_length fold_length >"$work/lengths"
while read -r line; do row published $line; done >>"$work/lengths" <<'END'
128x256 100000 10 4.800 0.318 64016.70 65371.19
256x128 100000 10 4.843 0.324 65315.12 64124.96
32768x1 100000 10 5.649 2.147 66640.10 9032.11
1x32768 100000 10 4.180 2.246 6379.10 66640.50
128x256 10000 100 2.283 0.157 95573.54 115960.29
256x128 10000 100 2.385 0.164 114285.92 98418.21
32768x1 10000 100 3.172 1.391 138265.36 1760.00
1x32768 10000 100 2.681 1.363 1361.99 138280.39
END
: >"$work/volumes"
n=${VERTICES:-8000}
for k in 10 34 50 100; do
    heard "$bin/rmatgen" --poisson -n $n -k $k >"$work/edges"
    for p in 4 16; do
        counted $p | awk -F '\t' '$2 != $3' >"$work/pairs"
        awk -F '\t' -v OFS='\t' -v k=$k -v p=$p '{ before += $4; after += $5 }
            END { print k, p, "1x" p, before, after, 100 * (before - after) / before }' "$work/pairs" >>"$work/redundant"
    done
    awk -F '\t' -v OFS='\t' -v k=$k -v p=8 '{ received[$1] += $5 / p }
        END { if (k < 100) for (level in received) print "ours", "1D, k = " k, level, received[level] }' <(counted 8 | awk -F '\t' '$2 != $3') >>"$work/volumes"
    awk -F '\t' -v OFS='\t' -v n=$n -v k=$k -v p=16 '{ levels[$1]; sum += $5 / p }
        END { for (level in levels) count++; print "ours", "1x" p ", counted", n / p, k, "NaN", "NaN", 0, sum / count }' "$work/pairs" >>"$work/lengths"
    for topology in 2x4 8x1 1x8; do
        grid_levels $topology >"$work/grid.levels"
        time=$(grep -o '"time_s": [0-9.e+-]*' "$work/grid.json" | tail -n 1 | cut -d ' ' -f 2) # it has no time of messages
        awk -v OFS='\t' -v n=$n -v k=$k -v p=8 -v t=$topology -v time="$time" '{ expand += $2 / p; fold += $3 / p }
            END { print "ours", t, n / p, k, sprintf("%.3g", time), "NaN", expand / NR, fold / NR }' "$work/grid.levels" >>"$work/lengths"
        [ $topology = 2x4 ] || continue
        [ $k = 100 ] || awk -v OFS='\t' -v k=$k -v p=8 '{ print "ours", "2D, k = " k, $1, ($2 + $3) / p }' "$work/grid.levels" >>"$work/volumes"
        awk -v OFS='\t' -v k=$k -v p=8 '{ after += $3; dropped += $4 }
            END { print k, p, "2x4", after + dropped, after, 100 * dropped / (after + dropped) }' "$work/grid.levels" >>"$work/redundant"
    done
done
keep_curves yoo-figure-7 "Yoo, figure 7: vertices received by a process, by level; Poisson graphs of $n vertices, 8 processes (theirs: 40 million, 400, where 1D and 2D move as much for k = 34)" \
    "1D: $counting; 2D: dbfs-traverse-2d, 2x4, ring" level 'vertices a process' <"$work/volumes"
keep yoo-figure-8 "Yoo, figure 8: share of duplicates that need not move, Poisson graphs of $n vertices; theirs as much as 80%, with a ring and vertices that grow with processors" "1x: $counting; 2x4: dbfs-traverse-2d, ring" <"$work/redundant"
keep yoo-table-1 "Yoo, table 1: times, and mean length of a message by topology, in vertices a level; Poisson graphs of $n vertices, so small that a process hears of all of them; communication is not timed apart (NaN); theirs has an expand, or a fold, where ours has one process and counts none (0)" "counted: $counting; others: dbfs-traverse-2d, ring" <"$work/lengths"
