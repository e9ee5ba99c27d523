#!/bin/bash
# mastrostefano-pairs.sh: their table of messages by source, destination and level, on four processes: what each sends to each
# other one if it sends every neighbour of its frontier, and after sort-unique.
. scripts/experiments/lib.sh
. scripts/experiments/counted.sh

rmat $((scale + 1)) >"$work/edges"
{
    row level source destination vertices_before vertices_after bytes_before bytes_after
    counted 4 | awk -F '\t' -v OFS='\t' '$2 != $3 { print $0, 4 * $4, 4 * $5 }'
} | keep mastrostefano-pairs "Mastrostefano: messages by level and pair, RMAT $((scale + 1)) on 4 processes (theirs: RMAT 20; the largest has 1.6 MB, level 3)" \
    "$counting"
