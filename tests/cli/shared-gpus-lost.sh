#!/bin/bash
# shared-gpus-lost.sh: ranks share emulated GPUs as in shared-gpus.sh. One is killed or stopped, one waits, and
# searches exceed --timeout.
# runs late: it watches the time
set -u
. tests/lib.sh
use_emulated_gpus 'ranks that share GPUs and are lost'
export OMP_WAIT_POLICY=passive EMULATED_PROCESSORS=2 EMULATED_GPUS=1
traverse=$(realpath "$BIN/dbfs-traverse")

"$TESTS/mkgraph" path 100000 | "$BIN/edgeconv" -q -u -o "$tmp/path.edges" -
"$BIN/dbfs-pack" -q -p 2 -t inf -o "$tmp/long" "$tmp/path.edges"
rank() { # NUMBER: prints the process of that rank
    local process
    for process in $(ranks_of dbfs-traverse "$tmp/long"); do
        tr '\0' '\n' 2>/dev/null <"/proc/$process/environ" | grep -qE "^(PMI_RANK|OMPI_COMM_WORLD_RANK)=$1\$" && echo "$process"
    done
}
# PROCESS: counts in how many of 20 moments it sleeps; one that spins never does, however busy the host is
asleep() {
    for _ in {1..20}; do
        awk '/^State:/ { print $2 }' "/proc/$1/status"
        sleep 0.02
    done | grep -c S
}
# OPTION...: searches in the background, and waits until rank 0 searches
search_long() {
    # no output of the last search must be taken for this one's
    : >"$tmp/out"
    timeout 60 "$MPIEXEC" -n 2 "$traverse" -@ 1 --backend cuda -g 1 -r 0 "$@" "$tmp/long" >"$tmp/out" 2>"$tmp/err" </dev/null &
    job=$!
    wait_until grep -q '^direction' "$tmp/out"
    sleep 0.2
}
lose_rank() { # SIGNAL RANK NAME OPTION...
    local signal=$1 number=$2 name=$3 got=0 lost
    shift 3
    for _ in 1 2 3; do # a busy host may stop a rank before it searches
        search_long "$@"
        lost=$(rank "$number")
        [ -z "$lost" ] || break
        wait $job
    done
    kill -"$signal" "$lost"
    wait $job || got=$?
    # after SIGKILL the launcher chooses the exit code
    check "$name (exit $got)" test $got = 1 -o "$signal" = KILL -a $got != 0
    check 'no rank is left' ranks_end 50 dbfs-traverse "$tmp/long"
}

search_long
waiting=$(rank 1)
count=$(asleep "$waiting")
check "a rank that waits sleeps ($count of 20 moments)" test "$count" -gt 10
kill -KILL "$waiting"
wait $job
lose_rank KILL 0 'rank 0 is killed'
lose_rank STOP 0 'rank 0 is stopped' --timeout 3
check_says 'rank 0 on .*, searching from root 0: did not run for [1-9]' 'rank 0 is stopped: the message names rank and phase'
lose_rank STOP 1 'a rank that waits is stopped' --timeout 3
check_says 'rank 1 on .*, waiting for rank 0, which works alone: did not run for [1-9]' 'a rank that waits is stopped: the message names rank and phase'

"$TESTS/mkgraph" path 800 | "$BIN/edgeconv" -q -u --force -o "$tmp/path.edges" -
"$BIN/dbfs-pack" -q -p 2 -t inf -o "$tmp/slow" "$tmp/path.edges"
roots=3
# a busy host may leave a rank without a core for 3 s, and a quick one may end before
for _ in {1..8}; do
    begin=${EPOCHREALTIME/./} got=0
    timeout 120 "$MPIEXEC" -n 2 "$traverse" -q -@ 1 --backend cuda -g 1 -n $roots --timeout 3 "$tmp/slow" 2>"$tmp/err" || got=$?
    grep -q 'did not run' "$tmp/err" && continue
    took=$(((${EPOCHREALTIME/./} - begin) / 1000)) # milliseconds
    [ $took -le 3000 ] || break
    roots=$((roots * 4500 / took + 1))
done
check "a search may take longer than --timeout (exit $got)" test $got = 0
check "a search that takes longer than --timeout takes $took ms" test $took -gt 3000
finish
