#!/bin/bash
# launcher-signals.sh: SIGINT and SIGTERM to the launcher while its ranks start. Hydra (4.0.2) may then wait forever:
# its proxy waits for ranks, and these wait in MPI_Init for an answer of the proxy. No program can help that. So if
# one of ours hangs, a program that only calls MPI_Init and MPI_Finalize must hang at the same moments. SIGTERM to the
# ranks ends such a job.
set -u
. tests/lib.sh
traverse=$(realpath "$BIN/dbfs-traverse")
tries=2
[ "${TEST_MODE:-short}" = long ] && tries=40
moments=(0.002 0.005 0.003 0.01 0.004 0.02)

"$BIN/rmatgen" -q -s 8 -o "$tmp/g.edges"
"$BIN/dbfs-pack" -q -p 2 -o "$tmp/graph" "$tmp/g.edges"
cat >"$tmp/init.c" <<'END'
#include <mpi.h>
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    return MPI_Finalize();
}
END
if ! ${MPICC:-mpicc} -o "$tmp/init" "$tmp/init.c" 2>"$tmp/err"; then
    skip "signals while ranks start: no program of MPI alone: $(tail -1 "$tmp/err")"
    finish
fi

# hangs TRY PROGRAM ARGUMENT...: succeeds if the launcher has not ended 10 s after its signal. Only this test uses the
# last argument, which identifies its ranks.
hangs() {
    local i=$1 pid signal=TERM hung=1 program=${2##*/} own=${*: -1}
    shift
    [ $((i % 2)) = 0 ] || signal=INT
    env --default-signal=INT "$MPIEXEC" -n 2 "$@" >"$tmp/out" 2>"$tmp/err" </dev/null &
    pid=$!
    sleep "${moments[i % ${#moments[@]}]}"
    kill -$signal $pid 2>/dev/null
    for _ in $(seq 100); do
        kill -0 $pid 2>/dev/null || { hung=0; break; }
        sleep 0.1
    done
    for _ in $(seq 100); do
        ranks=$(ranks_of "$program" "$own")
        [ -n "$ranks" ] || break
        [ $hung = 0 ] || kill -TERM $ranks 2>/dev/null
        sleep 0.1
    done
    [ -z "$ranks" ] || left="$left $ranks"
    kill -KILL $pid 2>/dev/null
    wait $pid 2>/dev/null
    [ $hung = 1 ]
}
ours=0 theirs=0 left=
for i in $(seq $tries); do
    hangs $i "$traverse" --backend cpu -q -@ 1 -n 1000 "$tmp/graph" && ours=$((ours + 1))
done
check "no rank is left of $tries jobs whose launcher got a signal while they started ($left )" test -z "$left"
for i in $(seq 200); do
    [ $theirs -lt $ours ] || break
    hangs $i "$tmp/init" "$tmp" && theirs=$((theirs + 1))
done
check "of a program of MPI alone as many jobs wait for ever as of dbfs ($ours)" test $theirs = $ours
finish
