#!/bin/bash
# batch-targets.sh: dbfs-batch writes the distances from each root to some targets alone (-t, --targets), beside the columns of its
# matrix of all distances. BACKEND=cuda searches on a GPU.
set -u
in_memory_mib=64
. tests/lib.sh
. tests/batch_graphs.sh

# ---- more graphs: a long path, where roots share little ----
"$TESTS/mkgraph" path 400 >"$tmp/path.txt"
pack path 2 inf
numbers() { tail -c +129 "$1" | od -An -v -t d4 -w4 | tr -d ' '; } # FILE.npy

# ---- the columns of the whole matrix; targets come twice, are isolated, or are roots ----
while read -r graph n first step; do
    seq 0 "$first" $((n - 1)) >"$tmp/roots"
    { seq $((n - 1)) "-$step" 0; echo 0; echo $((n - 1)); } >"$tmp/targets"
    roots=$(wc -l <"$tmp/roots") targets=$(wc -l <"$tmp/targets")
    "${batch[@]}" --roots-from "$tmp/roots" --force --depths "$tmp/all.npy" "$tmp/$graph" >"$tmp/out"
    numbers "$tmp/all.npy" | awk -v n=$n 'NR == FNR { target[++k] = $1; next } { row[(FNR - 1) % n] = $1 }
        FNR % n == 0 { for (i = 1; i <= k; i++) print row[target[i]] }' "$tmp/targets" - >"$tmp/want"
    check "there are distances of $graph to compare with" test "$(wc -l <"$tmp/want")" = $((roots * targets))
    for size in 1 64 200; do
        check_exit 0 "distances to targets in $graph, batches of $size" "${batch[@]}" -@ $((size % 2 + 1)) --batch $size \
            --roots-from "$tmp/roots" --targets "$tmp/targets" --force --depths "$tmp/got.npy" "$tmp/$graph"
        check "$situation: are columns of the whole matrix" diff -q "$tmp/want" <(numbers "$tmp/got.npy")
        check "$situation: are a matrix of roots and targets" grep -aq "'<i4', 'fortran_order': False, 'shape': ($roots, $targets)" "$tmp/got.npy"
    done
    check_exit 0 "distances to targets in $graph, with whole searches" "${batch[@]}" --hops "$tmp/hops" \
        --roots-from "$tmp/roots" --targets "$tmp/targets" --force --depths "$tmp/got.csv" "$tmp/$graph"
    check "$situation: are rows of root, target and distance" diff -q "$tmp/got.csv" <(echo root,target,distance
        while read -r root; do sed "s/^/$root,/" "$tmp/targets"; done <"$tmp/roots" | paste -d, - "$tmp/want")
    "$MPIEXEC" -n 3 "${batch[@]}" -@ 1 --batch 20 --roots-from "$tmp/roots" --targets "$tmp/targets" --force \
        --depths "$tmp/ranks.npy" "$tmp/$graph" >"$tmp/out" 2>&1
    check "three ranks write the matrix of roots and targets in $graph" diff -q "$tmp/want" <(numbers "$tmp/ranks.npy")
done <<END
rmat 2048 13 29
path 400 3 7
arcs 512 5 11
END

# ---- searches end when they have found all targets, and not before ----
check_exit 0 'near targets' "${batch[@]}" -v -r 0,1,2 -t 3,4 --depths "$tmp/near" "$tmp/path"
check "$situation: take as many levels as the farthest" grep -q ' s, 4 levels,' "$tmp/err"
check_exit 0 'near targets, with the whole balls' "${batch[@]}" -v -r 0,1,2 -t 3,4 --depths "$tmp/near2" --hops "$tmp/hops" --force "$tmp/path"
check "$situation: take as many levels as the graph" grep -qE ' s, (399|400) levels,' "$tmp/err"
"$BIN/dbfs-batch" --backend "${BACKEND:-cpu}" -r 0,1,2 -t 3,4 --depths "$tmp/near3" "$tmp/path" >"$tmp/out"
check 'each root tells how many targets it has reached' grep -qx 'root 0 targets 2 farthest 4' "$tmp/out"
check_exit 0 'targets within a depth' "${batch[@]}" -r 0 -t 3,4,0 --max-depth 3 --depths - "$tmp/path"
check "$situation: -1 stands for a target beyond" diff <(printf '0\t3\t3\n0\t4\t-1\n0\t0\t0\n') <(grep -v : "$tmp/out")

# ---- names ----
printf 'fox\tdog\ndog\tbig, bad\n' >"$tmp/names.txt"
"$BIN/edgeconv" -q -u --compact="$tmp/map" -o "$tmp/names.edges" "$tmp/names.txt"
"$BIN/dbfs-pack" -q -o "$tmp/names" "$tmp/names.edges"
check_exit 0 'targets by name' "${batch[@]}" --map "$tmp/map" -r fox -t 'big, bad' -t fox --depths "$tmp/names.csv" "$tmp/names"
check "$situation: have names, quoted where they must be" diff <(printf 'root,target,distance\nfox,"big, bad",2\nfox,fox,0\n') "$tmp/names.csv"
check_exit 0 'targets by name from all vertices' "${batch[@]}" --map "$tmp/map" -n all -t dog --depths "$tmp/all-names" "$tmp/names"
check "$situation: have names" diff <(printf 'fox\tdog\t1\ndog\tdog\t0\nbig, bad\tdog\t1\n') "$tmp/all-names"
check_exit 2 'a target that the map does not have' "${batch[@]}" --map "$tmp/map" -r fox -t cat --force --depths "$tmp/names.csv" "$tmp/names"
check_says 'cat'

# ---- what is refused ----
check_exit 2 'targets without a file' "${batch[@]}" -r 0 -t 1 "$tmp/rmat"
check_says 'need --depths FILE'
check_exit 2 'targets and a file of each root' "${batch[@]}" -r 0 -t 1 --depths "$tmp/%d" "$tmp/rmat"
check_exit 2 'a target beyond the graph' "${batch[@]}" -r 0 -t 2048 --depths "$tmp/x" "$tmp/rmat"
check_says 'target 2048: the graph has vertices 0 to 2047'
check_exit 2 'a target that is no number' "${batch[@]}" -r 0 -t one --depths "$tmp/x" "$tmp/rmat"
check_exit 3 'no targets' "${batch[@]}" -r 0 --targets /dev/null --depths "$tmp/x" "$tmp/rmat"
check_says 'has no targets'
check_exit 2 'two files of targets' "${batch[@]}" -r 0 --targets "$tmp/targets" --targets "$tmp/targets" --depths "$tmp/x" "$tmp/rmat"
finish
