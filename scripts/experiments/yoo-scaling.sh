#!/bin/bash
# yoo-scaling.sh: figures 4 and 5: weak and strong scaling on Poisson graphs without delegates, which is their 1D partition, with
# the vertices that move (4a), the volume by the length of the path (4b), and searches from both ends (4c); yoo-partitions.sh and yoo-volumes.sh have their 2D partition.
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
    for k in 10 50 100 200; do
        for p in 1 2 4 8; do
            n=$((p * 60000 / k))
            heard "$bin/rmatgen" --poisson -n $n -k $k >"$work/edges"
            line $k $p $n
        done
    done
} | keep yoo-figure-4 'Yoo, figure 4: weak scaling on Poisson graphs; 1D here, 2D there, where k = 10 has 100,000 vertices a processor, up to 32,768 processors' \
    "$own, push, no delegates (1D), shards of one rank; vertices: $counting"
{
    echo "$head"
    for k in 10 50; do
        heard "$bin/rmatgen" --poisson -n 6000 -k $k >"$work/edges"
        for p in 1 2 4 8; do
            line $k $p 6000
        done
    done
} | keep yoo-figure-5 'Yoo, figure 5: strong scaling on Poisson graphs; 1D here, 2D there, up to 512 processors' \
    "$own, push, no delegates (1D), shards of one rank; vertices: $counting"

# 4b: a search that ends at its target moves what its levels up to there move
"$bin/rmatgen" --poisson -n 16000 -k 10 --force -o "$work/edges"
counted 8 | awk -F '\t' -v OFS='\t' '$2 != $3 { moved[$1] += $5; if ($1 > last) last = $1 }
    END { for (level = 1; level <= last; level++) { sum += moved[level]; print "ours", "1D, k = 10", level, sum } }' |
    keep_curves yoo-figure-4b 'Yoo, figure 4b: vertices that move by the length of the path; Poisson graph of 16,000 vertices, 8 processes (theirs: 12 million)' \
        "$counting" 'length of the path' vertices
# 4c: theirs search a pair on all processors; ours give each process pairs of its own
for p in 1 2 4; do
    heard "$bin/rmatgen" --poisson -n $((p * 4000)) -k 10 | packed graph 1 -
    for sides in --one-sided ''; do
        heard "$mpiexec" -n $p "$bin/dbfs-paths" --backend cpu -@ 1 -q -n 40 $sides "$work/graph" >"$work/pairs" </dev/null
        row ours "${sides:+one side}${sides:-both sides}" $p "$(awk '$1 == "median_time:" { print 1000 * $2 }' "$work/pairs")"
    done
done | sed 's/one side--one-sided/one side/' |
    keep_curves yoo-figure-4c 'Yoo, figure 4c: searches from one side and from both, median of a pair; 4,000 vertices a process, k = 10 (theirs: 100,000, where both sides take at worst 33%)' \
        'dbfs-paths, cpu; each pair is searched by one process' 'vertices / 4,000, with a process each' 'ms a pair' y
