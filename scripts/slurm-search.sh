#!/bin/bash
#SBATCH --job-name=dbfs-search
# slurm-search.sh: a job of Slurm that searches packed shards; see dbfs-cluster(7).
#
#   sbatch -N 8 --ntasks-per-node=4 --gpus-per-node=4 -c CORES slurm-search.sh GRAPH.dbfs [OPTION...]
#
# The number of tasks must divide that of shards; a task has a GPU where there are GPUs. Options are those of
# dbfs-traverse. The environment:
#   LOCAL  a folder on a disk of each node: each first gets the shards of its own tasks, unless it has files of the same
#          name, size and time (default: none, they are read where they are)
#   MPI    of srun (default: pmi2 for MPICH, pmix for Open MPI)
set -euo pipefail
[ $# -ge 1 ] || { sed -n '/^#   sbatch/s/^# *//p' "$0" >&2; exit 2; }
graph=$1
shift
case $(ldd "$(command -v dbfs-traverse)") in *libmpich*) mpi=pmi2 ;; *) mpi=pmix ;; esac
# srun has not inherited -c since Slurm 22.05, and a task would run on one core
cores=${SLURM_CPUS_PER_TASK:+--cpus-per-task=$SLURM_CPUS_PER_TASK}

if [ -n "${LOCAL:-}" ]; then # rank i of R has the shards i, i + R, ...
    copy=$LOCAL/$(basename -- "$graph")
    srun --mpi=none $cores bash -euc '
        same() { [ "$(stat -c "%s %y" -- "$1")" = "$(stat -c "%s %y" -- "$2" 2>/dev/null)" ]; }
        take() { same "$1" "$2/${1##*/}" || cp -p -- "$1" "$2"; } # FILE FOLDER
        mkdir -p -- "$2"
        parts=("$1"/part-*.dbfs)
        for ((s = SLURM_PROCID; s < ${#parts[@]}; s += SLURM_NTASKS)); do take "${parts[s]}" "$2"; done
        [ "$SLURM_LOCALID" != 0 ] || take "$1/manifest" "$2"' - "$graph" "$copy"
    graph=$copy
fi
srun --mpi="${MPI:-$mpi}" --cpu-bind=cores $cores dbfs-traverse "$@" -- "$graph"
