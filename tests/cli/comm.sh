#!/bin/bash
# comm.sh: tests/unit/test_comm.c under mpiexec, with 1 to 3 ranks.
# runs late: it watches the time
set -u
. tests/lib.sh
mpi() { local n=$1; shift; timeout 120 "$MPIEXEC" -n "$n" "$TESTS/test_comm" "$@"; }

for ranks in 1 2 3; do
    check_exit 0 "$ranks ranks" mpi $ranks start
    grep -E '^(ok|not ok) - ' "$tmp/out"
    check "$ranks ranks: rank 0 reports for all of them" grep -q "^ok - swap: .*(rank 0 of $ranks)  " "$tmp/out"
    grep -q '^not ok' "$tmp/out" && failures=$((failures + 1))
done
check_exit 0 'under a launcher MPI is started where it is needed' mpi 2
check "$situation: MPI is started for both ranks" grep -q '(rank 0 of 2)  ' "$tmp/out"

# ---- what is a launcher ----

starts_mpi() { # VARIABLE...: whether dbfs-pack starts MPI with these in its environment
    rm -f "$tmp"/started.*
    env "$@" COUNT_MPI="$tmp/started" LD_PRELOAD="$(realpath "$TESTS/count_mpi.so")" "$BIN/dbfs-pack" --version >"$tmp/out" 2>&1
    grep -q '^start' "$tmp"/started.* 2>/dev/null
}
starts_none() { ! starts_mpi "$@" && grep -q '^dbfs-pack' "$tmp/out"; }
for variable in NONE=1 PMIX_MCA_gds=hash OMPI_MCA_btl=self PMIX_INSTALL_PREFIX=/usr; do
    check "dbfs-pack with ${variable%=*} starts no MPI" starts_none $variable
done
check 'dbfs-pack with a rank starts MPI' starts_mpi PMI_RANK=0

# ---- ranks that the launcher binds to one core ----

if [ "$(nproc)" -gt 1 ] && command -v taskset >/dev/null 2>&1; then
    core=$(taskset -pc $$ | sed 's/.*: \([0-9]*\).*/\1/')
    "$BIN/rmatgen" -q -s 8 -o "$tmp/edges"
    "$BIN/dbfs-pack" -q -p 1 -o "$tmp/graph" "$tmp/edges"
    check_exit 0 'dbfs-traverse, bound to a core' "$MPIEXEC" -n 1 taskset -c "$core" "$BIN/dbfs-traverse" -q \
        -n 1 --backend cpu "$tmp/graph"
    check_says 'binds each rank to one core'
    check "$situation: the message about cores comes once" test "$(grep -c 'binds each rank' "$tmp/err")" = 1
    check_says 'bind-to none'
    "$MPIEXEC" -n 1 taskset -c "$core" "$BIN/dbfs-traverse" -q -@ 1 -n 1 --backend cpu "$tmp/graph" >"$tmp/out" 2>"$tmp/err"
    check 'no word if threads are given' test ! -s "$tmp/err"
    "$MPIEXEC" --bind-to none -n 1 "$BIN/dbfs-traverse" -q -n 1 --backend cpu "$tmp/graph" >"$tmp/out" 2>"$tmp/err"
    check 'no word to a rank that is not bound' test ! -s "$tmp/err"
else
    skip 'ranks bound to a core: this host has one, or no taskset'
fi

# Two ranks with a core each leave the other cores idle. With one core for both, or with all cores, they share them.
if [ "$(nproc)" -gt 2 ] && command -v taskset >/dev/null 2>&1; then
    cores=($(taskset -pc $$ | sed 's/.*: //; s/[,-]/ /g'))
    check_exit 0 'dbfs-pack on two ranks, bound to a core each' \
        "$MPIEXEC" -n 1 taskset -c "${cores[0]}" "$BIN/dbfs-pack" -p 1 -o "$tmp/packed" "$tmp/edges" : \
        -n 1 taskset -c "${cores[-1]}" "$BIN/dbfs-pack" -p 1 -o "$tmp/packed" "$tmp/edges"
    check_says 'binds each rank to one core'
else
    skip 'two bound ranks: this host has no third core, or no taskset'
fi

check_exit 5 'a rank that ends the job' mpi 2 abort
check_says '^test_comm: rank 1 on [^ ]*: the last rank has had enough$'
check "$situation: the cause is printed once" test "$(grep -c 'has had enough' "$tmp/err")" = 1
check_exit 1 'a rank that is stopped while all wait' mpi 2 stop
check_says '^test_comm: rank 1 on [^ ]*, resting: did not run for [1-9][0-9.]* s (--timeout)$'
check_exit 1 'a launcher of another MPI' env OMPI_COMM_WORLD_SIZE=2 PMIX_RANK= "$TESTS/test_comm"
check "$situation: the message has both numbers of ranks" grep -q 'not ok - launcher: OMPI_COMM_WORLD_SIZE is 2, but MPI sees one rank' "$tmp/out"

# ---- what MPI provides, and what fails in it ----

"$BIN/rmatgen" -q -s 8 -o "$tmp/g.edges"
"$BIN/dbfs-pack" -q -p 2 -o "$tmp/two" "$tmp/g.edges"
by_level() { # SETTING...: of count_mpi.c
    "$MPIEXEC" -n 2 "${counted[@]}" "$@" "$BIN/dbfs-traverse" -q -@ 1 -n 2 --backend cpu --exchange-memory host "$tmp/two"
}
for level in 1 2; do # MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED
    check_exit 0 "dbfs-traverse: MPI provides level $level of threads, and one thread calls it" by_level COUNT_MPI_LEVEL=$level
done
check_exit 1 'dbfs-traverse: MPI provides MPI_THREAD_SINGLE' by_level COUNT_MPI_LEVEL=0
check_says '^dbfs-traverse: MPI: .* gives MPI_THREAD_SINGLE, .*: dbfs needs a library that gives at least MPI_THREAD_FUNNELED$'
check "$situation: the cause is printed once" test "$(grep -c MPI_THREAD_SINGLE "$tmp/err")" = 1
check_exit 1 'dbfs-traverse: a function of MPI fails on rank 1' by_level COUNT_MPI_FAILS=1
check_says '^dbfs-traverse: rank 1 on [^ ]*: MPI: .*: another rank, its host or the network may have failed$'

# ---- check_exit, by which all tests judge launchers ----

failing() { echo run >>"$tmp/runs"; return 1; }
said=$(check_exit 3 'a job' failing "$MPIEXEC")
check 'a job that ends with 1 has failed, and is not tried again' \
    test "${said%% [[(]*}:$(wc -l <"$tmp/runs")" = 'not ok - comm: a job:1'
aborting() { printf '3\n3\n' >>"$ABORT_LOG"; return 1; }
said=$(check_exit 3 'a job' aborting "$MPIEXEC")
check 'the code that ranks gave to MPI_Abort counts, and is told' \
    test "${said%  [[]*}" = "$(printf '# Hydra made 1 of MPI_Abort(3): a job\nok - comm: a job (exit 3)')"
said=$(check_exit 2 'a job' aborting "$MPIEXEC")
check 'check_exit accepts no other code than that of MPI_Abort' test "${said%% [[(]*}" = 'not ok - comm: a job'

finish
