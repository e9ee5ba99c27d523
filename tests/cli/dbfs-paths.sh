#!/bin/bash
# dbfs-paths.sh: distances and paths between pairs of vertices are those of the oracle, by two sides and by one.
# Names, ranks and bad input are tested, too. With BACKEND the searches run on a GPU.
set -u
in_memory_mib=200
. tests/lib.sh
backend=${BACKEND:-cpu}
paths=search_pairs
search_pairs() { "$BIN/dbfs-paths" --backend "$backend" "$@"; }
mpi() { local n=$1; shift; "$MPIEXEC" -n "$n" "$BIN/dbfs-paths" --backend "$backend" -@ 1 "$@"; }

"$BIN/rmatgen" -q -s 8 -e 4 -f text -o "$tmp/rmat.txt"
for shape in 'components' 'path 40' 'grid 12 12' 'star 50' 'multi 60 120 3'; do
    "$TESTS/mkgraph" $shape >"$tmp/${shape%% *}.txt"
done

# pairs GRAPH ROOT...: prints pairs: each root with every 7th vertex, with itself, and with one target twice
make_pairs() {
    local graph=$1 root
    shift
    for root in "$@"; do
        awk -v root="$root" -v n="$n" 'BEGIN { print root, root; print root, n - 1; print root, n - 1
            for (v = root % 7; v < n; v += 7) { print root, v; print v, root } }'
    done
}

# right TEXT GRAPH WANT: distances are the oracle's; each path has as many edges, and all are edges of the graph
right() {
    awk -F '\t' -v edges="$2" -v want="$3" '
        BEGIN {
            while ((getline line <edges) > 0) { split(line, f, /[ \t]+/); if (f[1] !~ /^#/) edge[f[1], f[2]] = edge[f[2], f[1]] = 1 }
            while ((getline line <want) > 0) { split(line, f, / /); depth[f[1], f[2]] = f[3] }
        }
        {
            pairs++
            if (($1, $2) in depth) d = depth[$1, $2]
            else if (($2, $1) in depth) d = depth[$2, $1]
            else { print "nobody knows " $1, $2; wrong = 1 }
            if ($3 != d) { print; print "distance " d; wrong = 1 }
            if (d < 0) { if (NF > 3) { print "a path: " $0; wrong = 1 } next }
            if (NF - 3 != d + 1 || $4 != $1 || $NF != $2) { print "no path: " $0; wrong = 1 }
            for (i = 4; i < NF; i++) if (!(($i, $(i + 1)) in edge)) { print "no edge " $i, $(i + 1); wrong = 1 }
        }
        END { exit wrong || !pairs }' "$1"
}

for graph in rmat components path grid star multi; do
    case $graph in
    rmat) n=256 roots='0 1 200' ;;
    components) n=1002 roots='5 20 41 70 90 200 500' ;;
    path) n=40 roots='0 17' ;;
    grid) n=144 roots='0 77' ;;
    star) n=50 roots='0 9' ;;
    multi) n=180 roots='3 59' ;;
    esac
    "$BIN/edgeconv" -q -u --vertices $n -o "$tmp/$graph.edges" "$tmp/$graph.txt"
    "$TESTS/oracle" -n $n -o "$tmp/oracle.%d.txt" "$tmp/$graph.txt" "${roots// /,}" >/dev/null
    for root in $roots; do awk -v r="$root" '{ print r, $1, $2 }' "$tmp/oracle.$root.txt"; done >"$tmp/want"
    make_pairs $graph $roots >"$tmp/pairs"
    for setting in '1 0 raw' '1 4 packed' '2 2 packed' '4 8 raw' '3 inf raw' '5 inf packed'; do
        set -- $setting
        "$BIN/dbfs-pack" -q --force -p "$1" -t "$2" --encoding $([ "$3" = raw ] && echo raw || echo packed) \
            -o "$tmp/g" "$tmp/$graph.edges"
        for how in '' --one-sided; do
            check_exit 0 "$graph, p $1, TH $2, $3 $how" "$paths" -v --resident "$3" --path $how --pairs "$tmp/pairs" "$tmp/g"
            check "$graph, p $1, TH $2, $3 $how: distances and paths are right" right "$tmp/out" "$tmp/$graph.txt" "$tmp/want"
            sed -n 's/.*: pair [0-9]*: \([0-9]*\) edges.*/\1/p' "$tmp/err" >"$tmp/edges$how"
        done
        # ranks that divide the graph: 4 shards on 2 ranks, 3 on 3, 5 on one
        case $1 in 4) ranks=2 ;; *) ranks=$(($1 % 2 ? $1 % 5 : 2)) ;; esac
        [ $ranks -gt 0 ] || ranks=1
        check_exit 0 "$graph, p $1, TH $2, $3, $ranks ranks divide it" mpi $ranks --distribute --resident "$3" --path --pairs "$tmp/pairs" "$tmp/g"
        check "$situation: distances and paths are right" right "$tmp/out" "$tmp/$graph.txt" "$tmp/want"
    done
    check "$graph: every pair has a line" test "$(wc -l <"$tmp/edges")" = "$(wc -l <"$tmp/pairs")"
    rm -rf "$tmp/g"
