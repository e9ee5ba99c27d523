#!/bin/bash
# mastrostefano-sort-unique.sh: their table of vertices before and after sort-unique, with one scale for each process.
# Theirs is of the third level, ours of the level with most vertices, and both are of one process. Theirs includes the
# vertices that stay; a search counts those that leave.
. scripts/experiments/lib.sh
. scripts/experiments/counted.sh

# fullest SOURCE: prints a row of the level with most vertices, as the mean of a process
fullest() {
    awk -F '\t' -v OFS='\t' -v source="$1" -v s=$s -v p=$p '
        { before[$1] += $4 / p; after[$1] += $5 / p; if (before[$1] > before[most]) most = $1 }
        END { print source, s, p, most, before[most], after[most], 100 * after[most] / before[most] }'
}
{
    row source scale processes level before after kept_percent
    awk -F '\t' -v OFS='\t' '$1 == "mastrostefano-sort-unique" {
        if ($2 == "before") before[$3] = $4
        else print "published", 21 + log($3) / log(2), $3, 3, before[$3], $4, 100 * $4 / before[$3] }' \
        scripts/experiments/published.tsv
    s=$((scale - 2))
    for p in 1 2 4 8 16; do
        rmat $s >"$work/edges"
        # a neighbour that several processes find counts once for each
        counted $p | fullest ours
        [ $p = 1 ] || sent $p | fullest 'ours, between processes'
        s=$((s + 1))
    done
} | keep mastrostefano-sort-unique 'Mastrostefano: vertices before and after sort-unique, by scale and processes' "$counting; between processes: sent by it"
