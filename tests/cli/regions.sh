#!/bin/bash
# regions.sh: parallel regions of CPUs whose number of threads changes from level to level, and rounds of several levels, find what
# one thread finds, and a trace has the same frontiers.
set -u
. tests/lib.sh
sum_of() { "$@" 2>"$tmp/err" | sed -n 's/^distance_checksum: //p'; }

"$BIN/edgeconv" -q -u -o "$tmp/roads.edges" datasets/usa-road-NY.txt
"$BIN/rmatgen" -q --lattice 200x200 | "$BIN/edgeconv" -q --randomize=3 -o "$tmp/lattice.edges" -
"$BIN/rmatgen" -q --planted 200x50 -k 8 -o "$tmp/communities.edges"
"$BIN/rmatgen" -q -s 13 -o "$tmp/RMAT.edges"
for graph in roads lattice communities RMAT; do
    [ $graph = roads ] && roots=3 || roots=8 # a search of roads has 600 levels
    "$BIN/dbfs-pack" -q -p 1 -o "$tmp/$graph" "$tmp/$graph.edges"
    one=$(sum_of "$BIN/dbfs-traverse" -q --backend cpu --no-check -@ 1 -n $roots "$tmp/$graph")
    for threads in 2 5 16; do
        check "$graph, regions of 2 to $threads threads: distances are those of one thread" test "$one" = "$(sum_of \
            env LD_PRELOAD="$TESTS/pretend.so" PRETENDED_CORES="$threads" "$TESTS/scramble_regions" -q --backend cpu --no-check \
            -@ "$threads" -n $roots "$tmp/$graph")"
    done
    one=$(sum_of "$BIN/dbfs-traverse" -q --backend cpu --no-check -@ 1 -n 4 --max-depth 21 "$tmp/$graph")
    check "$graph, to a depth: distances are those of one thread" test "$one" = "$(sum_of env LD_PRELOAD="$TESTS/pretend.so" \
        PRETENDED_CORES=8 "$TESTS/scramble_regions" -q --backend cpu --no-check -@ 8 -n 4 --max-depth 21 "$tmp/$graph")"
    LD_PRELOAD=$TESTS/pretend.so PRETENDED_CORES=16 "$TESTS/scramble_regions" -q --backend cpu -@ 16 -r 5 --parents "$tmp/tree" --force \
        "$tmp/$graph" >/dev/null
    check_exit 0 "$graph, regions of 2 to 16 threads: parents are proved" "$BIN/dbfs-check" -q -r 5 --parents "$tmp/tree" "$tmp/$graph.edges"
done
frontiers() { sed -n 's/.*"level": \([0-9]*\), "frontier": \([0-9]*\).*/\1 \2/p' "$1"; }
"$BIN/dbfs-traverse" -q --backend cpu --no-check -@ 1 -r 5 --trace "$tmp/one" "$tmp/roads" >/dev/null
LD_PRELOAD=$TESTS/pretend.so PRETENDED_CORES=8 "$TESTS/scramble_regions" -q --backend cpu --no-check -@ 8 -r 5 --trace "$tmp/several" "$tmp/roads" \
    >/dev/null
check 'a trace has levels of rounds' grep -q '"way": "round"' "$tmp/several"
check 'their frontiers are those of one thread' test "$(frontiers "$tmp/one")" = "$(frontiers "$tmp/several")"
finish
