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
    strong_scaling 30
} | keep_curves pan-figure-11 "Pan, figure 11: strong scaling, RMAT 30 there, $((scale + 3)) here" "$loop; $model_words" \
    'GPUs or shards' GTEPS xy
