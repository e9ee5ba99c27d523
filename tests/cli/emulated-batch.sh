#!/bin/bash
# emulated-batch.sh: dbfs-batch on the emulated GPU of tests/emulator gives the results of CPUs, over graphs that
# push, pull and change between the two; ranks, memory and parents, too. At the end each kernel of batches has been
# launched. Long mode takes more sizes and seeds, and all of dbfs-batch.sh.
set -u
. tests/lib.sh
use_emulated_gpus 'batches on an emulated GPU'
mode=${TEST_MODE:-short}
export OMP_WAIT_POLICY=passive EMULATED_PROCESSORS=2 EMULATED_KERNELS=$tmp/kernels
batch=$BIN/dbfs-batch

# ---- graphs, as text of NAME, packed into P shards with TH ----
"$BIN/rmatgen" -q -s 9 -f text -o "$tmp/rmat.txt"
"$BIN/rmatgen" -q -s 9 -e 5 -f text -o "$tmp/arcs.txt" # directed: many vertices that no edge leaves
"$BIN/rmatgen" -q -s 10 -e 2 -A .25 -B .25 -C .25 -f text -o "$tmp/sparse.txt" # levels of many vertices with few bits each
"$TESTS/mkgraph" grid 20 30 >"$tmp/grid.txt"
"$TESTS/mkgraph" path 119 >"$tmp/path.txt"
"$TESTS/mkgraph" star 3000 >"$tmp/star.txt"
"$TESTS/mkgraph" components >"$tmp/components.txt"
awk 'BEGIN { for (i = 1; i <= 200; i++) { print 0, i # one level finds 6,000 vertices
    for (k = 0; k < 30; k++) print i, 201 + 30 * i + k } }' >"$tmp/broom.txt"
awk 'BEGIN { for (i = 1; i <= 3000; i++) { print 0, i # directed: no edge leaves two of the vertices
    print i, 3001; print i, 3002 } }' >"$tmp/ends.txt"
pack() { # NAME P TH
    local way=-u
    case $1 in arcs | ends) way='--direction directed' ;; esac
    "$BIN/edgeconv" -q $way "$tmp/$1.txt" | "$BIN/dbfs-pack" -q -p "$2" -t "$3" -o "$tmp/$1" -
}

told() { grep -E '^root|checksum:' "$1"; }
turn=0
# compare NAME SIZE ROOTS...: messages, distances and centralities are those of CPUs, each time with another seed
compare() {
    local name=$1 size=$2 backend
    shift 2
    turn=$((turn + 1))
    export EMULATED_SEED=$((turn % 3 * turn)) EMULATED_LATE=$((turn % 3 * 250))
    rm -f "$tmp"/cpu* "$tmp"/cuda*
    for backend in cpu cuda; do
        timeout 120 "$batch" --backend $backend -@ 1 --batch $size "$@" --depths "$tmp/$backend.npy" \
            --centrality "$tmp/$backend.table" "$tmp/$name" >"$tmp/$backend" 2>"$tmp/err" || cat "$tmp/err"
    done
    check "$name, batches of $size, $* (seed $EMULATED_SEED)" diff <(told "$tmp/cpu") <(told "$tmp/cuda")
    check "$name, batches of $size, $*: each root has a line" test "$(told "$tmp/cuda" | wc -l)" -gt 5
    check "$name, batches of $size, $*: distances are those of the CPU" cmp "$tmp/cpu.npy" "$tmp/cuda.npy"
    check "$name, batches of $size, $*: centralities are those of the CPU" cmp "$tmp/cpu.table" "$tmp/cuda.table"
}

# ---- the same as on CPUs ----
sizes=(64 256 128 65 1 63)
for setup in rmat:3:20 grid:1:inf star:1:0 arcs:3:8 ends:1:inf broom:4:9 components:2:3 path:1:inf sparse:2:5; do
    IFS=: read -r name shards th <<<"$setup"
    pack $name $shards $th
    for size in ${sizes[turn % 6]} ${sizes[(turn + 1) % 6]} $([ $mode = long ] && echo "${sizes[@]}" "${sizes[@]}"); do
        # each root of its own batch is a search of its own
        compare $name $size -n $([ $size.$mode = 1.short ] && echo 20 || echo 90)
    done
