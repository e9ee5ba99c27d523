#!/bin/bash
# lost-ranks.sh: a rank is stopped or killed while programs work together. The job ends, within --timeout if that is
# given, with a message that names the rank, and leaves neither partial output nor a process.
# runs late: it watches the time
set -u
. tests/lib.sh
traverse=$(realpath "$BIN/dbfs-traverse")
pack=$(realpath "$BIN/dbfs-pack")

"$BIN/rmatgen" -q -s 12 -o "$tmp/g.edges"
"$pack" -q -p 1 -o "$tmp/p1" "$tmp/g.edges"

# its roots take minutes
"$BIN/rmatgen" -q -s 16 -o "$tmp/many.edges"
"$pack" -q -p 2 -o "$tmp/many" "$tmp/many.edges"
start_search "$MPIEXEC" -n 2 "$traverse" --backend cpu -@ 1 --timeout 2 -n 1000000 "$tmp/many"
kill -STOP "$(ranks_of dbfs-traverse "$tmp/many" | tail -1)"
ended 1 'a rank is stopped during a search, with --timeout'
doing='\(searching from\|writing results of\) root [0-9]*'
check_says "^dbfs-traverse: rank [01] on [^ ]*, $doing: did not run for [2-9]\.[0-9] s" \
    'a rank is stopped during a search: the message names rank, host and phase'
check 'a rank of dbfs-traverse is stopped: no rank is left' ranks_end 100 dbfs-traverse "$tmp/many"

microseconds() { date +%s%6N; }
for _ in 1 2 3 4 5; do # a busy host may continue the rank too late
    start_search "$MPIEXEC" -n 2 "$traverse" --backend cpu -@ 1 --timeout 3 -n 1000000 "$tmp/many"
    stopped=$(ranks_of dbfs-traverse "$tmp/many" | tail -1)
    start=$(microseconds)
    kill -STOP "$stopped"
    sleep 1
    kill -CONT "$stopped"
    in_time=$(($(microseconds) - start < 2000000))
    sleep 4
    [ $in_time = 0 ] || break
    kill -KILL "$stopped" 2>/dev/null
    wait $pid 2>/dev/null
done
check 'a rank that goes on in time does no harm' kill -0 $pid
kill -KILL "$stopped"
got=0
wait $pid 2>/dev/null || got=$?
check "a rank is killed: the launcher ends the job (exit $got)" test $got != 0
check 'a rank is killed: no rank is left' ranks_end 100 dbfs-traverse "$tmp/many"

graph500=$(realpath "$BIN/dbfs-graph500")
start_search "$MPIEXEC" -n 2 "$graph500" --backend cpu --no-energy -@ 1 --timeout 2 -n 1000000 "$tmp/many"
kill -STOP "$(ranks_of dbfs-graph500 "$tmp/many" | tail -1)"
ended 1 'a rank of dbfs-graph500 is stopped, with --timeout'
check_says '^dbfs-graph500: rank [01] on [^ ]*, [^:]*: did not run for [2-9]\.[0-9] s' 'a rank of dbfs-graph500 is stopped: the message names rank, host and phase'
check 'a rank of dbfs-graph500 is stopped: no rank is left' ranks_end 100 dbfs-graph500 "$tmp/many"

"$BIN/rmatgen" -q -s 18 -o "$tmp/large.edges"
"$MPIEXEC" -n 2 "$pack" -q -@ 1 --timeout 1 -p 2 -o "$tmp/x" "$tmp/large.edges" >"$tmp/out" 2>"$tmp/err" &
pid=$!
until rank=$(ranks_of dbfs-pack "$tmp/x" | sed -n 2p) && [ -n "$rank" ] || ! kill -0 $pid 2>/dev/null; do :; done
until [ -e "$tmp/x/packing" ] || ! kill -0 $pid 2>/dev/null; do :; done
kill -STOP "$rank"
ended 1 'a rank is stopped while it packs, with --timeout'
# on a busy host it may stop while the other rank waits for it
late='\(did not run\|others waited for it\) for'
check_says "^dbfs-pack: rank [01] on [^ ]*, [a-z ]*: $late" 'a rank of dbfs-pack is stopped: the message names rank, host and phase'
check 'a rank of dbfs-pack is stopped: no rank is left' ranks_end 100 dbfs-pack "$tmp/x"
check_exit 0 '--resume goes on after a rank was lost' "$pack" -q -p 2 --resume -o "$tmp/x" "$tmp/large.edges"

