#!/bin/bash
# emulated-paths.sh: dbfs-paths on the emulated GPU of tests/emulator, beside the same on CPUs: by one block and by all, directed
# and not, of several shards; ranks, memory, paths. At the end both kernels were launched. Long mode takes more seeds, and all of
# dbfs-paths.sh.
set -u
. tests/lib.sh
use_emulated_gpus 'pairs on an emulated GPU'
mode=${TEST_MODE:-short}
export OMP_WAIT_POLICY=passive EMULATED_PROCESSORS=2 EMULATED_KERNELS=$tmp/kernels
paths=$BIN/dbfs-paths

# ---- graphs, as text of NAME, packed into P shards with TH ----
"$BIN/rmatgen" -q -s 9 -f text -o "$tmp/rmat.txt" # frontiers that blocks leave to all blocks, long rows
"$BIN/rmatgen" -q -s 9 -e 3 -f text -o "$tmp/arcs.txt" # directed
"$TESTS/mkgraph" grid 20 30 >"$tmp/grid.txt"
"$TESTS/mkgraph" star 900 >"$tmp/star.txt"
"$TESTS/mkgraph" components >"$tmp/components.txt"
pack() { # NAME P TH
    "$BIN/edgeconv" -q $([ "$1" = arcs ] && echo --direction directed || echo -u) "$tmp/$1.txt" |
        "$BIN/dbfs-pack" -q -p "$2" -t "$3" -o "$tmp/$1" -
}

distances() { cut -f 1-3 "$1"; }

# each path has as many edges as the distance says, and all are in the graph
paths_right() { # TEXT GRAPH
    awk -v edges="$2" -v directed=$(case $2 in *arcs*) echo 1 ;; *) echo 0 ;; esac) '
        BEGIN { while ((getline line <edges) > 0) { split(line, f); edge[f[1], f[2]] = 1; if (!directed) edge[f[2], f[1]] = 1 } }
        {
            if ($3 < 0) { wrong += NF > 3; next }
            if (NF - 3 != $3 + 1 || $4 != $1 || $NF != $2) { print; wrong++ }
            for (i = 4; i < NF; i++) if (!(($i, $(i + 1)) in edge)) { print "no edge " $i, $(i + 1); wrong++ }
            paths++
        }
        END { exit wrong || !paths }' "$1"
}

turn=0
# compare NAME HOW OPTION...: distances are those of CPUs, and paths are paths; each time another seed
compare() {
    local name=$1 how=$2
    shift 2
    turn=$((turn + 1))
    export EMULATED_SEED=$((turn % 3 * turn)) EMULATED_LATE=$((turn % 3 * 250))
    timeout 120 "$paths" --backend cpu -@ 1 $how "$@" "$tmp/$name" >"$tmp/cpu" 2>"$tmp/err" || cat "$tmp/err"
    timeout 120 "$paths" --backend cuda -@ 1 $how --path "$@" "$tmp/$name" >"$tmp/cuda" 2>"$tmp/err" || cat "$tmp/err"
    check "$name $how $* (seed $EMULATED_SEED)" diff <(distances "$tmp/cpu") <(distances "$tmp/cuda")
    check "$name $how $*: paths consist of edges" paths_right "$tmp/cuda" "$tmp/$name.txt"
}

for setup in rmat:3:20 arcs:2:9 grid:1:inf star:1:0 components:2:3; do
    IFS=: read -r name shards th <<<"$setup"
    pack $name $shards $th
    for how in '' --one-sided; do
        for seed in 1 $([ $mode = long ] && seq 2 9); do
            compare $name "$how" -n 40 --seed $seed
        done
    done
done
"$BIN/edgeconv" -q --direction directed "$tmp/arcs.txt" | "$BIN/dbfs-pack" -q --force -p 2 -t 9 --rows out -o "$tmp/arcs" -
compare arcs --one-sided -n 40 # without rows against the edges
check_exit 2 'two sides need these' "$paths" --backend cuda -@ 1 -n 40 "$tmp/arcs"
printf '5 5\n0 0\n0 1\n1 0\n1 0\n20 41\n' >"$tmp/pairs" # the same vertex, one without edges, twice the same, no path
for how in '' --one-sided; do compare components "$how" --pairs "$tmp/pairs"; done
check 'no path is -1' grep -q '[[:space:]]-1$' "$tmp/cuda"
unset EMULATED_SEED EMULATED_LATE

