#!/bin/bash
# kolganov-positions.sh: their table of single-node systems in the list of Graph500, with dbfs here.
. scripts/experiments/lib.sh

packed graph 1 - < <(rmat $((scale + 3)))
searched graph 1
{
    row source position system scale gteps watt
    while read -r line; do row published $line; done <<'END'
50 P100 26 204 175
67 GTX-Titan 25 114 212
76 4x-E7-4890v2 32 55.9 1153
86 P100 30 41.7 235
103 GTX-Titan 25 17.2 233.8
104 E5-2699v3 30 16.3 145
106 4x-R9-Nano 25 15.8 NaN
112 POWER8+ 30 13.2 200
END
    row ours NaN "dbfs, $(machine)" $((scale + 3)) "$(gteps graph)" NaN
} | keep kolganov-positions 'Kolganov: systems of one node' "$own"