# While ranks of a program work on a large file, one is stopped, then one is killed.
"$BIN/rmatgen" -q -s 21 -o "$tmp/larger.edges"
"$traverse" --backend cpu -q -r 1 --depths "$tmp/depths-%d.npy" "$tmp/x" >/dev/null 2>&1
ones=$(printf '1,%.0s' $(seq 300))1 # results of the same root, enough for minutes
stopped_and_killed() { # NAME FILE COMMAND...: a program that reads FILE
    local name=$1 file=$2 signal got
    shift 2
    for signal in STOP KILL; do
        rm -rf "$tmp/s"
        mkdir "$tmp/s"
        "$MPIEXEC" -n 2 "$@" --timeout 1 >"$tmp/out" 2>"$tmp/err" </dev/null &
        pid=$!
        until two_read "$name" "$file" || ! kill -0 $pid 2>/dev/null; do sleep 0.02; done
        kill -$signal "$(ranks_of "$name" "$file" | tail -1)"
        if [ $signal = STOP ]; then
            ended 1 "$name: a rank is stopped, with --timeout"
            check_says "^$name: rank [01] on [^ ]*, [^:]*: $late" "$name: a rank is stopped: the message names rank, host and phase"
        else
            got=0
            wait $pid 2>/dev/null || got=$?
            check "$name: a rank is killed: the launcher ends the job (exit $got)" test $got != 0
        fi
        check "$name: no rank is left" ranks_end 100 "$name" "$file"
        check "$name: nothing has a final name" test -z "$(ls "$tmp/s")"
    done
}
stopped_and_killed degsplit "$tmp/larger.edges" "$(realpath "$BIN/degsplit")" -q -@ 1 -o "$tmp/s/x.split" \
    "$tmp/larger.edges"
stopped_and_killed dbfs-check "$tmp/large.edges" "$(realpath "$BIN/dbfs-check")" -q -@ 1 -r $ones \
    --depths "$tmp/depths-%d.npy" "$tmp/large.edges"

check_exit 5 'a thread that is to watch the ranks and cannot be started' timeout 30 "$MPIEXEC" -n 2 \
    env PRETENDED_LACK=pthread_create LD_PRELOAD="$(realpath "$TESTS/pretend.so")${YIELD_MPI:+:$YIELD_MPI}" "$pack" --timeout 9 -p 2 -o "$tmp/y" "$tmp/g.edges"
check_says '^dbfs-pack: --timeout: rank 0 has no thread or no memory to watch others with'
check_exit 2 '--timeout wants a number' "$traverse" --timeout soon "$tmp/p1"
for program in "degsplit -o $tmp/g.split" "dbfs-pack -p 1 -o $tmp/alone"; do
    check_exit 0 "${program%% *}: --timeout with one process" "$BIN"/$program -q --timeout 1 "$tmp/g.edges"
done
if [ -n "${YIELD_MPI:-}" ]; then
    STOP_AT_END=1 check_exit 1 'a rank is stopped where MPI ends, with --timeout' \
        timeout 30 "$MPIEXEC" -n 2 "$traverse" --backend cpu -@ 1 --timeout 2 -n 1 "$tmp/many"
    check_says '^dbfs-traverse: rank 0 on [^ ]*: a rank did not come to the end of MPI for 2.0 s (--timeout)'
    check "$situation: no rank is left" ranks_end 100 dbfs-traverse "$tmp/many"
fi
finish
