#!/bin/bash
# batch-distribute.sh: ranks of dbfs-batch that divide the graph among them (--distribute) write, byte for byte, what one rank with
# the whole graph writes; so do ranks whose memory does not hold it. BACKEND=cuda: ranks with GPUs write what one rank writes on a CPU.
set -u
in_memory_mib=64
. tests/lib.sh
BACKEND=${BACKEND:-cpu}
. tests/batch_graphs.sh

# ---- more graphs: several shards of a rank; edges between shards alone; isolated vertices ----
"$BIN/dbfs-pack" -q -p 6 -t 8 -o "$tmp/rmat6" "$tmp/rmat.edges"
"$TESTS/mkgraph" path 60 >"$tmp/path.txt"
"$TESTS/mkgraph" components >"$tmp/components.txt"
pack path 4 inf
pack components 4 0

# alike RANKS THREADS GRAPH OPTION...: these ranks write what one writes. @ in an option stands for a folder of results
alike() {
    local ranks=$1 threads=$2 graph=$3 name="$3 on $1 ranks"
    shift 3
    rm -rf "$tmp/one" "$tmp/many"
    mkdir "$tmp/one" "$tmp/many"
    check_exit 0 "$name, $*: one rank" "$BIN/dbfs-batch" --backend cpu -q -@ 1 "${@//@/$tmp/one}" "$tmp/$graph"
    mv "$tmp/out" "$tmp/one/out"
    check_exit 0 "$name, $*" "$MPIEXEC" -n "$ranks" "${batch[@]}" -@ "$threads" --distribute "${@//@/$tmp/many}" "$tmp/$graph"
    mv "$tmp/out" "$tmp/many/out"
    sed -i '/^search/d' "$tmp"/{one,many}/out
    check "$situation: results are those of one rank" diff -r "$tmp/one" "$tmp/many"
    check "$situation: there are results" test "$(cat "$tmp/many"/* | wc -c)" -gt 100
}
tables=(--reached @/balls.csv --hops @/hops)
alike 3 2 rmat6 -n 200 --batch 200 --centrality @/c.csv --depths @/all.npy
alike 2 1 rmat6 -r 5,0,2047,17 --batch 1 --max-depth 2 "${tables[@]}" --depths @/%d
alike 3 1 arcs -n 70 --batch 100 --depths @/d.csv --reached @/balls.npy
alike 3 1 arcs --sample 30 --reverse --centrality @/s
alike 4 1 path -r 0,3,30,59,30 --depths @/d.npy --depths-width 1 --reached @/balls
alike 2 1 components -r 8,0,3,8 -t 8,3,8,1 --depths @/far --hops @/hops

# ---- searches end at the targets; the bytes that are sent are told ----
check_exit 0 'near targets on four ranks' "$MPIEXEC" -n 4 "${batch[@]}" -@ 1 -v --distribute -r 0,1,2 -t 3,4 --depths - "$tmp/path"
check_says ' s, 4 levels,' "$situation: take as many levels as the farthest"
check_says 'dbfs-batch: [1-9][0-9]* bytes sent between ranks'

# ---- a table of centralities goes on with ranks that divide the graph ----
(ulimit -f 1; "$BIN/dbfs-batch" --backend cpu --batch 1 -n all --no-checksum --centrality "$tmp/begun" "$tmp/rmat6") >"$tmp/out" 2>&1 # ends at 1,024 bytes
check 'a table of two ranks is begun and not finished' test -s "$tmp/begun.part" -a ! -e "$tmp/begun"
check_exit 0 'a table that two ranks resume' "$MPIEXEC" -n 2 "${batch[@]}" -@ 1 --distribute --batch 256 -n all --no-checksum \
    --resume --centrality "$tmp/begun" "$tmp/rmat6"
"${batch[@]}" --batch 256 -n all --no-checksum --centrality "$tmp/whole" "$tmp/rmat6" >"$tmp/out"
check "$situation: is that of one rank" cmp "$tmp/whole" "$tmp/begun"

# ---- memory: ranks that do not hold the whole graph divide it ----
"$BIN/dbfs-pack" -q -p 3 -t 20 -o "$tmp/larger" <("$BIN/rmatgen" -q -s 13 -o -)
some=("$BIN/dbfs-batch" --backend $([ $BACKEND = cpu ] && echo auto || echo $BACKEND) -@ 1 -n 20 --batch 64)
"${some[@]}" "$tmp/larger" >"$tmp/want"
check_exit 5 'a graph that does not fit one rank' "${some[@]}" -S 1M "$tmp/larger"
check_exit 0 'a graph that does not fit each of three ranks' "$MPIEXEC" -n 3 "${some[@]}" -S 1M "$tmp/larger"
check_says 'a rank has 1.0 MiB, and the whole graph takes about [0-9.]* MiB there: the ranks divide it among them'
check "$situation: results are those of one rank" diff <(grep -v ^search "$tmp/want") <(grep -v ^search "$tmp/out")
check_exit 5 'pairs of a graph that does not fit each rank' "$MPIEXEC" -n 2 "$BIN/dbfs-paths" --backend cpu -@ 1 -S 10K -n 5 "$tmp/larger"
check_says 'each rank has the whole graph: --distribute divides it among them'

# ---- what is refused, and what has no effect ----
check_exit 2 'three shards on two ranks' "$MPIEXEC" -n 2 "${batch[@]}" --distribute -n 2 "$tmp/rmat"
check_says '3 shards cannot be divided evenly among 2 ranks'
check_exit 2 'parents of ranks that divide the graph' "${batch[@]}" --distribute -r 1 --parents "$tmp/p" "$tmp/rmat"
check_says '\-\-distribute: the ranks find no parents together'
check_exit 0 'one rank that divides the graph' "$BIN/dbfs-batch" --backend cpu --distribute -n 2 "$tmp/rmat"
check_says '\-\-distribute: has no effect with one rank'
finish
