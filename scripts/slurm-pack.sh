#!/bin/bash
#SBATCH --job-name=dbfs-pack
#SBATCH --ntasks-per-node=1
# slurm-pack.sh: a job of Slurm that makes shards of a graph; see dbfs-cluster(7).
#
#   sbatch -N NODES -c CORES --export=ALL,SHARDS=32 slurm-pack.sh OUT.dbfs FILE...
#
# FILE is anything that edgeconv reads, and OUT.dbfs a folder that all nodes see. The edge stream between them is
# OUT.edges, which stays; OUT.edges.from says of what files and options it was made, and a job of others is refused.
# The environment:
#   SHARDS    one for each GPU of the searches to come (default: one for each node)
#   EDGECONV  options of edgeconv (default: -u, each line is an undirected edge)
#   SCRATCH   a folder on a disk of each node (default: $TMPDIR or /tmp)
#   MPI       of srun (default: pmi2 for MPICH, pmix for Open MPI)
# A job that was killed goes on where it was when it is submitted again.
set -euo pipefail
[ $# -ge 2 ] || { sed -n '/^#   sbatch/s/^# *//p' "$0" >&2; exit 2; }
out=${1%/}
edges=${out%.dbfs}.edges
shift
IFS=$' \t\n' read -r -d '' -a options <<<"${EDGECONV:--u}" || true # to its end, over all lines
case $(ldd "$(command -v dbfs-pack)") in *libmpich*) mpi=pmi2 ;; *) mpi=pmix ;; esac
mpi=${MPI:-$mpi}
# srun has not inherited -c since Slurm 22.05, and a task would run on one core
cores=${SLURM_CPUS_PER_TASK:+--cpus-per-task=$SLURM_CPUS_PER_TASK}

origin() { # FILE...: prints all that the edge stream depends on
    local file
    echo "edgeconv ${options[*]}"
    for file in "$@"; do printf '%s %s\n' "$(realpath -- "$file")" "$(stat -L -c '%s bytes, %y' -- "$file")" || return 1; done
}
from=$(origin "$@") || exit 1
if [ ! -e "$edges" ]; then
    printf '%s\n' "$from" >"$edges.from"
    srun -N 1 -n 1 $cores edgeconv "${options[@]}" -o "$edges" -- "$@"
elif [ "$(cat -- "$edges.from")" != "$from" ]; then
    printf 'slurm-pack.sh: %s: was made of other files or options: remove it, or name another OUT\nwanted:\n%s\n%s has:\n%s\n' \
        "$edges" "$from" "$edges.from" "$(cat -- "$edges.from")" >&2
    exit 1
fi
srun --mpi="$mpi" $cores dbfs-pack --resume -p "${SHARDS:-$SLURM_JOB_NUM_NODES}" -T "${SCRATCH:-${TMPDIR:-/tmp}}" -o "$out" -- "$edges"
srun -N 1 -n 1 $cores dbfs-traverse --plan -- "$out"
