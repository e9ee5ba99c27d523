#!/bin/bash
# shared-gpus.sh: ranks that would share emulated GPUs (tests/emulator) leave the search to rank 0. Layouts, messages,
# reports, threads and memory are tested, faults of rank 0 and of waiting ranks, and cases in which each rank searches
# all the same.
set -u
. tests/lib.sh
use_emulated_gpus 'ranks that share GPUs'
export OMP_WAIT_POLICY=passive EMULATED_PROCESSORS=2
traverse=$(realpath "$BIN/dbfs-traverse")
note='would share GPUs'

"$BIN/rmatgen" -q -s 8 -f text -o "$tmp/text"
"$BIN/edgeconv" -q -u -o "$tmp/edges" "$tmp/text"
"$TESTS/oracle" -o "$tmp/oracle.%d.txt" "$tmp/text" 0,7 >"$tmp/out"
for p in 2 4; do
    "$BIN/dbfs-pack" -q -p $p --suggest memory -o "$tmp/$p" "$tmp/edges"
done

# Each process has a file of its launched kernels, and one with its exit code.
cat >"$tmp/each" <<'END'
#!/bin/sh
export EMULATED_KERNELS="$1/kernels.$$"
codes=$1
shift
"$@"
code=$?
echo $code >"$codes/code.$$"
exit $code
END
chmod +x "$tmp/each"
ranks_run() { # RANKS PROGRAM ARGUMENT...
    local ranks=$1
    shift
    rm -f "$tmp"/kernels.* "$tmp"/code.*
    timeout 120 "$MPIEXEC" -n "$ranks" "$tmp/each" "$tmp" "$@" </dev/null
}
launched() { grep -l kernel "$tmp"/kernels.* | wc -l; } # counts processes that launched kernels
codes() { cat "$tmp"/code.* | tr '\n' ' '; }
notes() { grep -c "$note" "$tmp/err"; }
reported() { grep -o "\"$1\": [0-9]*" "$tmp/json" | cut -d ' ' -f 2; }

# ---- layouts ----

