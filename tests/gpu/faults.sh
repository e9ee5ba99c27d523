#!/bin/bash
# faults.sh: a GPU that runs out of memory, or is lost while it searches. Each call of the driver that can say so fails
# once at the beginning, in the middle and at the end of a run, in the one process or in one of two ranks. The job ends
# with a message and exit code 5 (memory) or 1, and leaves no rank and no temporary file. Needs a GPU: scripts/check-gpu.sh
# trust runs it. An emulated GPU, where tests/cli/emulated.sh runs it, fails by itself: FAIL_CUDA_SHIM is empty.
set -u
. tests/lib.sh
ln -s "$(realpath "$BIN/dbfs-traverse")" "$tmp/dbfs-traverse"
traverse=$tmp/dbfs-traverse # a name that no other test has
shim=${FAIL_CUDA_SHIM-$(realpath "$TESTS/fail_cuda.so")}
"$BIN/rmatgen" -q -s 12 -o "$tmp/g.edges"
for p in 1 2; do
    "$BIN/dbfs-pack" -q -p $p -o "$tmp/p$p" "$tmp/g.edges"
done

# run NAME N CODE FOLDER; with two parts, the second of two ranks has the fault
run() {
    local fault=(env LD_PRELOAD="$shim" FAIL_CUDA="$1 $2 $3" FAIL_CUDA_COUNT="$tmp/count")
    local search=("$traverse" --backend cuda -q -@ 2 -n 3 --timeout 20 --parents "$tmp/o/tree-%d.npy" "$4")
    rm -rf "$tmp/o" "$tmp/count"
    mkdir "$tmp/o"
    if [ "$4" = "$tmp/p1" ]; then
        timeout 60 "${fault[@]}" "${search[@]}"
    else
        timeout 60 "$MPIEXEC" -n 1 "${search[@]}" : -n 1 "${fault[@]}" "${search[@]}"
    fi
}

if ! run cuMemAlloc 0 0 "$tmp/p1" >"$tmp/out" 2>"$tmp/err"; then
    skip "faults of a GPU: none can be used: $(tail -1 "$tmp/err")"
    finish
fi
# seen: $count gets how often the last run called the driver's function, $asked how often the runtime asked for it
seen() { count=0 asked=0 && read -r count asked <"$tmp/count"; }
seen
if [ "$count" = 0 ]; then
    fail "fail_cuda.so intercepts nothing: cuMemAlloc was asked for ${asked:-0} times and called 0 times. Does the \
CUDA runtime find the driver in another way than tests/gpu/fail_cuda.c knows?"
    finish
fi
tried=0
for fault in cuMemAlloc:2:5 cuMemHostAlloc:2:5 cuMemGetInfo:719:1 cuMemcpyHtoDAsync:719:1 cuMemcpyDtoHAsync:719:1 \
    cuStreamSynchronize:719:1 cuStreamQuery:719:1 cuEventSynchronize:719:1 cuLaunchKernel:719:1 \
    cuLaunchKernelEx:719:1 cuLaunchCooperativeKernel:719:1 cuMemsetD8Async:719:1; do
    IFS=: read -r name error code <<<"$fault"
    for p in 1 2; do
        check_exit 0 "$name, p $p: undisturbed" run $name 0 0 "$tmp/p$p"
        seen
        if [ "$count" = 0 ]; then
            skip "$name, p $p: is not $([ "$asked" = 0 ] && echo asked for || echo called)"
            continue
        fi
        [ $name != cuStreamQuery ] || count=1 # how often the host asks differs from run to run
        for n in $(printf '%s\n' 1 $((count / 2 + 1)) "$count" | sort -nu); do
            check_exit $code "$name, p $p: call $n of $count fails" run $name "$n" "$error" "$tmp/p$p"
            check_says '^dbfs-traverse: ' 'with a message'
            check 'no temporary file is left' test -z "$(find "$tmp/o" -name '.*.??????')"
            tried=$((tried + 1))
        done
        check "$name, p $p: no rank is left" \
            test -z "$(grep -lazE "^$traverse" /proc/[0-9]*/cmdline 2>/dev/null | grep -v "/$$/")"
    done
done
check "calls of several kinds were tried ($tried)" test $tried -gt 12
finish
