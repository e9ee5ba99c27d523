#!/bin/bash
# without-cuda.sh: `make check` says that the CUDA backend was not compiled, and why.
set -u
. tests/lib.sh

# given VARIABLE=VALUE...: prints what make passes to the tests, whatever a make above this one was told
given() {
    env -u MAKEFLAGS -u MFLAGS -u MAKEOVERRIDES -u CUDA -u NVCC \
        make -n BUILD="$tmp/none" "$@" check >"$tmp/make" 2>&1
    grep -oE "CUDA='[^']*' NVCC='[^']*' tests/run.sh" "$tmp/make"
}
if [ -e config.mk ]; then
    skip 'what make tells the tests: config.mk has its own settings'
else
    check 'without nvcc, make leaves CUDA out' test "$(given NVCC=)" = "CUDA='0' NVCC='' tests/run.sh"
    check 'with nvcc, make takes CUDA' test "$(given NVCC=/bin/true)" = "CUDA='1' NVCC='/bin/true' tests/run.sh"
    check 'unless told to' test "$(given NVCC=/bin/true CUDA=0)" = "CUDA='0' NVCC='/bin/true' tests/run.sh"
fi
check 'the tests begin by telling it' grep -q "CUDA 'bash tests/cuda.sh'$" tests/run.sh

# says PROGRAM CUDA NVCC LINE: PROGRAM takes the place of dbfs-traverse
says() {
    mkdir -p "$tmp/build/bin"
    printf '#!/bin/sh\n%s\n' "$1" >"$tmp/build/bin/dbfs-traverse"
    chmod +x "$tmp/build/bin/dbfs-traverse"
    BUILD=$tmp/build CUDA=$2 NVCC=$3 bash tests/cuda.sh >"$tmp/said"
    check "CUDA=$2 NVCC=$3: $4" test "$(sed 's/  \[.*//' "$tmp/said")" = "$4"
}
without='echo "dbfs-traverse: --backend cuda: this build has no CUDA backend" >&2; exit 5'
with='echo "dbfs-traverse: --backend cuda: there is no GPU" >&2; exit 5'
says "$without" 0 '' 'skip - CUDA: nvcc is not found: the CUDA backend was not compiled'
says "$without" 0 /bin/nvcc 'skip - CUDA: CUDA=0 was asked for: the CUDA backend was not compiled'
says "$with" 1 /bin/nvcc 'ok - the CUDA backend was compiled'
if BUILD=${BUILD:-build} bash tests/cuda.sh | grep -q '^skip'; then
    check_exit 5 'this build: --backend cuda' "$BIN/dbfs-traverse" --backend cuda "$tmp"
    check_says 'this build has no CUDA backend'
fi
finish
