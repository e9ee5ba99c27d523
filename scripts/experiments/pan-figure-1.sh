#!/bin/bash
# pan-figure-1.sh: figure 1, BFS projects in context: rate per processor by the number of processors.
. scripts/experiments/lib.sh

packed graph 1 - < <(rmat $((scale + 3)))
searched graph 1
{
    while read -r who p rate; do
        row published "$who" "$p" "$(awk -v r="$rate" -v p="$p" 'BEGIN { print r / p }')"
    done <<'END'
Pan 1 22.9
Pan 2 32.5
Pan 4 39.8
Pan 8 53.13
Pan 124 259.8
Bernaschi 4096 828.39
Krajecki 64 13.7
Yasui 128 174.7
Buluc 1204 240
END
    row ours 'dbfs here' 1 "$(gteps graph)"
    "$bin/dbfs-model" weak --rmat 26 --rates ray | awk -F '\t' -v OFS='\t' 'NR > 1 && NF > 7 && $1 ~ /^[0-9]+$/ && $1 <= 128 {
        print "model", "dbfs on their machine", $1, $9 / $1 }'
} | keep_curves pan-figure-1 'Pan, figure 1: BFS projects in context' "$own; model: dbfs-model weak --rates ray" \
    processors 'GTEPS a processor' xy
