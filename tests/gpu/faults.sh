#!/bin/bash
# faults.sh: a GPU runs out of memory, or is lost while it searches. Calls of the CUDA runtime fail at the beginning,
# in the middle and at the end of a run: in a search that is one kernel, in one that goes level by level, and in one
# of two ranks, alone with the argument `ranks`, which then also send messages. The job ends with a message and exit code 5 (memory) or 1, and leaves
# neither a rank nor a temporary file. Without a GPU only the first checks run, which show that calls can fail. Long mode
# takes each function that is called.
set -u
. tests/lib.sh
ln -s "$(realpath "$TESTS/fail_cuda")" "$tmp/dbfs-traverse"
traverse=$tmp/dbfs-traverse # no other test has this name
"$BIN/rmatgen" -q -s 12 -o "$tmp/g.edges"
for p in 1 2; do
    "$BIN/dbfs-pack" -q -p $p -o "$tmp/$p" "$tmp/g.edges"
done

# [searches=N] run WAY FAULT: N searches, 3 if it is not set; the second of two ranks gets the fault. Both search, though they may share a GPU.
run() {
    local fault=(env FAIL_CUDA="$2" FAIL_CUDA_COUNT="$tmp/count") way
    local search=("$traverse" --backend cuda -q -@ 2 -n "${searches:-3}" --timeout 20 --parents "$tmp/o/tree-%d.npy")
    read -ra way <<<"$1"
    rm -rf "$tmp/o" "$tmp/count"
    mkdir "$tmp/o"
    search+=("${way[@]:1}" "$tmp/${way[0]}")
    if [ "${way[0]}" = 1 ]; then
        timeout 60 "${fault[@]}" "${search[@]}"
    else
        timeout 60 "$MPIEXEC" -n 1 "${search[@]}" : -n 1 "${fault[@]}" "${search[@]}"
    fi
}

# calls_of NAME FILE: prints the number of its calls in the run that wrote FILE
calls_of() { awk -v name="$1" '$1 == name { print $2 }' "$2"; }

check_exit 5 'the first call of all fails' run 1 'cudaGetDeviceCount 1 719'
check_says 'unspecified launch failure'
if ! run 1 'any 0 0' >"$tmp/out" 2>"$tmp/err" && grep -q 'there is no GPU' "$tmp/err"; then
    check 'calls of the CUDA runtime are counted' test "$(calls_of cudaGetDeviceCount "$tmp/count")" = 1
    skip 'faults of a GPU: there is none'
    finish
fi

# names_of FILE: prints the functions called in that run after the number of GPUs was known. In short mode these are
# memory, launches, and calls of any kind.
names_of() {
    local chosen='^any$|Malloc|Launch'
    [ "${TEST_MODE:-short}" = long ] && chosen=.
    awk -v chosen="$chosen" '$1 ~ chosen && $2 > 0 && $1 != "cudaGetDeviceCount" { print $1 }' "$1"
}

# moments NAME COUNT: prints the calls that fail. The number of questions whether work is done differs from run to
# run. The last calls only free memory, after all results are written.
moments() {
    local last=$2
    case $1 in
        *Query) last=1 ;;
        any | cudaSetDevice) last=$((last - 5)) && printf '%s\n' $((last / 4)) $((3 * last / 4)) ;;
    esac
    printf '%s\n' 1 $((last / 2 + 1)) $last | sort -nu
}

# A rank that mpiexec has killed may take a moment to end.
no_rank_is_left() {
    for _ in {1..50}; do
        [ -n "$(ranks_of "$traverse" "$tmp")" ] || return 0
        sleep 0.1
    done
    return 1
}

tried=0
# try WAY NAME N ERROR CODE
try() {
    check_exit "$5" "$1: $2: call $3 returns $4" run "$1" "$2 $3 $4"
    check_says '^dbfs-traverse: '
    check 'no temporary file is left' test -z "$(find "$tmp/o" -name '.*.??????')"
    tried=$((tried + 1))
}

ways=(1 '1 --factor0 nd=1' '2 --exchange-memory peer')
[ "${1:-}" != ranks ] || ways=("${ways[2]}")
for way in "${ways[@]}"; do
    check_exit 0 "$way: undisturbed" run "$way" 'any 0 0'
    cp "$tmp/count" "$tmp/counts"
    for name in $(names_of "$tmp/counts"); do
        # the second way loads as the first one did, and ranks alone follow a run with all ways
        [[ ${TEST_MODE:-short} != short || $name != *Malloc* || ("$way" != *factor0* && "${1:-}" != ranks) ]] || continue
        count=$(calls_of $name "$tmp/counts")
        for n in $(moments $name "$count"); do
            try "$way" $name "$n" 719 1
            [[ $name != *Alloc && $name != *Malloc* ]] || try "$way" $name "$n" 2 5
        done
        check "$way: $name: no rank is left" no_rank_is_left
    done
done
# GPUs whose messages the host passes on while they search, and GPUs that go level by level: the memory of one is faulty, or it is
# gone.
if [ "${1:-}" = ranks ]; then
    for way in '2 --exchange-memory host' '2 --exchange-memory host --stepped'; do
        check_exit 0 "$way: undisturbed" run "$way" 'any 0 0'
        count=$(calls_of any "$tmp/count")
        try "$way" any $((count / 2)) 214 1
        check_says '^dbfs-traverse: rank 1 on [^ ]*, GPU [0-9]* (....:..:...0): .*ECC error.*: its memory is faulty: see .nvidia-smi -q -d ECC'
        try "$way" any $((3 * count / 4)) 46 1
        check_says '^dbfs-traverse: rank 1 on [^ ]*, GPU [0-9]* (....:..:...0): .*: it is lost, or not to be used: see .nvidia-smi'
        check "$way: no rank is left" no_rank_is_left
    done
    searches=20 try '2 --exchange-memory host' cudaStreamQuery 1 719 1 # asked once in 16,384 looks, of which a short search has fewer
    check_says 'GPU [0-9]* (.*): unspecified launch failure: a fault of the GPU if .dmesg'
fi
check "calls of several kinds were tried ($tried)" test $tried -gt $([ "${1:-}" = ranks ] && echo 6 || echo 12)
finish
