#!/bin/bash
# pan-figure-9.sh: figure 9, weak scaling: the same scale for each shard. Of the paper's curve the text has two points, 8 and
# 124 GPUs; its rates of 1, 2 and 4 GPUs (Table II) are of scale 24 a GPU.
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
    "$bin/dbfs-model" paper | awk -F '\t' -v OFS='\t' -v name="$model_design" 'NR > 1 && NF > 10 && $3 >= 8 { print "model", name, $3, $NF }'
    weak_scaling
} | keep_curves pan-figure-9 "Pan, figure 9: weak scaling, scale 26 a GPU there, $scale a shard here" "$loop; $model_words" \
    'GPUs or shards' GTEPS xy