# ---- which blocks ----
launches() { awk -v kernel="^pair_$1_kernel" '$1 ~ kernel { sum += $NF } END { print sum + 0 }' "$2"; }
EMULATED_KERNELS=$tmp/few check_exit 0 'small frontiers' "$paths" --backend cuda -@ 1 -q -n 9 "$tmp/grid"
check "$situation: are for one block, and the other kernel is launched only to be loaded" \
    test "$(launches blocks "$tmp/few")" = 2 -a "$(launches grid "$tmp/few")" = 1
EMULATED_KERNELS=$tmp/many check_exit 0 'large frontiers' "$paths" --backend cuda -@ 1 -q -n 9 --one-sided "$tmp/rmat"
check "$situation: are for all blocks" test "$(launches blocks "$tmp/many")" = 2 -a "$(launches grid "$tmp/many")" = 2

# ---- ranks, memory ----
"$paths" -@ 1 --backend cpu -n 20 "$tmp/rmat" >"$tmp/cpu"
EMULATED_GPUS=2 timeout 120 "$MPIEXEC" -n 3 "$paths" -@ 1 --backend cuda -n 20 --path "$tmp/rmat" >"$tmp/cuda" 2>"$tmp/err"
check 'three ranks with two GPUs find what the CPU finds' diff <(distances "$tmp/cpu") <(distances "$tmp/cuda")
check 'three ranks with two GPUs: paths consist of edges' paths_right "$tmp/cuda" "$tmp/rmat.txt"
EMULATED_GPUS=3 EMULATED_KERNELS=$tmp/divided timeout 120 "$MPIEXEC" -n 3 "$paths" -@ 1 --backend cuda -n 20 --path --distribute "$tmp/rmat" \
    >"$tmp/cuda" 2>"$tmp/err"
check 'three GPUs that divide the graph find what the CPU finds' diff <(distances "$tmp/cpu") <(distances "$tmp/cuda")
check 'three GPUs that divide the graph: paths consist of edges' paths_right "$tmp/cuda" "$tmp/rmat.txt"
check 'three GPUs that divide the graph: no GPU has the rows of all shards' test "$(launches blocks "$tmp/divided")" = 0 -a -s "$tmp/divided"
EMULATED_MEMORY=50K check_exit 0 'few searches at a time' "$paths" -@ 1 --backend cuda -n 20 "$tmp/rmat"
check "$situation: distances are the same" diff <(distances "$tmp/cpu") <(distances "$tmp/out")
EMULATED_MEMORY=32K check_exit 5 'a GPU with 32 KiB' "$paths" -q -@ 1 --backend cuda -n 1 "$tmp/rmat"
check_says 'GPU 0 (.*): the graph takes [0-9.]* KiB of device memory, and 32.0 KiB are free'
EMULATED_GPUS=0 check_exit 5 'cuda without a GPU' "$paths" -@ 1 -q --backend cuda -n 1 "$tmp/rmat"
check_says '--backend cuda: there is no GPU'
EMULATED_GPUS=0 check_exit 0 'auto without a GPU' "$paths" -@ 1 -q -n 64 "$tmp/rmat"
for pairs in 63 64; do
    EMULATED_KERNELS=$tmp/auto.$pairs check_exit 0 "auto, $pairs pairs" "$paths" -@ 1 -q -n $pairs "$tmp/rmat"
done
check '--backend auto takes the GPU for many pairs' test ! -s "$tmp/auto.63" -a -s "$tmp/auto.64"

[ $mode = long ] && BACKEND=cuda bash tests/cli/dbfs-paths.sh 2>&1 | sed "s/^\(ok\|not ok\|skip\) - /&emulated: /"
finish
