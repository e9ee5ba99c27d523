#!/bin/bash
#SBATCH --job-name=dbfs-search
# slurm-search.sh: a job of Slurm that searches packed shards; see dbfs-cluster(7).
#
#   sbatch -N 8 --ntasks-per-node=4 --gpus-per-node=4 -c CORES slurm-search.sh GRAPH.dbfs [OPTION...]
#
# The number of tasks must divide that of shards; a task has a GPU where there are GPUs. Options are those of
# dbfs-traverse. The environment:
#   LOCAL  a folder on a disk of each node: each first gets the shards of its own tasks (default: none, they are read
#          where they are)
#   MPI    of srun (default: pmi2 for MPICH, pmix for Open MPI)
set -euo pipefail
[ $# -ge 1 ] || { sed -n '/^#   sbatch/s/^# *//p' "$0" >&2; exit 2; }
graph=$1
shift
case $(ldd "$(command -v dbfs-traverse)") in *libmpich*) mpi=pmi2 ;; *) mpi=pmix ;; esac

if [ -n "${LOCAL:-}" ]; then # rank i of R has the shards i, i + R, ...
    copy=$LOCAL/$(basename "$graph")
    srun --mpi=none bash -euc '
        mkdir -p "$2"
        parts=("$1"/part-*.dbfs)
        for ((s = SLURM_PROCID; s < ${#parts[@]}; s += SLURM_NTASKS)); do cp -u "${parts[s]}" "$2"; done
        [ "$SLURM_LOCALID" != 0 ] || cp -u "$1/manifest" "$2"' - "$graph" "$copy"
    graph=$copy
fi
srun --mpi="${MPI:-$mpi}" --cpu-bind=cores dbfs-traverse "$@" "$graph"
