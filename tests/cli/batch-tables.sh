#!/bin/bash
# batch-tables.sh: ranks of dbfs-batch write the distances and parents of several roots into one table, byte for byte that of one rank,
# whether each has the whole graph or they divide it; in pipes, with names, and without n values on one rank that has a part of the graph.
set -u
in_memory_mib=64
. tests/lib.sh
BACKEND=cpu
. tests/batch_graphs.sh
"$BIN/rmatgen" -q -s 7 -f text -o "$tmp/small.txt"
pack small 1 9
mv "$tmp/small" "$tmp/small-1"
"$BIN/dbfs-pack" -q -p 4 -t 9 -o "$tmp/small-4" "$tmp/small.edges"
"$BIN/edgeconv" -q -u --randomize=5 -o "$tmp/permuted.edges" "$tmp/small.txt"
"$BIN/dbfs-pack" -q -p 4 -t 9 -o "$tmp/small-permuted" "$tmp/permuted.edges"

# alike RANKS GRAPH OPTION...: these ranks write what one writes. @ in an option stands for a folder of results
alike() {
    local ranks=$1 graph=$2
    shift 2
    rm -rf "$tmp/one" "$tmp/many"
    mkdir "$tmp/one" "$tmp/many"
    "${batch[@]}" -@ 1 "${@//@/$tmp/one}" "$tmp/$graph" >"$tmp/one/out" 2>"$tmp/err"
    check_exit 0 "$graph on $ranks ranks, $*" "$MPIEXEC" -n "$ranks" "${batch[@]}" -@ 1 "${@//@/$tmp/many}" "$tmp/$graph"
    mv "$tmp/out" "$tmp/many/out"
    sed -i '/^search/d' "$tmp"/{one,many}/out
    check "$situation: results are those of one rank" diff -r "$tmp/one" "$tmp/many"
    check "$situation: there are results" test "$(cat "$tmp/many"/* | wc -c)" -gt 1000
}
roots=(-r 5,0,127,3,3,64,17)
alike 2 small-1 "${roots[@]}" --batch 2 --depths @/d.csv
alike 3 small-4 "${roots[@]}" --batch 1 --depths @/tree.csv --parents @/tree.csv # the last round has roots for one rank
alike 4 small-4 "${roots[@]}" --depths @/d.tsv --parents @/p                     # one rank has all roots
alike 2 small-permuted "${roots[@]}" --batch 3 --depths @/d.npy --parents @/p.csv --reached @/balls
alike 2 small-1 "${roots[@]}" --batch 2 --depths @/d-%d --parents @/p.csv --max-depth 1
alike 2 small-4 "${roots[@]}" --batch 2 --depths - --parents @/p-%d
alike 2 small-4 "${roots[@]}" --batch 2 --distribute --depths @/d.csv
alike 4 small-permuted "${roots[@]}" --batch 3 --distribute --depths @/d.tsv --hops @/hops
alike 3 arcs -n 40 --batch 9 --depths @/tree --parents @/tree --reverse

# ---- a table of all is what the files of each root are together ----
check_exit 0 'a file of each root' "${batch[@]}" "${roots[@]/,3,3,/,3,}" --depths "$tmp/of-%d.csv" --parents "$tmp/of-%d.csv" "$tmp/small-4"
check_exit 0 'a table of all roots' "$MPIEXEC" -n 2 "${batch[@]}" -@ 1 --batch 2 "${roots[@]/,3,3,/,3,}" --depths "$tmp/all.csv" --parents "$tmp/all.csv" "$tmp/small-4"
check "$situation: has the lines of all files" cmp "$tmp/all.csv" \
    <(echo root,id,distance,parent; for root in 5 0 127 3 64 17; do sed "1d; s/^/$root,/" "$tmp/of-$root.csv"; done)
check 'ranks write a table into a pipe' cmp "$tmp/all.csv" \
    <("$MPIEXEC" -n 2 "${batch[@]}" -@ 1 --batch 2 "${roots[@]/,3,3,/,3,}" --depths - --parents - "$tmp/small-4" 2>"$tmp/err" | sed '/\t/!d; s/\t/,/g; 1s/^/root,id,distance,parent\n/')

# ---- names ----
awk '{ print "v" $1, "v" $2 }' "$tmp/small.txt" | "$BIN/edgeconv" -q -u --compact="$tmp/map" -o "$tmp/names.edges" -
"$BIN/dbfs-pack" -q -p 2 -t 9 -o "$tmp/names" "$tmp/names.edges"
for how in '' --distribute; do
    alike 2 names --map "$tmp/map" -r v5 -r v0 -r v64 --batch 1 $how --depths @/d.csv $([ -n "$how" ] || echo --parents @/d.csv)
    check "$situation: vertices have names" grep -q '^v5,v0,' "$tmp/many/d.csv"
done

# ---- failures end all ranks, and leave no table ----
check_exit 5 'a table on a full disk' "$MPIEXEC" -n 2 "${batch[@]}" -@ 1 "${roots[@]}" --batch 2 --depths /dev/full "$tmp/small-4"
touch "$tmp/there.csv"
check_exit 1 'a table that exists' "$MPIEXEC" -n 2 "${batch[@]}" -@ 1 "${roots[@]}" --depths "$tmp/there.csv" "$tmp/small-4"
check 'a table that exists is left as it is' test ! -s "$tmp/there.csv"

# ---- memory: of ranks that divide a graph none has a value of each id ----
"$BIN/edgeconv" -q -u --vertices 1000000 -o "$tmp/wide.edges" "$tmp/small.txt"
"$BIN/dbfs-pack" -q -p 4 -t 9 -o "$tmp/wide" "$tmp/wide.edges"
check_exit 0 'a table of four ranks that have 2 MB each' "$MPIEXEC" -n 4 "${batch[@]}" -@ 1 -r 5,0 --distribute -S 2M --depths "$tmp/wide.csv" "$tmp/wide"
check "$situation: has a line for each root and id" test "$(wc -l <"$tmp/wide.csv")" = 2000001
check_exit 5 'files of one root each need 4 MB on rank 0' "$MPIEXEC" -n 4 "${batch[@]}" -@ 1 -r 5,0 --distribute -S 2M --depths "$tmp/wide-%d" "$tmp/wide"
finish
