#!/bin/bash
# pan-figure-10.sh: figure 10, the parts of the time along the curve of weak scaling.
. scripts/experiments/lib.sh
. scripts/experiments/options.sh

{
    parts_head
    s=$scale
    for p in 2 4 8; do
        packed graph $p - < <(rmat $s)
        searched graph 2 --breakdown --exchange-memory host --exchange-form list "${factors[@]}"
        parts DOBFS "RMAT $s" $p
        searched graph 2 --breakdown --exchange-memory host --exchange-form list --direction push
        parts BFS "RMAT $s" $p
        s=$((s + 1))
    done
} | keep pan-figure-10 'Pan, figure 10: parts of the time along weak scaling, 2 ranks' "$loop"
