#!/bin/bash
# mastrostefano-pairs.sh: their table of messages by source, destination and level, on four processes: the vertices
# that each process sends to each other one, before and after sort-unique.
. scripts/experiments/lib.sh
. scripts/experiments/counted.sh

rmat $((scale + 1)) >"$work/edges"
{
    row level source destination vertices_before vertices_after bytes_before bytes_after
    sent 4
} | keep mastrostefano-pairs "Mastrostefano: messages by level and pair, RMAT $((scale + 1)) on 4 processes (theirs: RMAT 20; the largest has 1.6 MB, level 3)" \
    "dbfs-traverse, without delegates and directions, $backend"
