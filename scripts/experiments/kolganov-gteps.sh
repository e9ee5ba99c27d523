#!/bin/bash
# kolganov-gteps.sh: rates by scale: least, mean and most over the roots (theirs have 64 roots: ROOTS=64), and the
# residence of the columns. Scales are SCALES many from SCALE on, or those in LIST. One H200 takes LIST='25 28' BACKEND=cuda; scale 30 is
# a prediction of dbfs-model.
. scripts/experiments/lib.sh

: >"$work/curves"
row scale residence searches least_gteps mean_gteps most_gteps >"$work/rates"
for s in ${LIST:-$(seq "$scale" $((scale + ${SCALES:-4} - 1)))}; do
    packed graph 1 - < <(rmat "$s")
    searched graph 1
    residence=$(grep -o '"resident": *"[a-z]*"' "$work/graph.json" | head -n 1 | sed 's/.*"\([a-z]*\)"/\1/')
    "$bin/dbfs-report" roots "$work/graph.json" | awk -F '\t' -v OFS='\t' -v s="$s" -v residence="${residence:-raw}" '
        NR > 1 && $4 > 1 { t = $8 / 1e9; sum += t; n++; if (least == "" || t < least) least = t; if (t > most) most = t }
        END { print s, residence, n, least, sum / n, most }' >>"$work/rates"
done
awk -F '\t' -v OFS='\t' 'NR > 1 { print "ours", "least", $1, $4; print "ours", "mean", $1, $5; print "ours", "most", $1, $6 }' \
    "$work/rates" >>"$work/curves"
for s in 26 28 30; do
    "$bin/dbfs-model" predict -p 1 --rmat $s | awk -F '\t' -v OFS='\t' -v s=$s '
        NR == 1 { for (i = 1; i <= NF; i++) if ($i == "gteps") at = i } NR == 2 { print "model", "one H200", s, $at }' >>"$work/curves"
done
keep kolganov-residence 'Kolganov: rates by scale, and where columns are; mean: of the rates of all roots (theirs on a P100: 204 at scale 26, 41.7 at 30)' "$own" <"$work/rates"
{ published kolganov-gteps; cat "$work/curves"; } |
    keep_curves kolganov-gteps 'Kolganov: GTEPS by scale, least and most of all roots' "$own; model: dbfs-model predict" scale GTEPS y
