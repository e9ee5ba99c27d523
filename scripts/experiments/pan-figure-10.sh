#!/bin/bash
# pan-figure-10.sh: figure 10, the parts of the time along the curve of weak scaling. As in the paper the smaller graphs reduce masks
# while vertices move (IR), and `merged` is the time in which both were under way; the largest one reduces them first (BR).
. scripts/experiments/lib.sh
. scripts/experiments/options.sh

{
    parts_head
    s=$scale
    for p in 2 4 8; do
        if [ $p = 8 ]; then kind=BR reduction=blocking; else kind=IR reduction=nonblocking; fi
        packed graph $p - --links host < <(rmat $s) # messages are what is timed
        searched graph 2 --breakdown --exchange-memory host --exchange-form list --reduction $reduction "${factors[@]}"
        parts "DOBFS+$kind" "RMAT $s" $p
        searched graph 2 --breakdown --exchange-memory host --exchange-form list --reduction $reduction --direction push
        parts "BFS+$kind" "RMAT $s" $p
        s=$((s + 1))
    done
} | keep_bars pan-figure-10 'Pan, figure 10: parts of the time along weak scaling, 2 ranks of 1, 2 and 4 shards (*x2x2 GPUs there). Parts overlap, and waiting is no part: the time of a search is median_ms' "$loop" 'ms, sums of all levels' 5 9