done
compare sparse 128 -n 250
compare sparse 256 -n 250
compare arcs 5 -n 250
compare arcs 64 -n 250
compare arcs 64 -n 90 --reverse
compare ends 64 --reverse -r 3001,3002,0,5,3001,9
compare rmat 64 -r 7,7,3,3,7,250,11 # several roots are one vertex
compare components 128 -r 8,9,8,55,0,1 # and some have no edges
unset EMULATED_SEED EMULATED_LATE

# ---- ways ----
rm -f "$tmp/kernels.path"
EMULATED_KERNELS=$tmp/kernels.path check_exit 0 'a deep graph' "$batch" --backend cuda -@ 1 -q -r 0 --no-checksum "$tmp/path"
launches() { awk -v kernel="^batch_$1_kernel" '$1 ~ kernel { sum += $NF } END { print sum + 0 }' "$2"; }
check 'many levels are one launch' test "$(launches levels "$tmp/kernels.path")" = 31 -a "$(launches push "$tmp/kernels.path")" = 0
check 'bitmaps stay on the GPU if nobody wants distances' sh -c '! grep -q gather "$1"' - "$tmp/kernels.path"
rm -f "$tmp/kernels.auto"
EMULATED_KERNELS=$tmp/kernels.auto check_exit 0 'auto' "$batch" -@ 1 -q -r 0 "$tmp/path"
check "$situation: runs on the GPU" test -s "$tmp/kernels.auto"
EMULATED_GPUS=0 check_exit 0 'auto without a GPU' "$batch" -@ 1 -q -r 0 "$tmp/path"
EMULATED_GPUS=0 check_exit 5 'cuda without a GPU' "$batch" -@ 1 -q --backend cuda -r 0 "$tmp/path"
check_says '--backend cuda: there is no GPU'

# ---- ranks, parents, memory ----
"$batch" -@ 1 --backend cpu -n 90 --centrality "$tmp/alone" "$tmp/rmat" >"$tmp/cpu"
EMULATED_GPUS=2 timeout 120 "$MPIEXEC" -n 3 "$batch" -@ 1 --backend cuda -n 90 --batch 10 --centrality "$tmp/ranks" \
    "$tmp/rmat" >"$tmp/cuda" 2>"$tmp/err"
check 'three ranks with two GPUs find what the CPU finds' diff <(told "$tmp/cpu") <(told "$tmp/cuda")
check 'centralities of several ranks are those of one' cmp "$tmp/alone" "$tmp/ranks"
check_exit 0 'parents' "$batch" -q -@ 1 --backend cuda --batch 5 -r 3,7,90,3 --parents "$tmp/tree.%d" "$tmp/rmat"
check_exit 0 'parents of a batch on the GPU are accepted by dbfs-check' "$BIN/dbfs-check" -q -r 3,7,90 --parents "$tmp/tree.%d" "$tmp/rmat"
for room in 16 64 96; do # rows or words have no room
    EMULATED_MEMORY=${room}K check_exit 5 "a GPU with $room KiB" "$batch" -q -@ 1 --backend cuda --batch 256 "$tmp/rmat"
    check_says "GPU 0 (.*): the graph takes [0-9.]* KiB of device memory, a search [0-9.]* KiB, and $room.* KiB are free; a smaller --batch"
    check_says 'and so do more ranks, each with a GPU, that divide the graph (--distribute)'
done

# ---- ranks that divide a graph ----
# Hubs that all ranks know, and edges between ranks alone; searches that push and pull, and by list; each message whole and as a list.
rm -f "$tmp/kernels.divided"
EMULATED_KERNELS=$tmp/kernels.divided BACKEND=cuda EMULATED_GPUS=2 EMULATED_SEED=7 EMULATED_LATE=250 bash tests/cli/batch-distribute.sh 2>&1 |
    sed 's/^\(ok\|not ok\|skip\) - /&emulated: /'
for way in write_whole write_list read_words take_changed take_delegates list_changed; do
    check "GPUs of ranks that divide a graph took the way $way" \
        test "$(awk -v way=$way '$1 ~ way { sum += $NF; runs++ } END { print sum - 2 * runs }' "$tmp/kernels.divided")" -gt 0
done
cp "$tmp/rmat.txt" "$tmp/halves.txt"
pack halves 2 20
EMULATED_GPUS=2 EMULATED_MEMORY=120K check_exit 0 'GPUs that hold half a graph each' "$MPIEXEC" -n 2 "$batch" -@ 1 --force --batch 256 \
    -n 150 --centrality "$tmp/ranks" "$tmp/halves"
