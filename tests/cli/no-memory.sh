#!/bin/bash
# no-memory.sh: runs each program once for each of its allocations and lets that one fail. It must exit with 5
# or do without that memory; it must never end by a signal. The same holds if one of two ranks fails.
set -u
[ -w /dev/shm ] && export TMPDIR=/dev/shm # hundreds of packings, each synced
. tests/lib.sh
pack=$(realpath "$BIN/dbfs-pack")
shim=$(realpath "$TESTS/fail_alloc.so")

if grep -q __asan_init "$pack"; then
    skip 'failing allocations: the sanitizer has its own'
    finish
fi

printf '%s\n' '0 1' '1 2' '2 0' '2 3' '3 4' '4 5' '2 5' '2 6' '2 7' '8 2' |
    "$BIN/edgeconv" -q -u -o "$tmp/g.edges"
options=(-q -@ 1 -p 2 -t 3 -o "$tmp/x" "$tmp/g.edges")

# the N-th allocation fails, in the one process or in the second of two ranks
alone() { timeout 60 env LD_PRELOAD="$shim" FAIL_ALLOC="$1" "$pack" "${options[@]}"; }
second() {
    timeout 60 "$MPIEXEC" -n 1 "$pack" "${options[@]}" : \
        -n 1 env LD_PRELOAD="$shim" FAIL_ALLOC="$1" "$pack" "${options[@]}"
}

# walk HOW STEP NAME: $tmp/count is how many allocations there are
walk() {
    local how=$1 step=$2 name=$3 n code failed=0 bad=
    for n in $(seq 1 "$step" "$(cat "$tmp/count")"); do
        rm -rf "$tmp/x"
        code=0
        $how "$n" >"$tmp/out" 2>"$tmp/err" </dev/null || code=$?
        [ $code = 5 ] && failed=$((failed + 1))
        [ $code = 0 ] || [ $code = 5 ] || bad="$bad $n:exit$code"
        # where there is a manifest, the graph is whole
        if [ $code = 0 ] || [ -e "$tmp/x/manifest" ]; then
            "$pack" -q --verify "$tmp/x" >&2 || bad="$bad $n:unsound"
        fi
    done
    check "$name: each exits with 5 or succeeds ($bad )" test -z "$bad"
    check "$name: and many do fail ($failed)" test "$failed" -gt 20
}

export FAIL_ALLOC_COUNT=$tmp/count
check 'a packing whose allocations are counted' alone 0
unset FAIL_ALLOC_COUNT
walk alone 1 'one process'
# starting two ranks takes its time: a third of them
walk second 3 'one rank of two'

# ---- the other programs: exit 5 or success, no signal, nothing left under a final or temporary name ----

# tool STEP NAME PROGRAM ARGUMENT...: writes into $tmp/o
tool() {
    local step=$1 name=$2 n code bad= failed=0
    shift 2
    mkdir -p "$tmp/o"
    env LD_PRELOAD="$shim" FAIL_ALLOC_COUNT="$tmp/count" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
    for n in $(seq 1 "$step" "$(cat "$tmp/count")"); do
        rm -rf "$tmp/o"
        mkdir "$tmp/o"
        code=0
        timeout 60 env LD_PRELOAD="$shim" FAIL_ALLOC=$n "$@" >"$tmp/out" 2>"$tmp/err" </dev/null || code=$?
        [ $code = 0 ] || [ -z "$(ls -A "$tmp/o")" ] || bad="$bad $n:left"
        [ $code = 5 ] && failed=$((failed + 1))
        [ $code = 0 ] || [ $code = 5 ] || bad="$bad $n:exit$code"
    done
    check "$name: each exits with 5 or succeeds ($bad )" test -z "$bad"
    check "$name: and some do fail ($failed)" test "$failed" -gt 3
}
rm -rf "$tmp/x"
"$pack" "${options[@]}"
printf '%s\n' '0 1' '1 2' '2 0' >"$tmp/g.txt"
gzip -k "$tmp/g.txt"
tool 1 rmatgen "$BIN/rmatgen" -q -@ 1 -s 5 -o "$tmp/o/x.edges"
tool 1 edgeconv "$BIN/edgeconv" -q -@ 1 -u -o "$tmp/o/x.edges" "$tmp/g.txt.gz"
tool 1 'edgeconv --compact' \
    "$BIN/edgeconv" -q -@ 1 -u --compact="$tmp/o/x.map" -o "$tmp/o/x.edges" "$tmp/g.txt"
tool 1 degsplit "$BIN/degsplit" -q -@ 1 -p 2 -o "$tmp/o/x.split" "$tmp/g.edges"
tool 1 'dbfs-pack --verify' "$pack" -q -@ 1 --verify "$tmp/x"
export OMP_WAIT_POLICY=passive # as run.sh has it
if grep -qa cudaGetDevice "$BIN/dbfs-traverse"; then
    skip 'dbfs-traverse without memory: the CUDA runtime, which is part of the program, ends in its own way'
else
    tool 2 dbfs-traverse "$BIN/dbfs-traverse" --backend cpu -q -@ 1 -r 0 --parents "$tmp/o/parents" "$tmp/x"
fi
finish
