#!/bin/bash
# pan-figure-7.sh: figure 7, suggested thresholds by scale, with a graph of one scale for each shard, and their
# classes of edges.
. scripts/experiments/lib.sh

{
    published pan-figure-7
    for p in 1 2 4 8 16; do
        s=$(awk -v s="$scale" -v p=$p 'BEGIN { print s + log(p) / log(2) }')
        rmat "$s" | "$bin/degsplit" -q -p $p --suggest memory --sweep "$work/sweep" --force -o "$work/split" -
        awk -F '\t' -v OFS='\t' -v s="$s" -v p=$p '
            NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
            NR > 1 && $at["chosen"] == 1 { print "ours", "TH", s, $1
                print "ours", "delegates, percent", s, $at["d_percent"]
                print "ours", "nn edges, percent", s, $at["nn_percent"]
                print "ours", "4n/p, percent", s, 400 / p }' "$work/sweep"
    done
    "$bin/dbfs-model" paper | awk -F '\t' -v OFS='\t' 'NR > 1 && NF > 10 { print "model", "TH", $4, $5
        print "model", "delegates, percent", $4, $7; print "model", "nn edges, percent", $4, $8 }'
} | keep_curves pan-figure-7 'Pan, figure 7: suggested TH, delegates and nn edges by scale' \
    'degsplit --suggest memory; model: dbfs-model paper; no search' scale 'TH; percent' y
