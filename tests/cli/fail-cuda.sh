#!/bin/bash
# fail-cuda.sh: tests/gpu/fail_cuda.c on a driver of two functions, as there is no GPU: what tests/gpu/faults.sh rests
# on. A program asks the driver as the CUDA runtime does.
set -u
. tests/lib.sh
cat >"$tmp/driver.c" <<'END'
#include <string.h>
static int add(int *sum, int x) { *sum += x; return 0; }
int cuGetProcAddress_v2(const char *name, void **function, int version, unsigned long flags, int *status)
{
    *function = strcmp(name, "cuAdd") == 0 ? (void *)add : 0;
    *status = version + (int)flags;
    return *function == 0;
}
END
cat >"$tmp/program.c" <<'END'
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    int (*find)(const char *, void **, int, unsigned long, int *);
    int (*add)(int *, int), sum = 0, status, result[3];
    void *driver = dlopen(argv[argc - 1], RTLD_NOW);
    *(void **)&find = dlsym(driver, "cuGetProcAddress_v2");
    if (find("cuAdd", (void **)&add, 0, 0, &status) != 0)
        return 9;
    for (int i = 0; i < 3; i++)
        result[i] = add(&sum, 5);
    printf("%d %d %d, sum %d\n", result[0], result[1], result[2], sum);
    return 0;
}
END
if ! "${CC:-cc}" -w -shared -fPIC -o "$tmp/driver.so" "$tmp/driver.c" 2>"$tmp/err" ||
    ! "${CC:-cc}" -w -o "$tmp/program" "$tmp/program.c" -ldl 2>"$tmp/err" ||
    grep -q __asan_init "$TESTS/fail_cuda.so"; then
    skip 'faults of the CUDA driver: cannot be preloaded into a plain program here'
    finish
fi
try() { LD_PRELOAD="$TESTS/fail_cuda.so" FAIL_CUDA="$1" FAIL_CUDA_COUNT="$tmp/count" "$tmp/program" "$tmp/driver.so"; }
check_exit 0 'no call fails' try 'cuAdd 0 719'
check 'all are made, and counted' grep -qx '0 0 0, sum 15' "$tmp/out"
check 'all are counted' grep -qx 3 "$tmp/count"
check_exit 0 'from the second call on' try 'cuAdd 2 719'
check 'none is made any more' grep -qx '0 719 719, sum 5' "$tmp/out"
check_exit 0 'another function' try 'cuOther 1 2'
check 'is not touched' grep -qx '0 0 0, sum 15' "$tmp/out"
finish
