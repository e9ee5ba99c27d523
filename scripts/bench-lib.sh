# bench-lib.sh: the parts that benchmarks share: their set-up, their graphs, and other programs as peers. A script sources it
# in the root of the repository, under `set -euo pipefail`. Before that it may set `settings` to the names of the
# environment variables that choose what it does.
#
# Every benchmark begins with its command, the machine, the GPUs, the revision and the date. RESULTS=FILE keeps all of its
# standard output in FILE, which appears when the benchmark ends. REVISION names the revision where there is no git.

bin=${BUILD:-build}/bin
tests=${BUILD:-build}/tests
mpiexec=${MPIEXEC:-$(command -v mpiexec.mpich || command -v mpiexec)}
work=$(mktemp -d "${TMPDIR:-/dev/shm}/dbfs-bench.XXXXXX")
cores=$(nproc)
keeper=

ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.2f", a / b }'; }

median() { # FILE [COLUMN]; nothing if there is no line
    awk -v column="${2:-1}" '{ print $column }' "$1" 2>/dev/null | sort -g |
        awk '{ a[NR] = $1 } END { if (NR > 0) printf "%.4g", (a[int((NR + 1) / 2)] + a[int(NR / 2) + 1]) / 2 }'
}

# ---- the description of a run ----

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

# ---- graphs. Paths and grids want `make tests-bin` ----

convert() { # FILE: each line an undirected edge, unless the format says otherwise; words get numbers
    "$bin/edgeconv" -q -u --force -o "$work/edges" "$1" 2>"$work/why" ||
        "$bin/edgeconv" -q --force -o "$work/edges" "$1" 2>>"$work/why" ||
        "$bin/edgeconv" -q -u --compact="$work/map" --force -o "$work/edges" "$1" 2>>"$work/why"
}

# Writes $work/edges, and $roots: options that choose them.
make_graph() { # GRAPH
    local size=${1##*[a-z]}
    roots="-n ${ROOTS:-16}"
    case $1 in
    rmat[0-9]*) "$bin/rmatgen" -q -s "$size" --force -o "$work/edges" ;;
    uniform[0-9]*e[0-9]*) "$bin/rmatgen" -q -s "$(tr -dc 0-9 <<<"${1%e*}")" -e "$size" -A .25 -B .25 -C .25 \
        --force -o "$work/edges" ;;
    uniform[0-9]*) "$bin/rmatgen" -q -s "$size" -A .25 -B .25 -C .25 --force -o "$work/edges" ;;
    path[0-9]*) "$tests/mkgraph" path "$size" | "$bin/edgeconv" -q -u --force -o "$work/edges" -
        roots="-r 0,$((size / 2)),$((size - 1))" ;;
    grid[0-9]*) "$tests/mkgraph" grid "$size" "$size" | "$bin/edgeconv" -q -u --force -o "$work/edges" -
        roots="-r 0,$((size / 2 * size + size / 2)),$((size * size - 1))" ;;
    *) convert "$1" ;;
    esac
}

left_out() { sed 's/^/left out: /' "$work/why" | tail -1 >&2; }

files_of() { # a folder's graphs; what edgeconv refuses is left out with its reason
    local file
    for file in "$1"/*; do
        case $file in *.md | *.properties) continue ;; esac
        if convert "$file"; then echo "$file"; else left_out; fi
    done
}

# ---- peers: other programs, on the edge stream `edges` of so many `vertices`, with `threads`, from the roots that
# begin the lines of the file `ours`. Files that a peer wants are made beside `edges`, once ----

peer_names=()
peer_commands=()

# Whether the argument is NAME=COMMAND; keeps it then.
add_peer() { # ARGUMENT
    [ ! -e "$1" ] && [[ $1 =~ ^[A-Za-z0-9_.-]+= ]] || return 1
    peer_names+=("${1%%=*}")
    peer_commands+=("${1#*=}")
}

fill() { # COMMAND: replaces its words; makes the files that it names
    local command=$1 word format file
    for word in pairs=u32 text=text sg=sg; do
        format=${word#*=}
        word="{${word%=*}}"
        file=${edges%.edges}.$format
        [[ $command = *"$word"* ]] || continue
        [ -e "$file" ] || "$bin/edgeconv" -q -t "$format" -o "$file" "$edges"
        command=${command//"$word"/$file}
    done
    command=${command//'{edges}'/$edges}
    command=${command//'{n}'/$vertices}
    command=${command//'{roots}'/$(cut -d' ' -f1 "$ours" | tr '\n' ' ')}
    command=${command//'{count}'/$(wc -l <"$ours")}
    echo "${command//'{threads}'/$threads}"
}

# Writes lines "ROOT SECONDS [REACHED LEVELS [CHECKSUM]]"; ROOT is - where the peer does not say it. Searches
# that were printed before a peer failed count.
run_peer() { # COMMAND OUTPUT
    local failed=0
    OMP_NUM_THREADS=$threads timeout "${LIMIT:-600}" bash -c "$(fill "$1")" >"$work/said" 2>"$work/why" ||
        failed=$?
    awk '$1 == "Trial" && $2 == "Time:" { print "-", $3 }
         $1 ~ /^[0-9]+$/ && $2 ~ /^[0-9.eE+-]+$/' "$work/said" >"$2"
    [ $failed = 0 ] || echo "exit status $failed: $(tail -1 "$work/why")" >&2
}
