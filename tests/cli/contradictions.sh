#!/bin/bash
# contradictions.sh: each part is in order by itself, and together they contradict each other: an edge is in the rows of one
# end alone, and parts name vertices of each other by different bits. dbfs-paths and the others stay within their memory,
# and what they notice is exit 3 with the file and the place. BACKEND=cuda tries a GPU.
set -u
. tests/lib.sh
backend=${BACKEND:-cpu}
mutate=$TESTS/mutate
paths() { timeout 60 "$BIN/dbfs-paths" --backend "$backend" -@ 1 "$@"; }

# A ring 0 .. 40, a path from 40 on to 99, and 100 beside 0. From 100 a search comes to 0 and has a larger frontier than the
# one from 99 then. The edge from 90 to 89 becomes one from 90 to 100, which 100 does not have. Local vertices are 0, 40,
# 1 .. 39, 41 .. 100, with two parts the even and the odd ones.
awk 'BEGIN { for (v = 0; v < 99; v++) print v, v + 1; print 40, 0; print 0, 100 }' >"$tmp/ring.txt"
"$BIN/edgeconv" -q -u -o "$tmp/ring.edges" "$tmp/ring.txt"
for p in 1 2; do
    "$BIN/dbfs-pack" -q -p $p -t inf --encoding raw -o "$tmp/$p" "$tmp/ring.edges"
    cp -r "$tmp/$p" "$tmp/$p-apart"
done
"$mutate" set 17 182 100 "$tmp/1-apart/part-0000-of-0001.dbfs"
"$mutate" set 17 92 50 "$tmp/2-apart/part-0000-of-0002.dbfs"
for p in 1 2; do
    check_exit 0 "$p parts as they are" paths -r 100 --target 99 "$tmp/$p"
    check "$situation: the distance is 61" grep -qP '^100\t99\t61$' "$tmp/out"
    for path in '' --path; do
        check_exit 3 "$p parts, an edge at one end alone $path" paths -r 100 --target 99 $path "$tmp/$p-apart"
        check_says "$p-apart/part-0000-of-000$p.dbfs: vertex 90 has an edge with vertex 100, .*/part-0000-of"
        check_exit 3 "$p parts, a pair that meets, and one that does not $path" \
            paths --pairs <(printf '0 1\n100 99\n') $path "$tmp/$p-apart"
    done
    check_exit 0 "$p parts, one side alone goes along the edge" paths -r 100 --target 99 --one-sided "$tmp/$p-apart"
done
for p in 1 2; do
    check_exit 3 "$p parts, an edge at one end alone: dbfs-batch --parents" timeout 60 "$BIN/dbfs-batch" -q --backend "$backend" \
        -@ 1 -r 0 --parents "$tmp/parents.npy" "$tmp/$p-apart"
    check_says "$p-apart/part-0000-of-000$p.dbfs: vertex 90 was found over an edge that it does not have"
    check_exit 3 "$p parts, an edge at one end alone: a table that two ranks write" timeout 60 "$MPIEXEC" -n 2 "$BIN/dbfs-batch" -q --backend "$backend" \
        -@ 1 -r 99,0 --batch 1 --depths "$tmp/tree.csv" --parents "$tmp/tree.csv" "$tmp/$p-apart"
    check "$situation: is not left" test ! -e "$tmp/tree.csv"
done
check_exit 3 '--verify sees it' "$BIN/dbfs-pack" -q --verify "$tmp/1-apart"

# All edges of the second part lead to the first one, so their columns are the same with any number of local bits.
cp -r "$tmp/2" "$tmp/2-bits"
"$mutate" set 1 6 20 "$tmp/2-bits/part-0001-of-0002.dbfs"
cp -r "$tmp/1" "$tmp/1-bits"
"$mutate" set 1 6 31 "$tmp/1-bits/part-0000-of-0001.dbfs"
for p in 1 2; do
    for program in 'dbfs-traverse -r 0' 'dbfs-paths -r 0 --target 9' 'dbfs-batch -r 0' 'dbfs-graph500 -n 1' 'dbfs-pack --verify'; do
        check_exit 3 "$p parts, other local bits: ${program%% *}" "$BIN"/$program "$tmp/$p-bits"
        check_says "part-000$((p - 1))-of-000$p.dbfs: attributes: [23][01] local bits, and the parts together need [67]"
    done
done
finish
