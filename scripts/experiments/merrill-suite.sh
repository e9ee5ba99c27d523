#!/bin/bash
# merrill-suite.sh: tables 1 and 2 and figures 3 and 7: graphs, rates with distances and with parents, frontiers by
# level, and edges expanded for each edge of the graph. Frontiers and expansion are those of pushed levels, as theirs
# are.
. scripts/experiments/lib.sh
. scripts/experiments/suite.sh

published_rates='europe.osm 0.31 0.31
grid5pt.5000 0.6 0.57
hugebubbles-00020 0.43 0.42
grid7pt.300 1.1 0.97
nlpkkt160 2.5 2.1
audikw1 3.0 2.5
cage15 2.2 1.9
kkt_power 1.1 1.0
coPapersCiteseer 3.0 2.5
wikipedia-20070206 1.6 1.4
kron_g500-logn20 3.1 2.5
random.2Mv.128Me 3.0 2.4
rmat.2Mv.128Me 3.3 2.6'
row graph searched vertices edges mean_degree levels published_distances ours_distances published_parents ours_parents >"$work/rates"
row graph searched edges_expanded edges_reached expansion >"$work/expansion"
: >"$work/frontiers"
for graph in $suite; do
    read -r _ distances parents <<<"$(grep "^$graph " <<<"$published_rates")"
    if ! suite_edges "$graph"; then
        row "$graph" none NaN NaN NaN NaN "$distances" NaN "$parents" NaN >>"$work/rates"
        continue
    fi
    packed graph 1 - <"$work/edges"
    searched graph 1 -n "$roots" --answer parents
    answer=$("$bin/dbfs-report" means --clock answer "$work/graph.json" | awk -F '\t' 'NR == 2 { print $9 / 1e9 }')
    searched graph 1 -n "$roots" --answer depths
    depths=$("$bin/dbfs-report" means --clock answer "$work/graph.json" | awk -F '\t' 'NR == 2 { print $9 / 1e9 }')
    levels=$("$bin/dbfs-report" roots "$work/graph.json" | awk -F '\t' 'NR > 1 { sum += $4 } END { print sum / (NR - 1) }')
    "$bin/dbfs-pack" --list --json "$work/graph" | tr -d ' ,' | awk -F : -v OFS='\t' -v graph="$graph" -v s="$stand_in" \
        -v levels="$levels" -v p="$distances" -v o="$depths" -v q="$parents" -v r="$answer" '
        $1 == "\"vertices\"" { n = $2 } $1 == "\"input_edges\"" { m = 2 * $2 }
        END { print graph, s, n, m, m / n, levels, p, o, q, r }' >>"$work/rates"
    # one root; all levels are pushed
    searched graph 1 -n 1 --direction push --factor0 nn=1 --trace "$work/trace"
    "$bin/dbfs-report" levels "$work/trace" >"$work/levels"
    "$bin/dbfs-report" roots "$work/graph.json" >"$work/root"
    awk -F '\t' -v OFS='\t' -v graph="$graph" '
        NR == 1 { for (i = 1; i <= NF; i++) { if ($i ~ /\.pushed$/) pushed[i]; if ($i == "frontier") frontier = i }; next }
        { edges = 0; for (i in pushed) edges += $i
          print graph, "vertices", $2, $frontier; print graph, "edges", $2, edges }' "$work/levels" >"$work/curve"
    awk -F '\t' -v OFS='\t' '{ print "ours", $1 ", " $2, $3, $4 }' "$work/curve" >>"$work/frontiers"
    expanded=$(awk -F '\t' '$2 == "edges" { sum += $4 } END { print sum }' "$work/curve")
    reached=$(awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "edges_kept") at = i } NR == 2 { print 2 * $at }' "$work/root")
    row "$graph" "$stand_in" "$expanded" "$reached" "$(awk -v a="$expanded" -v b="$reached" 'BEGIN { print a / b }')" >>"$work/expansion"
done
keep merrill-suite 'Merrill, tables 1 and 2: the suite, rates in GTEPS with distances and with parents' \
    "$own, clock of the answer; theirs: one Tesla C2050" <"$work/rates"
keep merrill-expansion 'Merrill, figure 7: edges expanded for each edge reached; theirs 2.6 (grid7pt.300), 1.7 (nlpkkt160), 1.1 (coPapersCiteseer) without culling' \
    "$loop, push" <"$work/expansion"
grep -E 'grid7pt|coPapers|wikipedia' "$work/frontiers" |
    keep_curves merrill-frontiers 'Merrill, figure 3: vertices and edges of the frontier by level' "$loop, push" level count y
