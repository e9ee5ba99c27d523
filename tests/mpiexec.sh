#!/bin/sh
# mpiexec.sh: calls $REAL_MPIEXEC with ranks that give their core to others while they wait (yield_mpi.c). lib.sh uses
# it.
LD_PRELOAD=${LD_PRELOAD:+$LD_PRELOAD:}$YIELD_MPI exec "$REAL_MPIEXEC" "$@"
