#!/bin/bash
# one-gpu.sh: graphs of several shards that one emulated GPU (tests/emulator) searches, with all shards joined into one, and those where
# this cannot be, or was not asked for. Also -g 1 on CPUs.
set -u
. tests/lib.sh
use_emulated_gpus 'joined shards'
export OMP_WAIT_POLICY=passive EMULATED_PROCESSORS=2 EMULATED_GPUS=3
traverse=$BIN/dbfs-traverse

"$BIN/rmatgen" -q -s 8 -f text -o "$tmp/text"
awk '!/^#/ { print $2, $1 }' "$tmp/text" >"$tmp/reversed"
for way in one both; do
    [ $way = one ] && convert=(-u) arcs=() || convert=(--direction directed) arcs=(-d)
    "$BIN/edgeconv" -q "${convert[@]}" -o "$tmp/$way" "$tmp/text"
    for p in 1 2 3; do
        "$BIN/dbfs-pack" -q -p $p -t 16 -o "$tmp/$way-$p" "$tmp/$way"
    done
    "$TESTS/oracle" "${arcs[@]}" -o "$tmp/$way.%d.txt" "$tmp/text" 0,7 >"$tmp/out"
done
"$TESTS/oracle" -d -o "$tmp/reverse.%d.txt" "$tmp/reversed" 0,7 >"$tmp/out"

# search RANKS OPTION... GRAPH: exits with 0, with depths, parents, a report and the launched kernels in $tmp
search() {
    local ranks=$1
    shift
    rm -f "$tmp"/depths.* "$tmp"/parents.* "$tmp/kernels"
    check_exit 0 "$ranks ranks, ${*##*/}" env EMULATED_KERNELS="$tmp/kernels" timeout 120 "$MPIEXEC" -n "$ranks" "$traverse" -@ 1 --backend cuda -r 0,7 \
        --force --json "$tmp/json" --depths "$tmp/depths.%d.txt" --parents "$tmp/parents.%d.txt" "$@"
}
# right ORACLE TEXT [-d]: depths and parents are right
right() {
    local root
    for root in 0 7; do
        cmp "$tmp/depths.$root.txt" "$tmp/$1.$root.txt" &&
            "$TESTS/treecheck" ${3:-} "$tmp/$2" $root "$tmp/depths.$root.txt" "$tmp/parents.$root.txt" || return 1
    done
}
reported() { grep -o "\"$1\": [0-9.]*" "$tmp/json" | cut -d ' ' -f 2; }
joined() { check "$situation: joins $1 shards" test "$(reported joined_shards)" = "$1"; }

for p in 2 3; do
    search 1 "$tmp/one-$p"
    check "$situation: distances and parents are right" right one text
    joined $p
    check "$situation: a search by slices, as of one shard" grep -q sliced "$tmp/kernels"
    check "$situation: the text has shards, seconds and both predicted times" test \
        "$(grep -cE "^joined: $p shards, in [0-9.]+ s$|^predicted: [0-9]+ us a search by $p GPUs, [0-9]+ by one$" "$tmp/out")" = 2
    check "$situation: the report has predicted times, that of one GPU the smaller one" awk -v one="$(reported predicted_one_gpu_s)" \
        -v several="$(reported predicted_gpus_s)" 'BEGIN { exit !(one > 0 && one < several) }'
done
search 3 "$tmp/one-3"
check "$situation: distances and parents are right" right one text
joined 3
check_says 'one GPU is predicted to be faster than 3, .*: rank 0 searches alone'
search 1 "$tmp/both-3"
check "$situation: distances and parents are right" right both text -d
search 1 --reverse "$tmp/both-2"
check "$situation: distances and parents are right" right reverse reversed -d
joined 2

# ---- what was asked for ----

for options in '-g 2' '--exchange-memory peer' '--resident packed' --stepped; do
    search 1 $options "$tmp/one-2"
    joined 0
    check "$situation: no note" test ! -s "$tmp/err"
done
EMULATED_MEMORY=200K search 1 "$tmp/one-2"
joined 0
check_says "one GPU is predicted to search the graph in [0-9]* us, 2 in [0-9]*, but all shards need .* 'dbfs-pack -p 1' makes one shard"
check "$situation: distances and parents are right" right one text
EMULATED_MEMORY=200K check_exit 0 'no memory for all shards, -q' "$traverse" -q -@ 1 --backend cuda -r 0 "$tmp/one-2"
check "$situation: says nothing" test ! -s "$tmp/err"
EMULATED_GPUS=1 search 1 "$tmp/one-3"
joined 3

# ---- damage, memory, plan ----

cp -r "$tmp/one-2" "$tmp/bad"
printf '\377' | dd of="$tmp/bad/part-0001-of-0002.dbfs" bs=1 conv=notrunc status=none seek=2000
check_exit 3 'a damaged part that would be joined' "$traverse" -q --backend cuda -r 0 "$tmp/bad"
check_says 'part-0001-of-0002.dbfs: '
check_exit 5 'no memory to join' "$traverse" -q --backend cuda -g 1 -S 20K -r 0 "$tmp/one-2"
check_says 'memory'
total() { "$traverse" --plan "$1" | sed -n "s/^$2  *//p" | awk '{ print $1 }'; }
check '--plan of several shards has the bytes of one GPU with all of them, which are those of one shard and at most a twentieth more' awk \
    -v joined="$(total "$tmp/one-3" 'total, joined')" -v one="$(total "$tmp/one-1" total)" 'BEGIN { exit !(one > 0 && joined >= one && joined < 1.05 * one) }'
check_exit 0 'a plan as JSON' "$traverse" --plan --json - "$tmp/one-3"
check "$situation: has both predicted times" grep -q '"predicted_s": {"gpus": 0.0000[0-9]*, "one_gpu": 0.0000[0-9]*}' "$tmp/out"

# ---- CPUs ----

sum() { timeout 120 "$traverse" -@ 2 --backend cpu -r 0,7 "$@" 2>"$tmp/err" | grep -E '^(joined|distance_checksum):' | sed 's/ in.*//'; }
check 'shards are joined on CPUs with -g 1, and the distances are the same' test \
    "$(sum -g 1 "$tmp/one-3")" = "joined: 3 shards,
$(sum "$tmp/one-3")"
finish
