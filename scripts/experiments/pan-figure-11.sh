#!/bin/bash
# pan-figure-11.sh: figure 11, strong scaling of one graph. The text has one number: 24 GPUs are 1.29 times as fast as 12.
. scripts/experiments/lib.sh

rmat $((scale + 3)) >"$work/edges"
{
    for p in 1 2 4 8; do
        packed graph $p - <"$work/edges"
        searched graph 1 "${factors[@]}"
        row ours DOBFS $p "$(gteps graph)"
        searched graph 1 --direction push
        row ours BFS $p "$(gteps graph)"
    done
    "$bin/dbfs-model" strong --rmat 30 | awk -F '\t' -v OFS='\t' '
        NR > 1 && NF > 7 && $1 ~ /^[0-9]+$/ && $1 <= 128 { print "model", "RMAT 30 on H200", $1, $9 }'
} | keep_curves pan-figure-11 "Pan, figure 11: strong scaling, RMAT 30 there, $((scale + 3)) here" "$loop; model: dbfs-model strong" \
    'GPUs or shards' GTEPS xy
