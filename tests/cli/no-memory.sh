#!/bin/bash
# no-memory.sh: runs dbfs-pack once for each of its allocations and lets that one fail. dbfs-pack must exit
# with 5 or do without that memory; it must never end by a signal. The same holds if one of two ranks fails.
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
finish
