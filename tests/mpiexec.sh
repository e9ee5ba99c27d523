#!/bin/sh
# mpiexec.sh: $REAL_MPIEXEC, whose ranks give their core to others while they wait (yield_mpi.c). lib.sh takes it.
LD_PRELOAD=${LD_PRELOAD:+$LD_PRELOAD:}$YIELD_MPI exec "$REAL_MPIEXEC" "$@"
