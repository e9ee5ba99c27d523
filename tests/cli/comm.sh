#!/bin/bash
# comm.sh: tests/unit/test_comm.c under mpiexec, with 1 to 3 ranks.
set -u
. tests/lib.sh
mpi() { local n=$1; shift; timeout 120 "$MPIEXEC" -n "$n" "$TESTS/test_comm" "$@"; }

for ranks in 1 2 3; do
    check_exit 0 "$ranks ranks" mpi $ranks start
    grep -E '^(ok|not ok) - ' "$tmp/out"
    check "$ranks ranks: rank 0 of so many reported" grep -q "^ok - swap: .*(rank 0 of $ranks)$" "$tmp/out"
    grep -q '^not ok' "$tmp/out" && failures=$((failures + 1))
done
check_exit 0 'under a launcher MPI is started where it is needed' mpi 2
check 'for both ranks' grep -q '(rank 0 of 2)$' "$tmp/out"

check_exit 5 'a rank that ends the job' mpi 2 abort
check_says '^test_comm: host [^ ]*, rank 1: the last rank has had enough$' 'says host, rank and cause'
check 'once' test "$(grep -c 'has had enough' "$tmp/err")" = 1
check_exit 1 'a launcher of another MPI' env OMPI_COMM_WORLD_SIZE=2 PMIX_RANK= "$TESTS/test_comm"
check 'says so' grep -q 'not ok - launcher: OMPI_COMM_WORLD_SIZE is 2, but MPI sees one rank' "$tmp/out"
finish
