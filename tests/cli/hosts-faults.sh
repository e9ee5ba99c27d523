#!/bin/bash
# hosts-faults.sh: four hosts with a rank each, of which one is stopped or killed. The job ends within the timeout,
# with a message, and leaves no rank on any host.
# runs alone: it watches the time
set -u
. tests/lib.sh
. tests/namespaces.sh
make_hosts
traverse=$(realpath "$BIN/dbfs-traverse")
pack=$(realpath "$BIN/dbfs-pack")

# fault SIGNAL PROGRAM FILE READY ARGUMENT...: sends the signal when the command READY succeeds, as the job then works
fault() {
    local signal=$1 program=$2 file=$3 ready=$4 pid got=0 i
    shift 4
    # no output of the last fault must be taken for this one's
    : >"$tmp/out"
    on_hosts "$@" --timeout 3 >"$tmp/out" 2>"$tmp/err" </dev/null &
    pid=$!
    wait_until $ready
    check "$program: four ranks work" test "$(ranks_of "$program" "$file" | wc -l)" = 4
    kill -"$signal" "$(ranks_of "$program" "$file" | sed -n 3p)"
    for i in $(seq 600); do
        kill -0 $pid 2>/dev/null || break
        sleep 0.1
    done
    check "$program, SIG$signal of one host's rank: the job ends by itself" test "$i" -lt 600
    wait $pid || got=$?
    check "$program, SIG$signal: the job ends with a failure (exit $got)" test $got != 0
    [ "$signal" != STOP ] || check_says "^$program: .*host[1-4].*(--timeout)" "$program, SIG$signal: the message names a host and --timeout"
    check "$program, SIG$signal: no rank is left on any host" ranks_end 100 "$program" "$file"
}

"$BIN/rmatgen" -q -s 14 -o "$tmp/g.edges"
"$pack" -q -p $hosts -o "$tmp/graph" "$tmp/g.edges"
"$BIN/rmatgen" -q -s 19 -o "$tmp/large.edges"
searching() { grep -q '^root ' "$tmp/out"; }
packing() { [ -e "$tmp/x/packing" ]; }
for signal in STOP KILL; do
    fault $signal dbfs-traverse "$tmp/graph" searching "$traverse" --backend cpu -@ 1 -n 1000000 "$tmp/graph"
    rm -rf "$tmp/x"
    fault $signal dbfs-pack "$tmp/large.edges" packing "$pack" -q -@ 1 -p $hosts -o "$tmp/x" "$tmp/large.edges"
    check_exit 0 "dbfs-pack, SIG$signal: --resume goes on" \
        "$pack" -q -p $hosts --resume -o "$tmp/x" "$tmp/large.edges"
done
finish
