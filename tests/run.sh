#!/bin/bash
# run.sh short|long: runs every test and closes with "N passed, N failed, N skipped".
set -u
cd "$(dirname "$0")/.." || exit 1
mode=${1:-short}
export BUILD=${BUILD:-build} TEST_MODE=$mode
# threads that wait give their core to other ranks and other work, instead of spinning
export OMP_WAIT_POLICY=${OMP_WAIT_POLICY:-passive}
log=$(mktemp) || exit 1
reports=$(mktemp -d) || exit 1
trap 'rm -rf "$log" "$reports"' EXIT
# What a sanitizer finds fails a test even where its exit code and its words are not looked at. (UBSan beside
# AddressSanitizer keeps no log.)
found="exitcode=99:log_path=$reports/found"
export UBSAN_OPTIONS=$found:print_stacktrace=1
sanitized() { echo "$found:allocator_may_return_null=1:detect_leaks=$1"; }

run_one() {
    local name=$1 start=$SECONDS
    shift
    echo "== $name"
    "$@" >"$log.one" 2>&1 </dev/null
    local code=$?
    if [ $code -ne 0 ] && ! grep -q '^not ok' "$log.one"; then
        echo "not ok - $name exits with $code" >>"$log.one"
    fi
    if ! grep -qE '^(ok|not ok|skip)' "$log.one"; then
        echo "not ok - $name reports nothing" >>"$log.one"
    fi
    if [ -n "$(ls -A "$reports")" ]; then
        echo "not ok - $name: a sanitizer has found something" >>"$log.one"
        cat "$reports"/* | head -n 40 | sed 's/^/    /' >>"$log.one"
        rm -f "$reports"/*
    fi
    cat "$log.one" >>"$log"
    grep -vE '^ok' "$log.one"
    echo "   $(grep -c '^ok' "$log.one") ok, $((SECONDS - start)) s"
    rm -f "$log.one"
}

run_one CUDA bash tests/cuda.sh
run_one structure tests/structure.sh
# under AddressSanitizer: MPI libraries leave memory behind at exit, the tools do not
for unit in tests/unit/*.c; do
    name=$(basename "$unit" .c)
    leaks=1
    grep -q 'formats/mpi/' "$unit" && leaks=0
    run_one "unit $name" env ASAN_OPTIONS="$(sanitized $leaks)" "$BUILD/tests/$name"
done
if [ -x "$BUILD/tests/gpu_kernels" ]; then
    run_one 'unit gpu_kernels' "$BUILD/tests/gpu_kernels"
    run_one 'gpu faults' env ASAN_OPTIONS="$(sanitized 0)" bash tests/gpu/faults.sh
fi
for script in tests/cli/*.sh; do
    leaks=1
    grep -qE 'dbfs-traverse|MPIEXEC' "$script" && leaks=0
    run_one "$(basename "$script" .sh)" env ASAN_OPTIONS="$(sanitized $leaks)" bash "$script"
done
run_one traverse env ASAN_OPTIONS="$(sanitized 0)" bash tests/traverse.sh "$mode"

passed=$(grep -c '^ok' "$log")
failed=$(grep -c '^not ok' "$log")
skipped=$(grep -c '^skip' "$log")
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