trees() { # compares the files of both roots
    local root
    for root in 0 7; do
        cmp "$tmp/depths.$root.txt" "$tmp/oracle.$root.txt" &&
            "$TESTS/treecheck" "$tmp/text" $root "$tmp/depths.$root.txt" "$tmp/parents.$root.txt" || return 1
    done
}
# layout GPUS RANKSxSHARDS WORKERS OPTION...: WORKERS ranks search
layout() {
    local gpus=$1 name=$2 workers=$3 ranks=${2%x*} shards=${2#*x} noted
    shift 3
    rm -f "$tmp"/depths.* "$tmp"/parents.*
    noted=$((workers == 1))
    export EMULATED_GPUS=$gpus
    check_exit 0 "$name on $gpus GPUs $*" ranks_run $ranks "$traverse" -@ 1 --backend cuda -r 0,7 --force --json "$tmp/json" \
        --depths "$tmp/depths.%d.txt" --parents "$tmp/parents.%d.txt" -g "$shards" "$@" "$tmp/$((ranks * shards))"
    check 'depths and parents are right' trees
    check "$workers processes search" test "$(launched)" = $workers
    check 'all end with 0' test "$(codes)" = "$(printf '0 %.0s' $(seq $ranks))"
    check "$situation: the note comes $noted times" test "$(notes)" = $noted
    check "$situation: the report has ranks and shards as they are" test "$(reported ranks) $(reported shards_per_rank) $(reported ranks_on_host) $(reported launched_ranks)" = \
        "$workers $((ranks * shards / workers)) $workers $ranks"
}
layout 1 2x1 1
layout 1 2x2 1
layout 1 4x1 1
layout 2 2x2 1
layout 2 4x1 1 --answer depths
layout 2 2x1 2 # no GPU is shared
layout 4 2x2 2
layout 1 2x1 2 --exchange-memory peer
layout 2 2x2 2 --exchange-memory host
layout 2 4x1 4 --exchange-memory peer

# ranks that search together write binary files together
for memory in auto peer; do
    EMULATED_GPUS=2 ranks_run 4 "$traverse" -q -@ 1 --backend cuda --exchange-memory $memory -r 7 --force \
        --depths "$tmp/$memory.npy" "$tmp/4" >"$tmp/out" 2>"$tmp/err"
    value=$(sed -n 's/^distance_checksum: //p' "$tmp/out")
    check "-q says nothing on stderr, $memory" test -n "$value" -a ! -s "$tmp/err"
done
check 'results of shared GPUs have the same bytes by messages and by peers' cmp "$tmp/auto.npy" "$tmp/peer.npy"

# rank 0 cannot use GPUs that it does not see
export EMULATED_GPUS=2
hidden() {
    EMULATED_GPUS=1 timeout 120 "$MPIEXEC" -n 1 "$traverse" "$@" : -n 3 env EMULATED_GPUS=2 "$traverse" "$@" </dev/null
}
check_exit 0 'rank 0 sees one GPU of two' hidden -@ 1 --backend cuda -g 1 -r 0 --force --json "$tmp/json" \
    --exchange-memory auto "$tmp/4"
check 'all ranks search where rank 0 sees one GPU of two' test "$(reported ranks) $(notes)" = '4 0'

# ---- rank 0 has threads and memory of all ranks ----

export EMULATED_GPUS=1
cores=$(nproc)
check_exit 0 'one thread a rank' ranks_run 2 "$traverse" -@ 1 --backend cuda -n 1 --force --json "$tmp/json" "$tmp/2"
check "$situation: takes two threads where there are two cores" test "$(reported threads_per_rank)" = $((cores < 2 ? 1 : 2))
check_exit 0 'more threads than cores' ranks_run 2 "$traverse" -@ $((cores + 1)) --backend cuda -n 1 --force \
    --json "$tmp/json" "$tmp/2"
check "$situation: takes as many threads as were asked for" test "$(reported threads_per_rank)" = $((cores + 1))
if [ "$cores" -gt 1 ] && command -v taskset >/dev/null 2>&1; then
    read -ra own < <(taskset -pc $$ | sed 's/.*: //; s/[,-]/ /g')
    bound() {
        timeout 120 "$MPIEXEC" -n 1 taskset -c "${own[0]}" "$traverse" "$@" : -n 1 taskset -c "${own[-1]}" "$traverse" "$@" </dev/null
    }
    check_exit 0 'ranks bound to a core each' bound --backend cuda -n 1 --force --json "$tmp/json" "$tmp/2"
    check 'rank 0 has both cores' test "$(reported threads_per_rank)" = 2
    check 'a bound rank that searches alone gets no note of idle cores' sh -c "! grep -q 'binds each rank' '$tmp/err'"
else
    skip 'ranks bound to a core: this host has one, or no taskset'
fi

check_exit 5 'one rank has too little memory' ranks_run 1 "$traverse" -q -@ 1 --backend cuda -S 2K -r 0 "$tmp/2"
check_exit 0 'two ranks have enough memory where one has too little' ranks_run 2 "$traverse" -q -@ 1 --backend cuda -S 2K -r 0 "$tmp/2"

# ---- failures ----

check_exit 2 'a layout that the graph does not have' ranks_run 2 "$traverse" --backend cuda -g 2 "$tmp/2"
check_says '2 ranks x 2 shards per rank are not the 2 shards of the graph'
check_exit 2 'ranks that do not divide the shards' ranks_run 3 "$traverse" --backend cuda "$tmp/4"
check_says '4 shards cannot be divided evenly among 3 ranks'
check_exit 1 'no graph' ranks_run 2 "$traverse" --backend cuda "$tmp/nothing"
cp -r "$tmp/2" "$tmp/bad"
printf '\377' | dd of="$tmp/bad/part-0001-of-0002.dbfs" bs=1 conv=notrunc status=none seek=2000
check_exit 3 'a damaged part' ranks_run 2 "$traverse" -q --backend cuda "$tmp/bad"
check 'all end with 3' test "$(codes)" = '3 3 '
check 'a damaged part gives one message' test "$(said "$tmp/err" | grep -c 'part-0001-of-0002.dbfs: ')" = 1
if ! grep -q __asan_init "$traverse"; then # AddressSanitizer has allocations of its own
    shim=$(realpath "$BUILD/../tests/fail_alloc.so")
    # VARIABLE...: sets these for the second of two ranks
    second() {
        timeout 60 "$MPIEXEC" -n 1 "$traverse" -q --backend cuda -r 0 "$tmp/2" : \
            -n 1 env LD_PRELOAD="$shim" "$@" "$traverse" -q --backend cuda -r 0 "$tmp/2" </dev/null
    }
    check_exit 0 'allocations of a rank that waits' second FAIL_ALLOC_COUNT="$tmp/count" FAIL_ALLOC_LEFT="$tmp/left"
    check "$situation: all are freed" test ! -s "$tmp/left"
    check_exit 5 'no memory to find out what is shared' second FAIL_ALLOC="$(cat "$tmp/count")"
    check_says 'rank 1 on .*: devices: not enough memory'
fi
failing=$(realpath "$TESTS/fail_cuda")
check_exit 5 'no memory of the GPU' env FAIL_CUDA='cudaMalloc 1 2' "$MPIEXEC" -n 2 "$tmp/each" "$tmp" "$failing" -q -@ 1 -g 1 \
    --backend cuda -n 1 "$tmp/2"
check_exit 1 'a GPU that is lost in a search' env FAIL_CUDA='any 200 719' "$MPIEXEC" -n 2 "$tmp/each" "$tmp" "$failing" -q -@ 1 -g 1 \
    --backend cuda -n 4 "$tmp/2"
check_says 'unspecified launch failure'
check_exit 5 'no room for results' ranks_run 2 "$traverse" -q -@ 1 --backend cuda -r 0 --depths /dev/full "$tmp/2"

# ---- dbfs-graph500 ----

check_exit 0 'the benchmark' ranks_run 2 "$(realpath "$BIN/dbfs-graph500")" -@ 1 --backend cuda --no-energy -n 2 "$tmp/2"
check 'one process searches and proves' test "$(launched) $(notes)" = '1 1'
check "$situation: the block counts one process" grep -qE '^num_mpi_processes: +1$' "$tmp/out"
check_exit 0 'the benchmark, as asked for' ranks_run 2 "$(realpath "$BIN/dbfs-graph500")" -@ 1 --backend cuda --no-energy -n 2 \
    --exchange-memory peer "$tmp/2"
check 'two processes search with --exchange-memory peer' test "$(launched) $(notes)" = '2 0'

# ---- two hosts, with two ranks and one GPU each ----

. tests/namespaces.sh
make_hosts
each=2
check_exit 0 'on several hosts' on_hosts "$traverse" -@ 1 --backend cuda -r 7 --force --json "$tmp/json" --depths "$tmp/depths.7.txt" \
    "$tmp/4"
check 'all ranks search on several hosts' test "$(reported ranks) $(reported ranks_on_host) $(notes)" = '4 2 0'
check "$situation: distances are those of the oracle" cmp "$tmp/depths.7.txt" "$tmp/oracle.7.txt"
finish