check_says 'a GPU has [0-9.]* KiB, and the whole graph takes about [0-9.]* KiB there: the ranks divide it among them'
"$batch" --backend cpu -q -@ 1 -n 150 --batch 256 --force --centrality "$tmp/alone" "$tmp/halves" >"$tmp/cpu"
check "$situation: centralities are those of one CPU" cmp "$tmp/alone" "$tmp/ranks"
EMULATED_MEMORY=64K check_exit 5 'GPUs that do not hold their part' "$MPIEXEC" -n 2 "$batch" -q -@ 1 --batch 256 --distribute "$tmp/halves"
check_says 'GPU 0 (.*): the graph takes .*; a smaller --batch takes less, and so do more shards and ranks, each with a GPU'
check_exit 5 'a rank without a GPU beside one with a GPU' "$MPIEXEC" -n 1 "$batch" -q -@ 1 --distribute "$tmp/halves" : \
    -n 1 env EMULATED_GPUS=0 "$batch" -q -@ 1 --distribute "$tmp/halves"
check_says 'rank 1 .*there is no GPU, and other ranks have one: take only hosts with GPUs, or --backend cpu'

# tables that the host makes of the levels which the GPU shows; small batches end before their frontier is empty, and others follow
for ask in '-n 40 --batch 5 --max-depth 2 --reached' '-n 90 --hops' '-n 90 -t 3,99,7 --depths' '--sample 90 --centrality'; do
    for backend in cpu cuda; do
        timeout 120 "$batch" --backend $backend -@ 1 -q --force $ask "$tmp/table.$backend" "$tmp/halves" >"$tmp/out" 2>"$tmp/err" || cat "$tmp/err"
    done
    check "dbfs-batch ${ask##* } writes on a GPU what it writes on CPUs" cmp "$tmp/table.cpu" "$tmp/table.cuda"
done

for script in $([ $mode = long ] && echo dbfs-batch batch-balls batch-targets batch-sample); do
    BACKEND=cuda bash tests/cli/$script.sh 2>&1 | sed "s/^\(ok\|not ok\|skip\) - /&emulated $script: /"
done

kernels=$(cat traverse/programs/batch/cuda/*.cu | tr '\n' ' ' | grep -oE '__global__ static void (__launch_bounds__\([^)]*\))? *[a-z_]+\(' |
    sed 's/($//; s/.* //' | sort -u)
# A kernel must be launched more often than where nothing is searched, as opening launches each once to load it.
EMULATED_KERNELS=$tmp/kernels.opened "$batch" --backend cuda -@ 1 -q -r 8 "$tmp/components" >"$tmp/out"
EMULATED_KERNELS=$tmp/kernels.searched "$batch" --backend cuda -@ 1 -q -n 256 --batch 5 "$tmp/rmat" >"$tmp/out"
cat "$tmp/kernels.divided" >>"$tmp/kernels.searched" # some kernels are for ranks that divide a graph
missing=$(for kernel in $kernels; do
    kernel=${kernel#batch_} kernel=${kernel%_kernel}
    [ "$(launches $kernel "$tmp/kernels.searched")" -gt $(($(launches $kernel "$tmp/kernels.opened") + 2)) ] || echo $kernel
done | tr '\n' ' ')
check "all $(echo "$kernels" | wc -l) kernels had something to do ($missing)" test -n "$kernels" -a -z "$missing"
# ---- a level that only pulls reads each column once at most ----
# lanes that have no row read none, while other lanes of the warp read theirs
{ "$BIN/rmatgen" -q -s 9 -e 10 -A .25 -B .25 -C .25 -f text
  awk 'BEGIN { for (i = 600; i < 900; i += 101) for (k = 1; k <= 100; k++) print i, i + k }'; } >"$tmp/apart.txt"
pack apart 1 inf
columns=$(awk '!/^#/ && $1 != $2 { seen[$1 < $2 ? $1 " " $2 : $2 " " $1] } END { for (pair in seen) n += 2; print n }' "$tmp/apart.txt")
seq 0 63 >"$tmp/apart.roots"
"$batch" -v -@ 1 --backend cuda --roots-from "$tmp/apart.roots" "$tmp/apart" 2>&1 |
    sed -n 's/.* 64 roots pulled, \([0-9]*\) edges read.*/\1/p' >"$tmp/apart.read"
check 'levels of a batch pull' test -s "$tmp/apart.read"
check "of $columns columns, a level that pulls reads $(paste -sd, "$tmp/apart.read")" \
    awk -v most=$columns '$1 > most { bad = 1 } END { exit bad }' "$tmp/apart.read"
finish