done

# ranks, threads, sampled pairs; counts
"$BIN/rmatgen" -q -s 14 -o "$tmp/big.edges"
"$BIN/dbfs-pack" -q -p 4 -o "$tmp/p4" "$tmp/big.edges"
"$BIN/dbfs-pack" -q -p 1 -o "$tmp/p1" "$tmp/big.edges"
distances() { cut -f 1-3 "$1"; }
plain() { # on a GPU edges are looked at in any order
    if [ "$backend" = cpu ]; then cat "$1"; else distances "$1"; fi
}
check_exit 0 'sampled pairs' "$paths" -@ 1 -n 40 --path --json "$tmp/two.json" "$tmp/p4"
plain "$tmp/out" >"$tmp/alone"
distances "$tmp/out" >"$tmp/alone.distances"
for ranks in 2 3; do
    check_exit 0 "$ranks ranks" mpi $ranks -n 40 --path "$tmp/p4"
    plain "$tmp/out" >"$tmp/ranks"
    check "$ranks ranks find the same paths" cmp "$tmp/alone" "$tmp/ranks"
done
check_exit 0 'more ranks than pairs' mpi 3 -n 1 "$tmp/p4"
check_exit 0 'two ranks divide the graph' mpi 2 -n 40 --distribute --json "$tmp/divided.json" "$tmp/p4"
distances "$tmp/out" >"$tmp/divided"
check "$situation: the same pairs, and the same distances" cmp "$tmp/alone.distances" "$tmp/divided"
check "$situation: the report says so" grep -q '"distributed": true' "$tmp/divided.json"
check 'otherwise it says that they do not' grep -q '"distributed": false' "$tmp/two.json"
check_exit 2 'more ranks than shards divide the graph' mpi 5 -n 1 --distribute "$tmp/p4"
check_exit 0 'threads' "$paths" -@ 3 -n 40 --path "$tmp/p4"
plain "$tmp/out" >"$tmp/threads"
check 'threads find the same paths' cmp "$tmp/alone" "$tmp/threads"
check_exit 0 'another p' "$paths" -n 40 "$tmp/p1"
distances "$tmp/out" >"$tmp/p1.distances"
check "$situation: distances are those of one shard" cmp "$tmp/alone.distances" "$tmp/p1.distances"
check_exit 0 'one side' "$paths" -n 40 --one-sided --json "$tmp/one.json" "$tmp/p4"
distances "$tmp/out" >"$tmp/one.distances"
check "$situation: distances are those of two sides" cmp "$tmp/alone.distances" "$tmp/one.distances"
edges_of() { sed -n 's/.*"reached": [0-9]*, "edges": \([0-9]*\).*/\1/p' "$1"; }
check "two sides visit a twentieth of the edges at most ($(edges_of "$tmp/two.json"), $(edges_of "$tmp/one.json"))" \
    test $((20 * $(edges_of "$tmp/two.json"))) -lt "$(edges_of "$tmp/one.json")"
check 'a second sample differs' eval '! "$paths" -n 40 --seed 2 "$tmp/p4" | distances /dev/stdin | cmp -s - "$tmp/alone.distances"'
if command -v python3 >/dev/null 2>&1; then
    check 'the report is JSON, with all pairs' python3 -c '
import json, sys
two = json.load(open(sys.argv[1]))
assert len(two["pairs"]) == two["summary"]["pairs"] == 40
assert all(len(p["path"]) == p["distance"] + 1 and p["path"][0] == p["source"] and p["path"][-1] == p["target"]
           for p in two["pairs"])
assert sum(p["edges"] for p in two["pairs"]) == two["summary"]["edges"]' "$tmp/two.json"
else
    skip 'JSON: no python3'
fi

# the distances of dbfs-traverse, on a graph with permuted ids
"$BIN/edgeconv" -q -u --randomize=7 -o "$tmp/random.edges" "$tmp/grid.txt"
"$BIN/dbfs-pack" -q -p 3 -t 3 -o "$tmp/random" "$tmp/random.edges"
check_exit 0 'a randomised graph' "$paths" -q -r 0 --target 143 --path --json - "$tmp/random"
check "$situation: ids are those of the input" grep -q '"source": 0, "target": 143, "distance": 22, .*"path": \[0, [^]]*, 143\]' "$tmp/out"

