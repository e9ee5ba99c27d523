#!/bin/bash
# emulated-devices.sh: GPUs with less shared memory or fewer multiprocessors than an H200 choose other modes and sizes,
# and find the same distances. Choices are read in --plan --gpu, and in the first lines of searches on the emulated GPU.
set -u
. tests/lib.sh
export OMP_WAIT_POLICY=passive EMULATED_PROCESSORS=2
traverse=$BIN/dbfs-traverse
"$TESTS/mkgraph" star 600000 | "$BIN/edgeconv" -q -u -o - - | "$BIN/dbfs-pack" -q -p 1 -t inf -o "$tmp/star" -
"$BIN/rmatgen" -q -s 17 | "$BIN/dbfs-pack" -q -p 1 -o "$tmp/rmat" -
"$TESTS/mkgraph" grid 40 50 | "$BIN/edgeconv" -q -u -o "$tmp/grid.edges" -
"$BIN/dbfs-pack" -q -p 1 -o "$tmp/grid" "$tmp/grid.edges"
"$BIN/dbfs-pack" -q -p 2 -o "$tmp/grid2" "$tmp/grid.edges"

# ---- what is planned ----

# of the star all vertices but one are leaves, so it is sliced where not all visited bits lie in shared memory
while read -r gpu star rmat; do
    for graph in star rmat; do
        "$traverse" --plan --gpu "$gpu" "$tmp/$graph" >"$tmp/out" 2>"$tmp/err"
        check "$graph on a GPU like ${gpu^^} is searched ${!graph//-/ }" grep -qx "a single GPU searches ${!graph//-/ }" "$tmp/out"
    done
done <<END
h200 sliced sliced
h100 sliced sliced
b200 sliced sliced
a100 sliced sliced
l4 sliced-by-rows sliced
t4 fused sliced-by-rows
rtx5090 sliced-by-rows sliced
END
"$traverse" --plan "$tmp/star" >"$tmp/out" 2>"$tmp/err"
check '--plan says that it is for an H200, as measured' grep -q '^for a GPU like h200 .* rates of an H200, as measured$' "$tmp/out"
"$traverse" --plan --gpu t4 --json "$tmp/json" "$tmp/star" >"$tmp/out" 2>"$tmp/err"
check '--plan --json has the GPU and the mode' grep -q '"gpu": "t4".*"mode": "fused"' <(tr -d '\n' <"$tmp/json")
check_exit 2 '--gpu without --plan' "$traverse" --gpu l4 "$tmp/star"
check_says '--gpu needs --plan'

# ---- what is chosen, and found ----

use_emulated_gpus 'choices of other GPUs'
of_cpu=$("$traverse" --backend cpu -r 7 "$tmp/grid" | grep -o 'checksum [0-9a-f]*')
# runs GPU WANTED FOLDER OPTIONS...: a search on the emulated GPU chooses sizes, and has the checksum of the CPU
runs() {
    EMULATED_DEVICE=$1 timeout 60 "$BIN/dbfs-traverse" --backend cuda -r 7 "${@:4}" "$tmp/$3" >"$tmp/out" 2>&1
    [ -z "$2" ] || check "an emulated $1: $2" grep -q "^gpu: emulated $1 .*$2" "$tmp/out"
    check "an emulated $1 finds the distances of a CPU on $3${EMULATED_SLICED:+, not sliced}" grep -q "$of_cpu" "$tmp/out"
}
for gpu in a100 l4 t4 b200; do
    runs $gpu 'sliced, 64 of 64 words of visited bits in shared memory, 2 blocks of 1024 threads' grid
done
export EMULATED_SLICED=0
runs a100 'scaled: barriers x 1.40, work x 1.72; fused, thread group of 2 blocks, lists of 4096, 2 blocks of 512 threads' grid
runs l4 'scaled: barriers x 0.97, work x 2.21; fused, thread group of 2 blocks, lists of 4096, 2 blocks of 512 threads' grid
runs t4 'scaled: barriers x 1.25, work x 4.11; fused, thread group of 2 blocks, lists of 2048, 2 blocks of 256 threads' grid
runs b200 'scaled: barriers x 1.01, work x 0.90; fused, thread group of 2 blocks, lists of 4096, 2 blocks of 512 threads' grid
runs h200 'as measured; fused, thread group of 2 blocks, lists of 4096, 2 blocks of 512 threads' grid
EMULATED_GPUS=2 runs l4,h200 '' grid2 # choose alike, by the rates of the slower one
finish
