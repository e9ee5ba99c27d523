#!/bin/bash
# pan-figure-5.sh: figure 5, classes of edges and delegates by the degree threshold.
. scripts/experiments/lib.sh

graph="RMAT $((scale + 3))"
rmat $((scale + 3)) >"$work/edges"
heard "$bin/degsplit" --sweep "$work/sweep" --force -o "$work/split" "$work/edges"
awk -F '\t' -v OFS='\t' '
    NR == 1 { for (i = 1; i <= NF; i++) if ($i ~ /_percent$/) { at[++n] = i; title[n] = $i; sub(/_percent/, "", title[n]) }
              next }
    $1 != "inf" && ($1 == 0 || $1 >= 1.4 * last) { last = $1; for (i = 1; i <= n; i++) print "ours", title[i], $1, $at[i] }' "$work/sweep" |
    keep_curves pan-figure-5 "Pan, figure 5: edges and delegates by TH, $graph" 'degsplit; no search; nd and dn are alike' TH 'percent of edges; d: of vertices' x 16 512 'the range of the paper, scale 30: 16 to 512'
