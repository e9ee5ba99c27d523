# bench-lib.sh: functions that benchmarks share: set-up, graphs, and other programs as peers. A script sources it in
# the root of the repository, under `set -euo pipefail`. Before that it may set `settings` to the names of the
# environment variables that it reads.
#
# Each benchmark begins with its command, the machine, the GPUs, the revision and the date. RESULTS=FILE keeps all of
# its standard output in FILE, which appears when the benchmark ends. REVISION names the revision where there is no
# git.

export LC_ALL=C # numbers have a point, also those of `time`

bin=${BUILD:-build}/bin
packer=$bin/dbfs-pack # of the build in BEFORE, if it is there: an older build may not read newer shards
[ ! -x "${BEFORE:-}/dbfs-pack" ] || packer=$BEFORE/dbfs-pack
tests=${BUILD:-build}/tests
mpiexec=${MPIEXEC:-$(command -v mpiexec.mpich || command -v mpiexec)}
cores=$(nproc)
keeper=

die() { # STATUS MESSAGE
    echo "$(basename "$0"): $2" >&2
    exit "$1"
}
. tools/report/outfile.sh
# A benchmark has no options but the one that prints the head of its script, which says how it is used.
case ${1:-} in
-h | --help | --help=all) sed -n '2,/^[^#]/s/^# \{0,1\}//p' "scripts/${0##*/}" && exit ;;
-*) die 2 "$1: is no option: see --help" ;;
esac
work=$(realpath -- "$(mktemp -d -- "${TMPDIR:-/dev/shm}/dbfs-bench.XXXXXX")")

ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.2f", a / b }'; }

median() { # FILE [COLUMN]: prints nothing for an empty file
    awk -v column="${2:-1}" '{ print $column }' "$1" 2>/dev/null | sort -g |
        awk '{ a[NR] = $1 } END { if (NR > 0) printf "%.4g", (a[int((NR + 1) / 2)] + a[int(NR / 2) + 1]) / 2 }'
}

# ---- the description of a run ----

quoted() { # WORD...: prints the words as one would type them
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

leave() { # puts the results in place, if they are kept
    local status=$?
    if [ -n "$keeper" ]; then
        exec >&-
        wait "$keeper" || true
        (put_file "$RESULTS" <"$work/results") || status=1
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

# ---- graphs; paths and grids need `make tests-bin` ----

convert() { # FILE: each line is an undirected edge, unless the format says otherwise; names get numbers
    "$bin/edgeconv" -q -u --base 0 --force -o "$work/edges" -- "$1" 2>"$work/why" ||
        "$bin/edgeconv" -q --base 0 --force -o "$work/edges" -- "$1" 2>>"$work/why" ||
        "$bin/edgeconv" -q -u --compact="$work/map" --force -o "$work/edges" -- "$1" 2>>"$work/why"
}

# GRAPH: writes $work/edges, and sets $roots to options that choose roots
make_graph() {
    local size=${1##*[a-z]}
    roots="-n ${ROOTS:-16}"
    [[ $1 =~ ^((rmat|uniform|path|grid)[1-9][0-9]*|uniform[1-9][0-9]*e[1-9][0-9]*)$ ]] || { convert "$1"; return; } # a file
    case $1 in
    rmat[0-9]*) "$bin/rmatgen" -q -s "$size" --force -o "$work/edges" ;;
    uniform[0-9]*e[0-9]*) "$bin/rmatgen" -q -s "$(tr -dc 0-9 <<<"${1%e*}")" -e "$size" -A .25 -B .25 -C .25 \
        --force -o "$work/edges" ;;
    uniform[0-9]*) "$bin/rmatgen" -q -s "$size" -A .25 -B .25 -C .25 --force -o "$work/edges" ;;
    path[0-9]*) "$tests/mkgraph" path "$size" | "$bin/edgeconv" -q -u --force -o "$work/edges" -
        roots="-r 0,$((size / 2)),$((size - 1))" ;;
    grid[0-9]*) "$tests/mkgraph" grid "$size" "$size" | "$bin/edgeconv" -q -u --force -o "$work/edges" -
        roots="-r 0,$((size / 2 * size + size / 2)),$((size * size - 1))" ;;
    esac
}

left_out() { sed 's/^/left out: /' "$work/why" | tail -1 >&2; }

files_of() { # lists the graphs of a folder, and tells why edgeconv refuses any other file
    local file
    for file in "$1"/*; do
        case $file in *.md | *.properties | *.offsets) continue ;; esac
        if convert "$file"; then echo "$file"; else left_out; fi
    done
}

# ---- peers: other programs, on the edge stream `edges` of `vertices` vertices, with `threads` threads, from the
# roots that begin the lines of `ours`. Files for a peer are made once, beside `edges` ----

peer_names=()
peer_commands=()

# NAME=COMMAND: keeps it as a peer; fails for any other argument
add_peer() {
    [ ! -e "$1" ] && [[ $1 =~ ^[A-Za-z0-9_.-]+= ]] || return 1
    peer_names+=("${1%%=*}")
    peer_commands+=("${1#*=}")
}

# (GRAPH | FOLDER | NAME=COMMAND)...: adds graphs, those of folders too, to `graphs`, and keeps peers
take_arguments() {
    local argument file
    for argument in "$@"; do
        if [ -d "$argument" ]; then
            while IFS= read -r file; do graphs+=("$file"); done < <(files_of "$argument")
        elif ! add_peer "$argument"; then
            graphs+=("$argument")
        fi
    done
}

fill() { # COMMAND: replaces its words, quoted for the shell that runs it, and makes the files that they name
    local command=$1 word format file
    for word in pairs=u32 text=text sg=sg; do
        format=${word#*=}
        word="{${word%=*}}"
        file=${edges%.edges}.$format
        [[ $command = *"$word"* ]] || continue
        [ -e "$file" ] || "$bin/edgeconv" -q -t "$format" -o "$file" "$edges"
        command=${command//"$word"/"${file@Q}"}
    done
    command=${command//'{edges}'/"${edges@Q}"}
    command=${command//'{n}'/$vertices}
    command=${command//'{roots}'/$(cut -d' ' -f1 "$ours" | tr '\n' ' ')}
    command=${command//'{count}'/$(wc -l <"$ours")}
    echo "${command//'{threads}'/$threads}"
}

# COMMAND OUTPUT: writes lines "ROOT SECONDS [REACHED LEVELS [CHECKSUM]]"; ROOT is - if the peer does not say it.
# Searches that a peer printed before it failed count.
run_peer() {
    local failed=0
    OMP_NUM_THREADS=$threads timeout "${LIMIT:-600}" bash -c "$(fill "$1")" >"$work/said" 2>"$work/why" ||
        failed=$?
    awk '$1 == "Trial" && $2 == "Time:" { print "-", $3 }
         $1 ~ /^[0-9]+$/ && $2 ~ /^[0-9.eE+-]+$/' "$work/said" >"$2"
    [ $failed = 0 ] || echo "exit status $failed: $(tail -1 "$work/why")" >&2
}
