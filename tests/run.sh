#!/bin/bash
# run.sh quick|short|scripts|long: runs tests and ends with "N passed, N failed, N skipped".
#   quick    quick.sh, the unit tests and the scripts that take a few seconds
#   short    what the product does: unit tests, kernels, searches, tests/cli/
#   scripts  tests/scripts/: benchmarks, experiments, containers, Slurm, builds and packages
#   long     short and scripts, each with more cases
# A result has the script and the line that it comes from. After each script stand its seconds, and those of processor time.
#
# Tests run side by side, longest first: one more than there are cores, as some wait, and 4 at most (TEST_LANES=N sets
# another number).
# Tests that watch the clock closely run after all others, two at a time; their scripts have a line "# runs late".
set -u
cd "$(dirname "$0")/.." || exit 1
mode=${1:-short}
export BUILD=${BUILD:-build} TEST_MODE=short
case $mode in
quick | short) folders=cli ;;
scripts) folders=scripts ;;
long) folders='cli scripts' TEST_MODE=long ;;
*) echo "usage: tests/run.sh quick|short|scripts|long" >&2 && exit 2 ;;
esac
# the scripts, those that take longest first
of_minutes='emulated experiments hosts-faults faults dbfs-pack-memory dbfs-check pack-digests bench-search no-memory launcher-signals
lost-ranks shared-gpus-lost'
scripts=$(for folder in $folders; do
    for name in $of_minutes; do ls "tests/$folder/$name.sh" 2>/dev/null; done
    ls tests/$folder/*.sh
done | awk '!seen[$0]++')
of_seconds='bijection corpus dbfs dbfs-pack dbfs-traverse degsplit directions edgeconv-asks exchange-options json messages
overwrite same-file summary swapped-ids without-cuda'
# waiting threads give their core to other work and do not spin
export OMP_WAIT_POLICY=${OMP_WAIT_POLICY:-passive}
cores=$(nproc)
lanes=${TEST_LANES:-$((cores < 3 ? cores + 1 : 4))}
TEST_RUN=$(mktemp -d) || exit 1
export TEST_RUN
trap 'rm -rf "$TEST_RUN"' EXIT

# run_one LEAKS NAME COMMAND: results go to $TEST_RUN/log, and all but passed ones to standard output. A finding of a
# sanitizer fails the test even where its exit code and message are not looked at. (UBSan beside AddressSanitizer
# keeps no log.)
run_one() {
    local name=$2 start=$SECONDS mine found cpu code=0 TIMEFORMAT='%U %S'
    mine=$(mktemp -d "$TEST_RUN/one.XXXXXX")
    found="exitcode=99:log_path=$mine/found"
    export UBSAN_OPTIONS=$found:print_stacktrace=1
    export ASAN_OPTIONS=$found:allocator_may_return_null=1:detect_leaks=$1
    { time $3 >"$mine/log" 2>&1 </dev/null; } 2>"$mine/cpu" || code=$?
    cpu=$(awk 'END { printf "%.0f", $1 + $2 }' "$mine/cpu")
    if [ $code -ne 0 ] && ! grep -q '^not ok' "$mine/log"; then
        echo "not ok - $name exits with $code" >>"$mine/log"
    fi
    if ! grep -qE '^(ok|not ok|skip)' "$mine/log"; then
        echo "not ok - $name reports nothing" >>"$mine/log"
    fi
    if grep -q '\.sh: line [0-9]*: .*: command not found$' "$mine/log"; then # such a line checks nothing
        echo "not ok - $name calls what there is not" >>"$mine/log"
    fi
    if compgen -G "$mine/found*" >/dev/null; then
        echo "not ok - $name: a sanitizer has found something" >>"$mine/log"
        cat "$mine"/found* | head -n 40 | sed 's/^/    /' >>"$mine/log"
    fi
    {
        flock 9
        cat "$mine/log" >>"$TEST_RUN/log"
        echo "$name" >>"$TEST_RUN/ended"
        echo "== $name"
        grep -vE '^ok' "$mine/log"
        echo "   $(grep -c '^ok' "$mine/log") ok, $((SECONDS - start)) s, $cpu s of processor time"
    } 9>"$TEST_RUN/lock"
    rm -rf "$mine"
}
export -f run_one

# Prints lines "LEAKS<tab>NAME<tab>COMMAND" of the tests that run side by side, longest first, or of those that run
# late. The first one says whether CUDA is tested.
# LEAKS: 0 where AddressSanitizer does not look for leaks, as MPI libraries leave memory at exit; tools do not
together() {
    if [ "$mode" = scripts ]; then
        lines_of $(grep -L '^# runs late' $scripts)
        return
    fi
    printf '1\t%s\t%s\n' CUDA 'bash tests/cuda.sh'
    if [ "$mode" = quick ]; then
        printf '0\t%s\t%s\n' quick 'bash tests/quick.sh'
        lines_of $(printf 'tests/cli/%s.sh\n' $of_seconds)
        plain_tests
        return
    fi
    lines_of $(grep -L '^# runs late' $scripts | head -n 1)
    printf '0\t%s\t%s\n' traverse "bash tests/traverse.sh $TEST_MODE" \
        'traverse directed' "bash tests/traverse.sh $TEST_MODE directed"
    if [ "${CUDA:-1}" != 0 ] && [ -x "$BUILD/tests/gpu_kernels" ]; then # one of an earlier CUDA=1 is not of this tree
        printf '1\t%s\t%s\n' 'unit gpu_kernels' "$BUILD/tests/gpu_kernels"
        printf '0\t%s\t%s\n' 'gpu faults' 'bash tests/gpu/faults.sh'
    fi
    lines_of $(grep -L '^# runs late' $scripts | tail -n +2)
    plain_tests
}
plain_tests() {
    local unit leaks
    printf '1\t%s\t%s\n' structure tests/structure.sh
    for unit in tests/unit/*.c; do
        leaks=1
        grep -q 'formats/mpi/' "$unit" && leaks=0
        printf '%d\t%s\t%s\n' $leaks "unit $(basename "$unit" .c)" "$BUILD/tests/$(basename "$unit" .c)"
    done
}
late() {
    [ "$mode" = quick ] || lines_of $(grep -l '^# runs late' $scripts)
}
lines_of() { # SCRIPT...
    local script leaks
    for script; do
        leaks=1
        grep -qE 'dbfs-traverse|MPIEXEC' "$script" && leaks=0
        printf '%d\t%s\t%s\n' $leaks "$(basename "$script" .sh)" "bash $script"
    done
}
run_lines() { # LANES
    tr '\n' '\0' | xargs -r -0 -n 1 -P "$1" bash -c "IFS='	' read -r leaks name command <<<\"\$1\"; run_one \"\$leaks\" \"\$name\" \"\$command\"" -
}

together | run_lines "$lanes"
late | run_lines $((lanes < 2 ? lanes : 2))

# a test whose shell was killed has no results
{ together; late; } | cut -f 2 | grep -vxFf "$TEST_RUN/ended" | sed 's/^/not ok - killed, or not begun: /' |
    tee -a "$TEST_RUN/log"
passed=$(grep -c '^ok' "$TEST_RUN/log")
failed=$(grep -c '^not ok' "$TEST_RUN/log")
skipped=$(grep -c '^skip' "$TEST_RUN/log")
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
