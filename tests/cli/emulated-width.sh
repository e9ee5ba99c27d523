#!/bin/bash
# emulated-width.sh: --depths-width 1 and 2 on the emulated GPU: devices copy 1 and 2 bytes a distance to the host, and with permuted
# ids one more, where 4 bytes a distance take 4 and 5; the arrays are those of the CPU. Ranks, shards, --serve.
set -u
. tests/lib.sh
plain=${BUILD:-build}
use_emulated_gpus 'distances of few bytes on an emulated GPU'
export OMP_WAIT_POLICY=passive EMULATED_PROCESSORS=2 EMULATED_GPUS=4
n=5000
"$plain/tests/mkgraph" path 134 >"$tmp/path.txt"
"$plain/bin/edgeconv" -q -u --vertices $n -o "$tmp/plain" "$tmp/path.txt"
"$plain/bin/edgeconv" -q -u --vertices $n --randomize=3 -o "$tmp/permuted" "$tmp/path.txt"
for graph in plain-1 plain-2 permuted-2 permuted-4; do
    "$plain/bin/dbfs-pack" -q -p ${graph#*-} -t 2 -o "$tmp/$graph" "$tmp/${graph%-*}"
done

# traverse RANKS GRAPH OPTION...: searches on the emulated GPUs, and sets `copied` to the bytes that came to the host
traverse() {
    local ranks=$1 graph=$2
    shift 2
    rm -f "$tmp/kernels"
    export EMULATED_SEED=$((${EMULATED_SEED:-0} + 1))
    EMULATED_KERNELS=$tmp/kernels timeout 60 "$MPIEXEC" -n "$ranks" "$BIN/dbfs-traverse" -q -@ 1 --backend cuda --force \
        $(divided "$ranks" "$tmp/$graph") "$@" \
        "$tmp/$graph" >"$tmp/out" 2>"$tmp/err" || cat "$tmp/err"
    copied=$(awk '$1 == "bytes_to_host" { sum += $2 } END { print sum + 0 }' "$tmp/kernels")
}
for width in 1 2 4; do
    "$plain/bin/dbfs-traverse" -q -@ 1 --backend cpu -r 3 --depths "$tmp/want-$width.raw" --depths-width $width "$tmp/plain-1" >"$tmp/out" 2>"$tmp/err"
done
check 'the distances are too large for 1 byte' test "$(od -An -v -td1 -w1 "$tmp/want-1.raw" | sort -n | tail -1)" -eq 127
for layout in '1 plain-1 1 2' '1 plain-2 2' '2 plain-2 1' '1 permuted-2 1 4' '2 permuted-2 2' '2 permuted-4 1'; do
    read -r ranks graph widths <<<"$layout"
    traverse "$ranks" "$graph" -r 3
    without=$copied index=0 blocks=0
    case $graph in permuted-[24]) index=1 blocks=$((${graph#*-} * (4 * (n / 256 + 2 * ranks) + 8 * ranks))) ;; esac
    for width in $widths; do
        rm -f "$tmp/got.raw"
        traverse "$ranks" "$graph" -r 3 --depths "$tmp/got.raw" --depths-width "$width"
        what=$((copied - without))
        check "$graph, ranks $ranks: a distance of $width bytes moves as $width$([ $index = 0 ] || echo ', and 1 of its index') ($what bytes)" \
            test $what -ge $((n * (width + index))) -a $what -le $((n * (width + index) + blocks))
        check "$graph, ranks $ranks: distances of $width bytes are those of the CPU" cmp "$tmp/want-$width.raw" "$tmp/got.raw"
    done
done
printf '%s\n' 3 3 >"$tmp/roots"
traverse 1 plain-1 --serve <"$tmp/roots"
without=$copied
traverse 1 plain-1 --serve --in-place --depths "$tmp/got.raw" --depths-width 1 <"$tmp/roots"
check 'each answer of --serve moves 1 byte a distance' test $((copied - without)) = $((2 * n))
check 'the distances of --serve are those of the CPU' cmp "$tmp/want-1.raw" "$tmp/got.raw"
finish
