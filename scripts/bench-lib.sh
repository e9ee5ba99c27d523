# bench-lib.sh: the set-up of the benchmarks that compare dbfs with other programs. A script sources it in the
# root of the repository, under `set -euo pipefail`.

bin=${BUILD:-build}/bin
mpiexec=${MPIEXEC:-$(command -v mpiexec.mpich || command -v mpiexec)}
work=$(mktemp -d "${TMPDIR:-/dev/shm}/dbfs-bench.XXXXXX")
trap 'rm -rf "$work"' EXIT
cores=$(nproc)

ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.2f", a / b }'; }

echo "machine: $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1), $cores cores; $(date -u +%F)"
