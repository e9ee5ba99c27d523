#!/bin/bash
# result-memory.sh: each rank writes its part of a result, and no rank has an array over all ids. So twice the ranks
# take half the memory each, apart from arrays over delegates. Long mode takes a graph of 2^28 ids.
set -u
in_memory_mib=$([ "${TEST_MODE:-short}" = long ] && echo 8192 || echo 512)
. tests/lib.sh

scale=22
[ "${TEST_MODE:-short}" = long ] && scale=28
scale=${RESULT_SCALE:-$scale}
rank_counts="1 8"
[ "$scale" -gt 22 ] && rank_counts="1 2 4 8"
[ "$(awk '$1 == "MemAvailable:" { print int($2 / 1024) }' /proc/meminfo)" -gt $((60 << (scale - 20))) ] ||
    { skip "results of scale $scale: not enough memory"; finish; }

"$BIN/rmatgen" -q -s "$scale" -e 1 -o "$tmp/edges"
"$BIN/dbfs-pack" -q -p 8 --encoding packed -o "$tmp/graph" "$tmp/edges" || fail 'packing'
rm "$tmp/edges"
for kind in depths parents; do
    for ranks in $rank_counts; do
        check_exit 0 "$kind by $ranks ranks" "$MPIEXEC" -n $ranks "$BIN/dbfs-traverse" -q -@ 1 --backend cpu \
            --no-check -r 0 --force --json "$tmp/json" --$kind "$tmp/$kind.$ranks.npy" "$tmp/graph"
        peak=$(sed -n 's/.*"peak_bytes": \([0-9]*\).*/\1/p' "$tmp/json")
        echo "$ranks $((peak >> 20))" >>"$tmp/peaks.$kind"
        size=$(stat -c %s "$tmp/$kind.$ranks.npy")
        check "$situation: the file has $((1 << scale)) values" test "$size" = $((128 + (4 << scale)))
        [ $kind = depths ] && check "$situation: the depths are those of one rank" cmp "$tmp/depths.1.npy" "$tmp/depths.$ranks.npy"
        [ $ranks = 1 ] || rm "$tmp/$kind.$ranks.npy"
    done
    sed "s/^/    $kind, ranks and MiB of the largest: /" "$tmp/peaks.$kind"
    # each rank has the program, MPI's memory, windows, arrays over delegates and rows of delegates
    own=$((32 + $(sed -n 's/.*"delegates": \([0-9]*\).*/\1/p' "$tmp/json") * 64 / 1048576))
    check "$kind: eight ranks take an eighth each, and $own MiB" awk -v own=$own '
        { peak[$1] = $2 } END { exit !(peak[8] <= peak[1] / 8 * 1.15 + own) }' "$tmp/peaks.$kind"
    rm "$tmp/$kind.1.npy"
done
finish
