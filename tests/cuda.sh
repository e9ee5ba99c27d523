#!/bin/bash
# cuda.sh: says whether dbfs-traverse has the CUDA backend, and the reason if not. CUDA and NVCC are those of the
# Makefile.
set -u
. tests/lib.sh

if ! "$BIN/dbfs-traverse" --backend cuda "$tmp" 2>&1 | grep -q 'this build has no CUDA backend'; then
    pass 'the CUDA backend was compiled'
elif [ -z "${NVCC:-}" ]; then
    skip 'CUDA: nvcc is not found: the CUDA backend was not compiled'
else
    skip "CUDA: CUDA=${CUDA:-0} was asked for: the CUDA backend was not compiled"
fi
finish
