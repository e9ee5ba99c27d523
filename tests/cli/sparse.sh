#!/bin/bash
# sparse.sh: streams of many vertices and few edges. The memory of a tool follows the edges and not n, also with
# several ranks, which write the same bytes. tests/unit/test_sparse_ids.c compares the bytes with a packing that keeps
# a value for each id.
set -u
. tests/lib.sh
pack=$BIN/dbfs-pack
same() { cmp "$1" "$2" >&2; }
same_folders() { diff -r "$1" "$2" >&2; }

# 2^21 vertices; 3,000 edges between some 1,500 ids: hubs, duplicates, and self-loops of vertices without other edges
{
    awk 'BEGIN { srand(5)
        for (i = 0; i < 3000; i++) {
            u = int(rand() * rand() * 1500); v = int(rand() * 1500)
            printf "%d %d\n", (u * 7919 + 13) % 2097152, (v * 7919 + 13) % 2097152 } }'
    printf '%s\n' '2097151 2097151' '77 77' '77 77' '5 2097150' '0 0'
} >"$tmp/g.txt"
"$BIN/edgeconv" -q -u --vertices 2097152 -o "$tmp/g.edges" "$tmp/g.txt"
"$BIN/edgeconv" -q -u --randomize=4 --vertices 2097152 -o "$tmp/random.edges" "$tmp/g.txt"
for graph in g random; do
    for options in '-p 1 -t 6' '-p 3 -t 6 --encoding raw' '-p 4 -t inf' '-p 1 -t 0' '-p 2'; do
        check_exit 0 "$graph, $options" "$pack" -v $options -o "$tmp/a" "$tmp/$graph.edges"
        mib=$(awk '/peak memory/ { print $NF == "MiB" ? int($(NF - 1)) : 0 }' "$tmp/err")
        # a value for each id would take 8 MiB more
        grep -q __asan_init "$pack" || check "$graph, $options: $mib MiB follow the edges" test "$mib" -lt 16
        [ "$options" = '-p 2' ] && ranks=3 || ranks=2
        check_exit 0 "$graph, $options, $ranks ranks" \
            "$MPIEXEC" -n $ranks "$pack" -q -@ 1 $options -o "$tmp/b" "$tmp/$graph.edges"
        check "$graph, $options, $ranks ranks: bytes are those of one process" same_folders "$tmp/a" "$tmp/b"
        check_exit 0 "$graph, $options: --verify" "$pack" -q --verify "$tmp/a"
        rm -rf "$tmp/a" "$tmp/b"
    done
    for options in '-t 6' '-t 0' '-t inf' '-p 2'; do
        "$BIN/degsplit" -q $options --force -o "$tmp/a.split" "$tmp/$graph.edges"
        "$MPIEXEC" -n 2 "$BIN/degsplit" -q -@ 1 $options --force -o "$tmp/b.split" "$tmp/$graph.edges"
        check "$graph, degsplit $options on two ranks: bytes are those of one process" same "$tmp/a.split" "$tmp/b.split"
        check_exit 0 "$graph, with that split" \
            "$pack" -q -p 2 -s "$tmp/a.split" -o "$tmp/a" "$tmp/$graph.edges"
        rm -rf "$tmp/a"
    done
done
"$pack" -q -p 2 -t 6 -o "$tmp/a" "$tmp/g.edges"
"$BIN/dbfs-traverse" --backend cpu -r 13 --depths "$tmp/depths" "$tmp/a" >"$tmp/out" 2>&1
"$TESTS/oracle" -n 2097152 -o "$tmp/oracle" "$tmp/g.txt" 13
check 'distances in a sparse graph are those of the oracle' same "$tmp/depths" "$tmp/oracle"

# ---- a file of 208 bytes with 10^9 vertices ----

printf '0 999999999\n' | "$BIN/edgeconv" -q -u --vertices 1000000000 -o "$tmp/large.edges"
check 'a stream of 10^9 vertices and one edge has some 200 bytes' test "$(stat -c %s "$tmp/large.edges")" -lt 250
rm -rf "$tmp/a"
check_exit 0 'a stream of 10^9 vertices and few edges packs in 5 s within 64 MiB' \
    cpu_limit 5 "$pack" -S 64M -@ 2 -p 1 -T "$tmp" -o "$tmp/a" "$tmp/large.edges"
