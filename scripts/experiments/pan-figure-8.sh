#!/bin/bash
# pan-figure-8.sh: figure 8, the effect of options: DO, L (gather locally), U (uniquify), BR and IR (kinds of
# reduction).
. scripts/experiments/lib.sh
. scripts/experiments/options.sh

rmat $((scale + 2)) | packed graph 4 16
{
    parts_head
    while read -r case options; do
        case $case in BFS*) direction=(--direction push) ;; *) direction=("${factors[@]}") ;; esac
        searched graph 2 --breakdown --exchange-memory host --exchange-form list "${direction[@]}" $options
        parts "$case" "RMAT $((scale + 2))" 2x2
    done <<'END'
BFS+BR --reduction blocking
DO+BR --reduction blocking
DO+IR --reduction nonblocking
DO+L+BR --reduction blocking --local-all2all
DO+U+BR --reduction blocking --uniquify
DO+L+U+BR --reduction blocking --local-all2all --uniquify
DO+L+U+IR --reduction nonblocking --local-all2all --uniquify
END
} | keep_bars pan-figure-8 'Pan, figure 8: effect of options, 2 ranks of 2 shards; parts overlap, so a bar is longer than its search' "$loop" 'ms, sums of all levels' 5 9
