#!/bin/bash
# fail-cuda.sh: tests/gpu/fail_cuda.c on a driver of a few functions, as there is no GPU: what tests/gpu/faults.sh
# rests on. A program asks the driver as the CUDA runtime does: for a newer form of the question first. Where there
# is a static CUDA runtime, it is asked to find that driver, too.
set -u
. tests/lib.sh
cat >"$tmp/driver.c" <<'END'
#include <string.h>
int cuGetProcAddress_v2(const char *, void **, int, unsigned long, int *);
static int add(int *sum, int x) { *sum += x; return 0; }
static int add_hundredfold(int *sum, int x) { *sum += 100 * x; return 0; }
static int other(void) { return 0; }
static int driver_version(int *v) { *v = 13000; return 0; }
static int ask(const char *name, void **function, int version, unsigned long flags)
{
    return cuGetProcAddress_v2(name, function, version, flags, &(int){0});
}
int cuGetProcAddress_v2(const char *name, void **function, int version, unsigned long flags, int *status)
{
    if (strcmp(name, "cuGetProcAddress") == 0)
        *function = version >= 12000 ? (void *)cuGetProcAddress_v2 : (void *)ask;
    else if (strcmp(name, "cuAdd") == 0)
        *function = flags & 2 ? (void *)add_hundredfold : (void *)add;
    else if (strcmp(name, "cuDriverGetVersion") == 0)
        *function = (void *)driver_version;
    else
        *function = strcmp(name, "cuGetExportTable") != 0 ? (void *)other : 0;
    if (status != 0)
        *status = 0;
    return *function == 0 ? 500 : 0;
}
END
cat >"$tmp/program.c" <<'END'
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    int (*find_v1)(const char *, void **, int, unsigned long);
    int (*find)(const char *, void **, int, unsigned long, int *);
    int (*add)(int *, int), (*add_of_thread)(int *, int), sum = 0, status, result[4], version = atoi(argv[1]);
    *(void **)&find = dlsym(dlopen(argv[2], RTLD_NOW), "cuGetProcAddress_v2");
    if (version < 12000) {
        find("cuGetProcAddress", (void **)&find_v1, version, 0, &status);
        find_v1("cuAdd", (void **)&add, 0, 0);
        find_v1("cuAdd", (void **)&add_of_thread, 0, 2);
    } else {
        find("cuGetProcAddress", (void **)&find, version, 0, &status);
        find("cuAdd", (void **)&add, 0, 0, &status);
        find("cuAdd", (void **)&add_of_thread, 0, 2, &status);
    }
    for (int i = 0; i < 4; i++)
        result[i] = i % 2 == 0 ? add(&sum, 5) : add_of_thread(&sum, 7);
    printf("%d %d %d %d, sum %d\n", result[0], result[1], result[2], result[3], sum);
    return 0;
}
END
if ! "${CC:-cc}" -w -shared -fPIC -o "$tmp/driver.so" "$tmp/driver.c" 2>"$tmp/err" ||
    ! "${CC:-cc}" -w -o "$tmp/program" "$tmp/program.c" -ldl 2>"$tmp/err" ||
    grep -q __asan_init "$TESTS/fail_cuda.so"; then
    skip 'faults of the CUDA driver: cannot be preloaded into a plain program here'
    finish
fi
export FAIL_CUDA_COUNT=$tmp/count
try() { LD_PRELOAD="$TESTS/fail_cuda.so" FAIL_CUDA="$1" "$tmp/program" $version "$tmp/driver.so"; }
for version in 11030 12000; do
    check_exit 0 "$version: no call fails" try 'cuAdd 0 719'
    check 'all are made' grep -qx '0 0 0 0, sum 1410' "$tmp/out"
    check 'all are counted, of a function that was asked for twice' grep -qx '4 2' "$tmp/count"
    check_exit 0 "$version: from the third call on" try 'cuAdd 3 719'
    check 'none is made any more' grep -qx '0 0 719 719, sum 705' "$tmp/out"
    check_exit 0 "$version: another function" try 'cuOther 1 2'
    check 'is not touched' grep -qx '0 0 0 0, sum 1410' "$tmp/out"
    check 'it was not asked for, which can be told from not being called' grep -qx '0 0' "$tmp/count"
done

# ---- the real runtime ----

nvcc=$(command -v "${NVCC:-nvcc}" || ls /usr/local/cuda/bin/nvcc 2>/dev/null)
runtime=$(dirname "$(realpath "${nvcc:-/nowhere/bin/nvcc}")")/../lib64
printf '%s\n' '#include <stdio.h>' 'int cudaGetDeviceCount(int *);' \
    'int main(void) { int count; printf("%d\n", cudaGetDeviceCount(&count)); return 0; }' >"$tmp/runtime.c"
libraries='-lcudart_static -ldl -lrt -lpthread -lstdc++'
if ! "${CC:-cc}" -w -o "$tmp/runtime" "$tmp/runtime.c" -L"$runtime" $libraries 2>"$tmp/err"; then
    skip 'the CUDA runtime: none to link'
    finish
fi
cp "$tmp/driver.so" "$tmp/libcuda.so.1"
real() { LD_LIBRARY_PATH=$tmp LD_PRELOAD="$TESTS/fail_cuda.so" FAIL_CUDA="$1" "$tmp/runtime"; }
check_exit 0 'the CUDA runtime, cuInit fails' real 'cuInit 1 719'
check 'says so' grep -qx 719 "$tmp/out"
check 'it was called once' grep -qx '1 1' "$tmp/count"
for name in cuMemAlloc cuMemGetInfo cuMemHostAlloc cuStreamQuery cuLaunchKernel cuLaunchCooperativeKernel \
    cuMemcpyDtoHAsync; do
    check_exit 0 "the runtime asks for $name" real "$name 0 0"
    check 'of the shim' grep -qxE '0 [12]' "$tmp/count"
done
finish