check "$situation: the folder is small" test "$(du -sk "$tmp/a" | cut -f1)" -lt 256
check_exit 0 'degsplit in 5 s' \
    cpu_limit 5 "$BIN/degsplit" -q -S 64M -@ 2 -T "$tmp" -o "$tmp/s" "$tmp/large.edges"
check_exit 0 'a graph of 10^9 vertices and few edges is searched' cpu_limit 10 "$BIN/dbfs-traverse" --backend cpu -r 999999999 "$tmp/a"
check "$situation: the other end is found" grep -q '^root 999999999 .* reached 2 .* edges 1 ' "$tmp/out"
"$pack" -q -p 2 -o "$tmp/alone" "$tmp/large.edges"
check_exit 0 'three ranks pack it in 10 s, each within 64 MiB' \
    cpu_limit 10 "$MPIEXEC" -n 3 "$pack" -S 64M -@ 1 -p 2 -T "$tmp" -o "$tmp/ranks" "$tmp/large.edges"
check "$situation: bytes are those of one process" same_folders "$tmp/alone" "$tmp/ranks"
check_exit 0 'two ranks separate a stream of 10^9 vertices' \
    cpu_limit 10 "$MPIEXEC" -n 2 "$BIN/degsplit" -q -S 64M -@ 1 -T "$tmp" -o "$tmp/s2" "$tmp/large.edges"
check "$situation: bytes are those of one process" same "$tmp/s" "$tmp/s2"
check_exit 0 '--plan of a stream of 10^9 vertices and few edges' "$pack" --plan -S 64M -p 1 "$tmp/large.edges"
check "$situation: memory is below 32 MiB, without disk" \
    awk '$1 == "memory" { m = $2 } $1 == "temporary-disk" { d = $2 }
         END { exit !(m > 0 && m < 2 ^ 25 && d == 0) }' "$tmp/out"
# ---- roots that are sampled: time and memory follow the vertices with edges ----

printf '0 4294967294\n1 2\n' | "$BIN/edgeconv" -q -u -o "$tmp/two.edges"
"$pack" -q -p 3 -o "$tmp/two" "$tmp/two.edges"
for program in 'dbfs-traverse -n 2' 'dbfs-paths -n 2' 'dbfs-batch -n 4'; do
    check_exit 0 "two edges among 2^32 vertices: $program" cpu_limit 5 "$BIN"/$program --backend cpu -@ 1 -S 64M "$tmp/two"
done
roots() { "$@" --backend cpu -@ 1 "$tmp/few" | sed -n 's/^root \([0-9]*\) .*/\1/p' | tr '\n' ' '; }
printf '0 4294\n1 2\n7 7\n' | "$BIN/edgeconv" -q -u --vertices 6000000 -o "$tmp/few.edges"
for p in 1 3; do
    "$pack" -q --force -p $p -o "$tmp/few" "$tmp/few.edges"
    for sample in '2:0 1 2 ' '3:2 0 1 '; do
        check "p $p: sampled roots are those of seed ${sample%%:*}" \
            test "$(roots "$BIN/dbfs-traverse" -n 3 --seed "${sample%%:*}")" = "${sample#*:}"
    done
done
check 'three ranks sample the roots of one' test "$(roots "$MPIEXEC" -n 3 "$BIN/dbfs-traverse" -n 3 --seed 3)" = "${sample#*:}"

# an id of 2^31 or more has no slot of 4 bytes in a single shard
printf '0 9999999999\n' | "$BIN/edgeconv" -q -u -o "$tmp/larger.edges"
check_exit 5 'a slot beyond 4 bytes is refused at once' \
    cpu_limit 5 "$pack" -q -p 1 -o "$tmp/x" "$tmp/larger.edges"
check_says 'p must be larger'
check_exit 0 'more shards than 2^31 vertices each need are packed' cpu_limit 5 "$pack" -q -p 8 -o "$tmp/x" "$tmp/larger.edges"
check_exit 2 'parents of 4 bytes do not hold its ids, which is said at once' \
    cpu_limit 5 "$BIN/dbfs-traverse" --backend cpu -q -g 8 -r 0 --parents-width 4 --parents "$tmp/p.npy" "$tmp/x"
check_says '^dbfs-traverse: --parents-width 4: the graph has 10000000000 vertices$'
check "$situation: nothing is written" test ! -e "$tmp/p.npy"
check_exit 0 'without parents the width does not matter' \
    cpu_limit 10 "$BIN/dbfs-traverse" --backend cpu -q -g 8 -r 0 --parents-width 4 "$tmp/x"
finish
