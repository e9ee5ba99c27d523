#!/bin/bash
#SBATCH --job-name=dbfs-pack
#SBATCH --ntasks-per-node=1
# slurm-pack.sh: a job of Slurm that makes shards of a graph; see dbfs-cluster(7).
#
#   sbatch -N NODES -c CORES --export=ALL,SHARDS=32 slurm-pack.sh OUT.dbfs FILE...
#
# FILE is anything that edgeconv reads, and OUT.dbfs a folder that all nodes see. The edge stream between them is
# OUT.edges, which stays. The environment:
#   SHARDS    one for each GPU of the searches to come (default: one for each node)
#   EDGECONV  options of edgeconv (default: -u, each line is an undirected edge)
#   SCRATCH   a folder on a disk of each node (default: $TMPDIR or /tmp)
#   MPI       of srun (default: pmi2 for MPICH, pmix for Open MPI)
# A job that was killed goes on where it was when it is submitted again.
set -euo pipefail
[ $# -ge 2 ] || { sed -n '/^#   sbatch/s/^# *//p' "$0" >&2; exit 2; }
out=$1 edges=${1%.dbfs}.edges
shift
case $(ldd "$(command -v dbfs-pack)") in *libmpich*) mpi=pmi2 ;; *) mpi=pmix ;; esac
mpi=${MPI:-$mpi}

[ -e "$edges" ] || srun -N 1 -n 1 edgeconv ${EDGECONV:--u} -o "$edges" "$@"
srun --mpi="$mpi" dbfs-pack --resume -p "${SHARDS:-$SLURM_JOB_NUM_NODES}" -T "${SCRATCH:-${TMPDIR:-/tmp}}" -o "$out" "$edges"
srun -N 1 -n 1 dbfs-traverse --plan "$out"
