#!/bin/bash
# yoo-scaling.sh: figures 4 and 5: weak and strong scaling on Poisson graphs without delegates, which is their 1D partition, with
# the vertices that move; yoo-partitions.sh and yoo-volumes.sh have their 2D partition.
. scripts/experiments/lib.sh
. scripts/experiments/counted.sh

# line K P N: packs and searches $work/edges
line() {
    packed graph "$2" inf <"$work/edges"
    searched graph 1 --breakdown --direction push
    row "$1" "$2" "$3" "$(reported graph options median_s | awk '{ print 1000 * $1 }')" \
        "$("$bin/dbfs-report" roots "$work/graph.json" | awk -F '\t' 'NR > 1 { sum += $4 } END { print sum / (NR - 1) }')" \
        "$(counted "$2" | awk -F '\t' -v p="$2" '$2 != $3 { sum += $5 / p } END { print sum + 0 }')"
}
head=$(row k processes vertices median_ms levels vertices_received_by_a_process)
{
    echo "$head"
    for k in 10 50 100; do
        for p in 1 2 4 8; do
            n=$((p * 20000 / k))
            heard "$bin/rmatgen" --poisson -n $n -k $k >"$work/edges"
            line $k $p $n
        done
    done
} | keep yoo-figure-4 'Yoo, figure 4: weak scaling on Poisson graphs; theirs has 100,000 vertices a processor for k = 10, up to 32,768 processors' \
    "$own, push, no delegates (1D), shards of one rank; vertices: $counting"
{
    echo "$head"
    for k in 10 50; do
        heard "$bin/rmatgen" --poisson -n 6000 -k $k >"$work/edges"
        for p in 1 2 4 8; do
            line $k $p 6000
        done
    done
} | keep yoo-figure-5 'Yoo, figure 5: strong scaling on Poisson graphs' \
    "$own, push, no delegates (1D), shards of one rank; vertices: $counting"
