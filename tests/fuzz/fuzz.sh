#!/bin/bash
# fuzz.sh: runs each fuzz target for FUZZ_SECONDS of CPU time, under AddressSanitizer and UBSan: with libFuzzer where
# clang has it, else with tests/fuzz/driver.c. FUZZ="stream part" runs those targets alone, as many at once as there
# are cores. New inputs of libFuzzer stay in BUILD/fuzz/corpus-TARGET, crashes in BUILD/fuzz/crash-TARGET-*.
set -u
. tests/lib.sh
seconds=${FUZZ_SECONDS:-180}
build=${BUILD:-build}/fuzz
cores=$(nproc) # before OMP_NUM_THREADS changes it
sanitize='-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer'
make_targets() { make --no-print-directory -s -j"$cores" BUILD="$build" CUDA=0 "$@" fuzz-bin; }

echo 'int LLVMFuzzerTestOneInput(const char *p, unsigned long n) { return p == 0 && n == 1; }' >"$tmp/try.c"
how=driver
if clang -fopenmp -fsanitize=fuzzer,address "$tmp/try.c" -o "$tmp/try" 2>/dev/null; then
    how=libfuzzer
    check 'targets are built with libFuzzer' make_targets CC=clang \
        CFLAGS="-O1 -g $sanitize -fsanitize=fuzzer-no-link" fuzz_link='-fsanitize=fuzzer' \
        fuzz_driver="$build/tests/fuzz/libfuzzer.o"
else
    check 'targets are built with the plain driver' make_targets CFLAGS="-O1 -g $sanitize"
fi
check 'seeds are made' tests/fuzz/seeds.sh "$tmp/seeds"
export ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1 OMP_NUM_THREADS=1

# libFuzzer counts seconds by the clock. A busy machine gives it less CPU time, so it runs again until it has had all.
run_libfuzzer() { # NAME
    local left=$seconds TIMEFORMAT='%U %S'
    while [ "$left" -gt 0 ]; do
        { time "$build/tests/fuzz_$1" -max_total_time="$left" -timeout=10 -rss_limit_mb=4096 -max_len=65536 \
            -print_final_stats=1 -artifact_prefix="$build/crash-$1-" "$build/corpus-$1" "$tmp/seeds/$1" 2>&1; } \
            2>"$tmp/time-$1" || return 1
        left=$(awk -v left="$left" '{ print int(left - $1 - $2) }' "$tmp/time-$1")
    done
}
run_target() { # NAME
    mkdir -p "$build/corpus-$1"
    if [ $how = libfuzzer ]; then
        run_libfuzzer "$1"
    else
        "$build/tests/fuzz_$1" -t "$seconds" -s $RANDOM "$tmp/seeds/$1"/*
    fi
}
names=${FUZZ:-$(cd tests/fuzz && ls fuzz_*.c | sed 's/^fuzz_//; s/\.c$//')}
for name in $names; do
    while [ "$(jobs -rp | wc -l)" -ge "$cores" ]; do wait -n; done
    { run_target "$name" >"$tmp/out-$name" 2>&1 && : >"$tmp/done-$name"; } &
done
wait
for name in $names; do
    if [ -e "$tmp/done-$name" ]; then
        inputs=$(grep -oE '^[0-9]+ inputs|number_of_executed_units: *[0-9]+' "$tmp/out-$name" | tr -dc '0-9\n' |
            awk '{ sum += $1 } END { print sum }')
        pass "fuzz $name: $inputs inputs in $seconds s of CPU time, $how"
    else
        fail "fuzz $name"
        grep -E '^not ok|ERROR|SUMMARY|runtime error|crash-|    #[0-9] ' "$tmp/out-$name" | head -30
    fi
done
finish
