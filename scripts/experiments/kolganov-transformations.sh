#!/bin/bash
# kolganov-transformations.sh: what their transformations of the graph are worth here: rate of the same searches, and bytes.
# The global sort (numbers by degree) and the local sort (columns of a row in order) belong to the format of shards, so they
# have no switch; head columns are their mixed order of the first neighbours.
. scripts/experiments/lib.sh

rmat $((scale + 3)) >"$work/edges"
bytes() { "$bin/dbfs-pack" --list --json "$work/graph" | grep -o '"file_bytes": [0-9]*' | awk '{ sum += $2 } END { print sum }'; }
{
    row case gteps file_bytes
    while read -r options; do
        packed graph 1 - ${options%%|*} <"$work/edges"
        searched graph 1 ${options#*|}
        row "${options/|/ }" "$(gteps graph)" "$(bytes)"
    done <<'END'
--encoding raw|--resident raw
--heads nn=0,nd=0,dn=0,dd=0 --encoding raw|--resident raw
--heads nd=1,dd=1 --encoding raw|--resident raw
--heads nd=4,dd=4 --encoding raw|--resident raw
--encoding packed|--resident raw
--encoding packed|--resident packed
END
} | keep kolganov-transformations "Kolganov: head columns and packed neighbours, RMAT $((scale + 3))" "$own"
