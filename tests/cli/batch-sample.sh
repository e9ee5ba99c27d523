#!/bin/bash
# batch-sample.sh: dbfs-batch estimates the centralities of all vertices from a sample of them (--sample), with errors. From all
# vertices the estimates are the exact values; from some, the errors cover as many of the exact values as they promise.
# BACKEND=cuda searches on a GPU.
set -u
in_memory_mib=64
. tests/lib.sh
. tests/batch_graphs.sh

# ---- more graphs: a long path, where roots share little; components and isolated vertices ----
"$TESTS/mkgraph" path 300 >"$tmp/path.txt"
"$TESTS/mkgraph" components >"$tmp/components.txt"
pack path 1 inf
pack components 2 3

# beside EXACT SAMPLED PROGRAM: runs an awk program on each vertex. Its exact values are id, reached, closeness, closeness_wf and
# harmonic in e[1..5]; the estimates and errors of the last four are s[2..9].
beside() {
    awk -F '[ ,\t]' 'function far(a, b) { return a > b ? a - b : b - a }
        /^(#|id)/ { next } FNR == NR { exact[$1] = $2 " " $5 " " $6 " " $7; vertices++; next }
        { rows++; split($1 " " exact[$1], e, " "); split($0, s, /[,\t]/); '"$3"'; if (rows != vertices) exit 1 }' "$1" "$2"
}

# ---- from all vertices ----
turn=0
for graph in rmat path components arcs arcs:--reverse; do
    IFS=: read -r name way <<<"$graph:"
    "${batch[@]}" -n all $way --force --centrality "$tmp/exact" "$tmp/$name" >"$tmp/out"
    for size in 5 256; do
        turn=$((turn + 1))
        check_exit 0 "a sample of all vertices of $graph, batches of $size" "${batch[@]}" -@ $((turn % 2 + 1)) --batch $size \
            --sample 100000 $way --force --centrality "$tmp/all" "$tmp/$name"
        check "$situation: has the exact values, and no errors" beside "$tmp/exact" "$tmp/all" '
            for (i = 2; i <= 5; i++) if (far(s[2 * i - 2], e[i]) > 1e-9 * e[i] || s[2 * i - 1] != 0) bad++
            } END { if (bad || rows < 100) exit 1'
    done
done

# ---- from some vertices ----
for graph in rmat:200 path:50 arcs:60; do
    IFS=: read -r name sample <<<"$graph"
    "${batch[@]}" -n all --force --centrality "$tmp/exact" "$tmp/$name" >"$tmp/out"
    check_exit 0 "$sample samples of $name" "${batch[@]}" --batch 64 --sample $sample --force --centrality "$tmp/some.csv" "$tmp/$name"
    check "$situation: are $sample searches" grep -qx "NBFS: $sample" "$tmp/out"
    check "$situation: two errors cover nine of ten exact values, and half an error does not" beside "$tmp/exact" "$tmp/some.csv" '
        if (s[5] == "NaN") next
        for (i = 3; i <= 5; i++) {
            all++; d = far(s[2 * i - 2], e[i])
            one += d <= s[2 * i - 1] / 2; two += d <= 2 * s[2 * i - 1] } } END { if (two < .9 * all || one > .8 * all || all < 500) exit 1'
    for size in 1 7 256; do
        "${batch[@]}" --batch $size --sample $sample --force --centrality "$tmp/again.csv" "$tmp/$name" >"$tmp/out"
        check "batches of $size give the table of $sample samples of $name" cmp "$tmp/some.csv" "$tmp/again.csv"
    done
    "$MPIEXEC" -n 3 "${batch[@]}" -@ 1 --batch 9 --sample $sample --force --centrality "$tmp/again.csv" "$tmp/$name" >"$tmp/out" 2>&1
    check "three ranks give the table of $sample samples of $name" cmp "$tmp/some.csv" "$tmp/again.csv"
    "${batch[@]}" --seed 2 --sample $sample --force --centrality "$tmp/again.csv" "$tmp/$name" >"$tmp/out"
    check "another seed gives another table of $name" bash -c '! cmp -s "$1" "$2"' - "$tmp/some.csv" "$tmp/again.csv"
done
check 'the table has a line of names' test "$(head -n 1 "$tmp/some.csv")" = \
    id,reached,reached_error,closeness,closeness_error,closeness_wf,closeness_wf_error,harmonic,harmonic_error

# ---- one sample: a star of five, and an edge elsewhere ----
printf '0 1\n0 2\n0 3\n0 4\n5 6\n' >"$tmp/star.txt"
pack star 1 inf
"${batch[@]}" --sample 1 --seed 1 --centrality "$tmp/one" "$tmp/star" >"$tmp/out"
check 'one sample gives values without errors to its component, and none to others' awk -F '\t' '
    $2 == "NaN" { unknown += $4 == "NaN" && $8 == "NaN" } $2 == 5 { star++; errors += $5 != "NaN" }
    $2 == 2 { edge++ } END { exit !(NR == 7 && !errors && (star == 5 && unknown == 2 || edge == 2 && unknown == 5)) }' "$tmp/one"
"${batch[@]}" --sample 3 --seed 3 --centrality "$tmp/three" "$tmp/star" >"$tmp/out"
check 'the size of a component is known from one sample in it' awk -F '\t' '$2 != "NaN" && ($2 != ($1 < 5 ? 5 : 2) || $3 != 0) { exit 1 }' "$tmp/three"

# ---- dbfs ----
PATH=$(realpath "$BIN"):$PATH check_exit 0 'dbfs --sample' "$BIN/dbfs" --no-cache --sample 5 --centrality "$tmp/by-dbfs" "$tmp/rmat.edges"
check "$situation: says where the table is" test "$(cat "$tmp/out")" = "centrality in $tmp/by-dbfs"
check "$situation: makes a row for each vertex with edges" test "$(wc -l <"$tmp/by-dbfs")" -gt 1000

# ---- what is refused ----
for other in '-n 3' '-r 1' '--depths d.npy' '--hops h' '--max-depth 2' '--resume'; do
    check_exit 2 "a sample, and $other" "${batch[@]}" --sample 5 --centrality "$tmp/x" $other "$tmp/rmat"
    check_says "--sample and ${other% *} exclude each other"
done
check_exit 2 'a sample without a table' "${batch[@]}" --sample 5 "$tmp/rmat"
check_exit 2 'a sample of none' "${batch[@]}" --sample 0 --centrality "$tmp/x" "$tmp/rmat"
check_exit 5 'too little memory for the sums' "${batch[@]}" -@ 1 -S 400K --sample 5 --batch 1 --centrality "$tmp/x" "$tmp/rmat"
finish
