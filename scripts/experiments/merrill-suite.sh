#!/bin/bash
# merrill-suite.sh: tables 1 and 2 and figures 3 and 7: graphs, rates with distances and with parents, frontiers by
# level, and edges expanded for each edge of the graph. Frontiers and expansion are those of pushed levels, as theirs
# are.
. scripts/experiments/lib.sh
. scripts/experiments/suite.sh

# of published graphs: 4elt.graph, cage10.mtx, NotreDame
expects 'warning: .*: the last line has no newline' ': weights are not read: ' 'warning: each edge is listed as u v and as v u' \
    ': each line is one undirected edge' 'says that .* directed'

# Of the paper: graph, vertices and edge ends in millions, depth; GTEPS of the CPU (two programs, one column as each has one), of the
# quadratic method, and of the linear one with distances and with parents
published_rates='europe.osm 50.9 108.1 19314 NaN 0.00014 0.31 0.31
grid5pt.5000 25.0 125.0 7500 NaN 0.00078 0.6 0.57
hugebubbles-00020 21.2 63.6 6151 NaN 0.00061 0.43 0.42
grid7pt.300 27.0 188.5 679 0.12 0.012 1.1 0.97
nlpkkt160 8.3 221.2 142 0.47 0.21 2.5 2.1
audikw1 0.9 76.7 62 NaN 1.2 3.0 2.5
cage15 5.2 94.0 37 0.23 0.50 2.2 1.9
kkt_power 2.1 13.0 37 0.11 0.18 1.1 1.0
coPapersCiteseer 0.4 32.1 26 NaN 2.2 3.0 2.5
wikipedia-20070206 3.6 45.0 20 0.19 0.39 1.6 1.4
kron_g500-logn20 1.0 100.7 6 NaN 1.5 3.1 2.5
random.2Mv.128Me 2.0 128.0 6 0.50 1.2 3.0 2.4
rmat.2Mv.128Me 2.0 128.0 6 0.70 1.3 3.3 2.6'
row graph their_vertices_M their_edge_ends_M their_depth stand_in vertices edge_ends mean_degree levels >"$work/graphs"
row graph stand_in their_cpu_distances_or_parents their_quadratic their_distances their_parents our_distances our_parents >"$work/rates"
row graph searched edges_expanded edges_reached expansion >"$work/expansion"
: >"$work/frontiers"
for graph in $suite; do
    read -r _ n m depth cpu quadratic distances parents <<<"$(grep "^$graph " <<<"$published_rates")"
    suite_edges "$graph"
    packed graph 1 - <"$work/edges"
    searched graph 1 -n "$roots" --answer parents
    answer=$("$bin/dbfs-report" means --clock answer "$work/graph.json" | awk -F '\t' 'NR == 2 { print 2 * $9 / 1e9 }')
    searched graph 1 -n "$roots" --answer depths
    depths=$("$bin/dbfs-report" means --clock answer "$work/graph.json" | awk -F '\t' 'NR == 2 { print 2 * $9 / 1e9 }')
    levels=$("$bin/dbfs-report" roots "$work/graph.json" | awk -F '\t' 'NR > 1 { sum += $4 } END { print sum / (NR - 1) }')
    row "$graph" "$stand_in" "$cpu" "$quadratic" "$distances" "$parents" "$depths" "$answer" >>"$work/rates"
    "$bin/dbfs-pack" --list --json "$work/graph" | tr -d ' ,' | awk -F : -v OFS='\t' -v graph="$graph" -v s="$stand_in" \
        -v levels="$levels" -v their_n="$n" -v their_m="$m" -v depth="$depth" '
        $1 == "\"vertices\"" { n = $2 } $1 == "\"input_edges\"" { m = 2 * $2 }
        END { print graph, their_n, their_m, depth, s, n, m, m / n, levels }' >>"$work/graphs"
    # one root; all levels are pushed
    searched graph 1 -n 1 --direction push --factor0 nn=1 --trace "$work/trace"
    "$bin/dbfs-report" levels "$work/trace" >"$work/levels"
    "$bin/dbfs-report" roots "$work/graph.json" >"$work/root"
    awk -F '\t' -v OFS='\t' -v graph="$graph" '
        NR == 1 { for (i = 1; i <= NF; i++) { if ($i ~ /\.pushed$/) pushed[i]; if ($i == "frontier") frontier = i }; next }
        { edges = 0; for (i in pushed) edges += $i
          print graph, "vertices", $2, $frontier; print graph, "edges", $2, edges }' "$work/levels" >"$work/curve"
    case $graph in
    grid7pt.300 | coPapersCiteseer | wikipedia-20070206) # those of the paper's picture
        awk -F '\t' -v OFS='\t' -v name="$stand_in" '{ print "ours", name ": " $2, $3, $4 }' "$work/curve" >>"$work/frontiers" ;;
    esac
    expanded=$(awk -F '\t' '$2 == "edges" { sum += $4 } END { print sum }' "$work/curve")
    reached=$(awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "edges_kept") at = i } NR == 2 { print 2 * $at }' "$work/root")
    row "$graph" "$stand_in" "$expanded" "$reached" "$(awk -v a="$expanded" -v b="$reached" 'BEGIN { print a / b }')" >>"$work/expansion"
done
keep merrill-suite 'Merrill, table 1: the suite, and the graphs that stand in for it here' 'no search' <"$work/graphs"
keep merrill-rates 'Merrill, table 2: rates in edge ends (10^9 a second), of which each edge has two, as theirs are; theirs of a CPU, of the quadratic method, and of the hybrid strategy with distances and with parents' \
    "$own, clock of the answer; theirs: one Tesla C2050; CPU: a Core i7 with distances, for random and rmat a Xeon with parents" <"$work/rates"
keep merrill-expansion 'Merrill, figure 7: edges expanded for each edge reached; theirs 2.6 (grid7pt.300), 1.7 (nlpkkt160), 1.1 (coPapersCiteseer) without culling; ours is 1 by construction, as a vertex is found once, by a bit' \
    "$loop, push" <"$work/expansion"
keep_curves merrill-frontiers 'Merrill, figure 3: vertices and edges of the frontier by level, of the graphs that stand in for grid7pt.300, coPapersCiteseer and wikipedia' \
    "$loop, push" level count y <"$work/frontiers"
