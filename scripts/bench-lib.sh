# bench-lib.sh: the set-up of the benchmarks that compare dbfs with other programs. A script sources it in the
# root of the repository, under `set -euo pipefail`. Before that it may set `settings` to the names of the
# environment variables that choose what it does.
#
# Every benchmark begins with its command, the machine, the GPUs, the revision and the date. RESULTS=FILE
# keeps all of its standard output in FILE, which appears when the benchmark ends. REVISION names the revision
# where there is no git.

bin=${BUILD:-build}/bin
mpiexec=${MPIEXEC:-$(command -v mpiexec.mpich || command -v mpiexec)}
work=$(mktemp -d "${TMPDIR:-/dev/shm}/dbfs-bench.XXXXXX")
cores=$(nproc)
keeper=

ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.2f", a / b }'; }

quoted() { # WORD...: as one would type them
    local word
    for word in "$@"; do
        case $word in
        *[!A-Za-z0-9_./,:@+=-]*) printf ' %s' "${word@Q}" ;;
        *) printf ' %s' "$word" ;;
        esac
    done
}

describe_run() { # ARGUMENT...
    local name gpus
    printf 'command:'
    for name in ${settings:-}; do
        [ -z "${!name:-}" ] || printf ' %s=%s' "$name" "$(quoted "${!name}" | cut -c 2-)"
    done
    printf ' scripts/%s%s\n' "$(basename "$0")" "$(quoted "$@")"
    echo "machine: $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1), $cores cores"
    gpus=$({ nvidia-smi --query-gpu=name --format=csv,noheader || true; } 2>/dev/null | sort | uniq -c)
    echo "GPUs: $(echo ${gpus:-none})"
    echo "revision: ${REVISION:-$(git describe --always --dirty 2>/dev/null || echo unknown)}; $(date -u +%F)"
}

leave() { # puts the results in place, if any are kept
    local status=$?
    if [ -n "$keeper" ]; then
        exec >&-
        wait "$keeper" || true
        mv "$work/results" "$RESULTS" || status=1
    fi
    rm -rf "$work"
    exit "$status"
}

trap leave EXIT
if [ -n "${RESULTS:-}" ]; then
    exec > >(exec tee "$work/results")
    keeper=$!
fi
describe_run "$@"