# names
printf 'a b\tc\nc\td d\nd d\te\nx\ty\n' >"$tmp/names.txt"
"$BIN/edgeconv" -q -u --separator tab --compact="$tmp/map" -o "$tmp/names.edges" "$tmp/names.txt"
"$BIN/dbfs-pack" -q -p 2 -o "$tmp/names" "$tmp/names.edges"
check_exit 0 'a pair by name' "$paths" --map "$tmp/map" -r 'a b' --target e --path "$tmp/names"
check 'the path has names' grep -qP '^a b\te\t3\ta b\tc\td d\te$' "$tmp/out"
printf 'e\ta b\n\nx c\r\ny x\n' >"$tmp/names.pairs"
check 'dbfs-paths reads pairs of names from a pipe' eval '"$paths" --map "$tmp/map" --pairs - "$tmp/names" <"$tmp/names.pairs" | grep -qP "^e\ta b\t3$"'
check_exit 0 'pairs by name' "$paths" --map "$tmp/map" --pairs "$tmp/names.pairs" --path --json "$tmp/names.json" "$tmp/names"
check "$situation: vertices in other components have no path" grep -qP '^x\tc\t-1$' "$tmp/out"
check 'JSON has names' grep -q '"source": "e", "target": "a b", "distance": 3, .*"path": \["e", "d d", "c", "a b"\]' "$tmp/names.json"
check_exit 1 'a report that exists' "$paths" --map "$tmp/map" -r x --target y --json "$tmp/names.json" "$tmp/names"
check_exit 2 'an unknown name' "$paths" --map "$tmp/map" -r x --target nobody "$tmp/names"
check_says "nobody"

# from a file in one command
dbfs=$BIN/dbfs
check_exit 0 'dbfs --target' "$dbfs" --no-cache -r 0 --target 143 --path "$tmp/grid.txt"
check "$situation: prints one line" eval 'grep -qP "^0\t143\t22\t0\t.*\t143$" "$tmp/out" && test "$(wc -l <"$tmp/out")" = 1'
check_exit 0 'dbfs --target by name' "$dbfs" --no-cache --separator tab --compact -r 'a b' --target 'd d' "$tmp/names.txt"
check "$situation: prints the distance by name" grep -qP '^a b\td d\t2$' "$tmp/out"
check 'dbfs --pairs - reads pairs from a pipe' eval 'printf "0 143\n5 5\n" | "$dbfs" --cache "$tmp" --pairs - "$tmp/grid.txt" | cut -f 3 | tr "\n" " " | grep -qx "22 0 "'
check_exit 0 'dbfs -q' "$dbfs" -q --no-cache -r 0 --target 143 "$tmp/grid.txt"
check "$situation: prints the answer alone" eval 'grep -qxP "0\t143\t22" "$tmp/out" && test "$(cat "$tmp/out" "$tmp/err" | wc -l)" = 1'
check_exit 2 'a target without a root, before packing' "$dbfs" --no-cache --target 143 "$tmp/grid.txt"
check_says '^dbfs: -r SOURCE is missing'

# bad input
check_exit 2 'no pair' "$paths" "$tmp/p4"
check_exit 2 'no target' "$paths" -r 1 "$tmp/p4"
check_says 'target TARGET is missing'
check_exit 2 'two kinds of pairs' "$paths" -r 1 --target 2 -n 3 "$tmp/p4"
check_exit 2 'no number' "$paths" -r 1 --target x "$tmp/p4"
check_says "target: 'x' is not a whole number"
check_exit 2 'a negative number' "$paths" -r -1 --target 1 "$tmp/p4"
check_exit 2 'no vertex of the graph' "$paths" -r 1 --target 16384 "$tmp/p4"
check_says 'target 16384: the graph has vertices 0 to 16383'
check_exit 1 'no file of pairs' "$paths" --pairs "$tmp/nothing" "$tmp/p4"
printf '1 2\n3\n' >"$tmp/bad"
check_exit 3 'a line with one vertex' "$paths" --pairs "$tmp/bad" "$tmp/p4"
check_says "bad: pair 2: '3': expected a source and a target"
printf '1 2\n3 4 5\n' >"$tmp/bad"
check_exit 3 'a line with three' "$paths" --pairs "$tmp/bad" "$tmp/p4"
check_says "bad: pair 2: '4 5' is not a whole number"
: >"$tmp/bad"
check_exit 3 'no pairs in the file' "$paths" --pairs "$tmp/bad" "$tmp/p4"
check_says 'bad: has no pairs'
check_exit 1 'no graph' "$paths" -r 1 --target 2 "$tmp/nothing"
check_exit 5 'too little memory for the visited bits is an error' "$paths" -S 4K --resident packed -n 1 "$tmp/p1"
finish
