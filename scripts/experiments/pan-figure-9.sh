#!/bin/bash
# pan-figure-9.sh: figure 9, weak scaling: the same scale for each shard.
. scripts/experiments/lib.sh

{
    published pan-figure-9
    s=$scale
    for p in 1 2 4 8; do
        packed graph $p - < <(rmat $s)
        searched graph 1 "${factors[@]}"
        row ours DOBFS $p "$(gteps graph)"
        searched graph 1 --direction push
        row ours BFS $p "$(gteps graph)"
        s=$((s + 1))
    done
    "$bin/dbfs-model" paper | awk -F '\t' -v OFS='\t' 'NR > 1 && NF > 10 { print "model", "on their machine", $3, $NF }'
    "$bin/dbfs-model" weak --rmat 26 | awk -F '\t' -v OFS='\t' '
        NR > 1 && NF > 7 && $1 ~ /^[0-9]+$/ && $1 <= 128 { print "model", "on H200", $1, $9 }'
} | keep_curves pan-figure-9 "Pan, figure 9: weak scaling, scale 26 a GPU there, $scale a shard here" "$loop; model: dbfs-model" \
    'GPUs or shards' GTEPS xy
