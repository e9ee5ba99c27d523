#!/bin/bash
# batch-balls.sh: dbfs-batch writes the vertices within some hops of each root (--max-depth, --reached) and their number at each
# distance (--hops), beside searches one by one. BACKEND=cuda searches on a GPU.
set -u
in_memory_mib=64
. tests/lib.sh
. tests/batch_graphs.sh

# ---- more graphs: a long path, where roots share little; components and isolated vertices; names ----
"$TESTS/mkgraph" path 300 >"$tmp/path.txt"
"$TESTS/mkgraph" grid 30 40 >"$tmp/grid.txt"
"$TESTS/mkgraph" components >"$tmp/components.txt"
pack path 1 inf
pack grid 2 3
pack components 2 3

# one_by_one GRAPH ROOTS [OPTION]...: the rows that searches from each of these roots give
one_by_one() {
    local graph=$1 root
    for root in ${2//,/ }; do
        "$BIN/dbfs-traverse" -q --backend cpu -r $root "${@:3}" --list-reached - "$tmp/$graph" 2>/dev/null | sed "s/^/$root\t/"
    done
}

# ---- balls ----
rmat=5,0,2047,17,99,5,1000,1001,1002,1003
some=3,7,0,250,8,299
many=$(seq -s, 0 3 200)
turn=0
while read -r graph depth roots; do
    limit=(--max-depth "$depth")
    [ "$depth" != all ] || limit=()
    one_by_one $graph $roots "${limit[@]}" >"$tmp/want"
    check "there are balls of $graph to compare with" test "$(wc -l <"$tmp/want")" -gt 5
    for size in $([ "$graph" = path ] && echo 64 || echo 3 100); do
        turn=$((turn + 1))
        check_exit 0 "balls of $graph of depth $depth, batches of $size" "${batch[@]}" -@ $((turn % 2 + 1)) --batch $size -r $roots \
            "${limit[@]}" --force --reached "$tmp/got" --hops "$tmp/hops" "$tmp/$graph"
        check "$situation: are those of searches one by one" cmp "$tmp/want" "$tmp/got"
        check "$situation: --hops counts their vertices" diff "$tmp/hops" \
            <(awk '{ if (NR > 1 && ($1 != root || $3 != hops)) { print root "\t" hops "\t" count; count = 0 }
                root = $1; hops = $3; count++ } END { print root "\t" hops "\t" count }' "$tmp/want")
    done
done <<END
rmat 2 $rmat
rmat 0 $rmat
rmat all $rmat
path 20 $many
path all $many
grid 3 $some
components all $some
arcs 2 $some
END
one_by_one arcs $some --max-depth 2 --reverse >"$tmp/want"
check_exit 0 'balls against the edges' "${batch[@]}" -r $some --max-depth 2 --reverse --force --reached "$tmp/got" "$tmp/arcs"
check "$situation: are those of searches one by one" cmp "$tmp/want" "$tmp/got"

# ---- all else ends at that depth, too ----
"${batch[@]}" -r $rmat --max-depth 2 --depths "$tmp/%d" "$tmp/rmat" >"$tmp/out"
check '--max-depth ends --depths' diff <(awk '$2 >= 0 { print $1, $2 }' "$tmp/99" | sort) <(one_by_one rmat 99 --max-depth 2 | awk '{ print $2, $3 }' | sort)
check '--max-depth has the checksum of dbfs-traverse' diff <(grep checksum: "$tmp/out") \
    <("$BIN/dbfs-traverse" --backend cpu -r $rmat --max-depth 2 "$tmp/rmat" | grep checksum:)
"${batch[@]}" -r 99,5 --max-depth 1 --centrality "$tmp/near" "$tmp/rmat" >"$tmp/out"
check '--max-depth leaves distances beyond out of --centrality' test "$(sed -n '$p' "$tmp/near" | tr , ' ' | awk '{ print $3 }')" = 1

# ---- after a small batch the next one begins with clean words: small and large balls in turn ----
mixed=$(for i in $(seq 1 40); do echo $((i * 37 % 2048)); done | paste -sd,)
one_by_one rmat $mixed --max-depth 1 >"$tmp/want"
check_exit 0 'batches of one root' "${batch[@]}" -@ 1 --batch 1 -r $mixed --max-depth 1 --force --reached "$tmp/got" "$tmp/rmat"
check "$situation: no ball has vertices of the one before" cmp "$tmp/want" "$tmp/got"

# ---- forms ----
one_by_one rmat $rmat --max-depth 1 >"$tmp/want"
check_exit 0 'balls as CSV' "${batch[@]}" -r $rmat --max-depth 1 --reached "$tmp/balls.csv" --hops "$tmp/hops.csv" "$tmp/rmat"
check "$situation: have a header and commas" diff <(echo root,id,distance; tr '\t' , <"$tmp/want") "$tmp/balls.csv"
check "$situation: so has the table of distances" test "$(head -n 2 "$tmp/hops.csv" | paste -sd' ')" = 'root,distance,vertices 5,0,1'
check_exit 0 'balls as an array' "${batch[@]}" -r $rmat --max-depth 1 --reached "$tmp/balls.npy" "$tmp/rmat"
check "$situation: the header has the number of rows" grep -aq "'<i4', 'fortran_order': False, 'shape': ($(wc -l <"$tmp/want"), 3)" "$tmp/balls.npy"
check "$situation: its numbers are those of the text" diff <(tr '\t' '\n' <"$tmp/want") <(tail -c +129 "$tmp/balls.npy" | od -An -v -t d4 -w4 | tr -d ' ')
mkfifo "$tmp/fifo.npy"
exec 8<>"$tmp/fifo.npy"
check_exit 2 'an array of balls into a pipe' "${batch[@]}" -r 0 --reached "$tmp/fifo.npy" "$tmp/rmat"
exec 8>&-
check_says 'needs a regular file'
printf 'fox\tdog\ndog\tbig, bad\n' >"$tmp/names.txt"
"$BIN/edgeconv" -q -u --compact="$tmp/map" -o "$tmp/names.edges" "$tmp/names.txt"
"$BIN/dbfs-pack" -q -o "$tmp/names" "$tmp/names.edges"
check_exit 0 'balls by name' "${batch[@]}" --map "$tmp/map" -r fox --max-depth 2 --reached "$tmp/names.csv" --hops "$tmp/names.hops" "$tmp/names"
check "$situation: have names, quoted where they must be" diff <(printf 'root,id,distance\nfox,fox,0\nfox,dog,1\nfox,"big, bad",2\n') "$tmp/names.csv"
check "$situation: so has the table of distances" diff <(printf 'fox\t0\t1\nfox\t1\t1\nfox\t2\t1\n') "$tmp/names.hops"

# ---- ranks ----
one_by_one rmat $rmat --max-depth 2 >"$tmp/want"
"$MPIEXEC" -n 3 "${batch[@]}" -@ 1 --batch 2 -r $rmat --max-depth 2 --force --reached "$tmp/got" --hops "$tmp/hops3" "$tmp/rmat" >"$tmp/out" 2>&1
check 'three ranks write the balls in order' cmp "$tmp/want" "$tmp/got"
"$MPIEXEC" -n 2 "${batch[@]}" -@ 1 --batch 2 -r $rmat --max-depth 2 --reached - "$tmp/rmat" 2>"$tmp/err" >"$tmp/got"
check 'two ranks write the balls in order to a pipe' cmp "$tmp/want" "$tmp/got"
"${batch[@]}" -r $rmat --max-depth 2 --hops "$tmp/hops1" "$tmp/rmat" >"$tmp/out"
check 'three ranks count the vertices at each distance as one does' cmp "$tmp/hops1" "$tmp/hops3"

# ---- what is refused ----
check_exit 2 'balls cannot be resumed' "${batch[@]}" -n 2 --resume --centrality "$tmp/c" --reached "$tmp/b" "$tmp/rmat"
check_says 'are written in one run'
check_exit 2 'two tables in one file' "${batch[@]}" -n 2 --hops "$tmp/b" --reached "$tmp/b" "$tmp/rmat"
check_exit 2 'balls in a format that is not written' "${batch[@]}" -n 2 --reached "$tmp/b.parquet" "$tmp/rmat"
check_exit 5 'too little memory' "${batch[@]}" -@ 1 -S 900K --no-checksum -n 64 --reached "$tmp/b" "$tmp/rmat"
[ "${BACKEND:-cpu}" != cpu ] || check_says 'vertices that a batch has reached (a smaller --batch takes less)'
check "$situation: no file is left" test ! -e "$tmp/b"
finish
