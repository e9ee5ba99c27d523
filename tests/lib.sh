# lib.sh: functions that the shell tests share. A test script sources it after `set -u`.
#
# Results are lines "ok - NAME  [SCRIPT:LINE]", or "not ok" or "skip" for "ok"; run.sh counts them. LINE is that of the check.
# Where the check stands in a function, "from LINE" is where the script called that.

export BUILD=${BUILD:-build} # for scripts that this one runs
BIN=$BUILD/bin
TESTS=$BUILD/tests
MPIEXEC=$(command -v "${MPIEXEC:-mpiexec}" || echo mpiexec) # with its folder, as a test may have another mpiexec in its PATH
# With MPICH, ranks that wait give their core to others.
if [ -z "${YIELD_MPI:-}" ] && [ -e "$TESTS/yield_mpi.so" ]; then
    export REAL_MPIEXEC=$MPIEXEC MPIEXEC YIELD_MPI
    YIELD_MPI=$(realpath "$TESTS/yield_mpi.so") MPIEXEC=$(realpath tests/mpiexec.sh)
fi
export HWLOC_COMPONENTS=-linux:pci # ranks start without a look at PCI devices, which takes a virtual machine 7 ms for each rank
DATA=../shared/data # real graphs, where present
# Open MPI must be told that root may start ranks, and more of them than there are cores
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=true
export OMPI_MCA_mpi_yield_when_idle=true
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0 # tests preload libraries before that of ASan
# a user may have set these, and no test expects them
export LC_ALL=C
unset CDPATH OMP_NUM_THREADS OMP_PROC_BIND OMP_PLACES GOMP_CPU_AFFINITY
umask 022
failures=0 situation=
# A script that packs and syncs hundreds of small graphs says beforehand how many MiB of a disk in memory it needs.
if [ -n "${in_memory_mib:-}" ] && [ -w /dev/shm ] &&
    [ "$(df -Pm /dev/shm | awk 'END { print $4 }')" -gt "$in_memory_mib" ]; then
    export TMPDIR=/dev/shm
fi
tmp=$(realpath "$(mktemp -d "${TMPDIR:-/tmp}/dbfs-test.XXXXXX")") && [ -d "$tmp" ] || exit 1
trap 'rm -rf "$tmp"' EXIT
export ABORT_LOG=$tmp/aborts # codes of MPI_Abort (yield_mpi.c)
hydra_ones=0
trap 'exit 1' INT TERM

# Before a program: its MPI calls are noted in $tmp/wire.RANK (count_mpi.c). They are those of ranks with a core each.
preloaded=$(realpath -m "$TESTS")
counted=(env LD_PRELOAD="$preloaded/count_mpi.so:$preloaded/pretend.so:${YIELD_MPI:-}" COUNT_MPI="$tmp/wire"
    PRETENDED_CORES=64)

pass() { result ok "$1"; }
fail() { result 'not ok' "$1" && failures=$((failures + 1)); }
skip() { result skip "$1"; }

# result RESULT NAME: prints the line of a result
result() {
    local i=1 last=$((${#BASH_SOURCE[@]} - 1)) from=''
    while [ $i -lt $last ] && [ "${BASH_SOURCE[i]}" = "${BASH_SOURCE[0]}" ]; do i=$((i + 1)); done
    if [ "${BASH_LINENO[last - 1]}" != "${BASH_LINENO[i - 1]}" ]; then
        [ "${BASH_SOURCE[last]}" = "${BASH_SOURCE[i]}" ] || from=${BASH_SOURCE[last]}:
        from=", from $from${BASH_LINENO[last - 1]}"
    fi
    echo "$1 - $2  [${BASH_SOURCE[i]}:${BASH_LINENO[i - 1]}$from]"
}

# check NAME COMMAND...: passes when the command succeeds
check() {
    local name=$1
    shift
    if "$@" >"$tmp/check.out" 2>&1; then
        pass "$name"
    else
        fail "$name"
        sed 's/^/    /' "$tmp/check.out" | head -20
    fi
}

# check_exit CODE NAME COMMAND...: passes when the command exits with CODE; its output stays in $tmp/out and $tmp/err. NAME says
# what is tried. $situation is NAME behind that of the program, or of the script: names of checks of what the command left begin
# with it.
check_exit() {
    local want=$1 name=$2 got=0 word
    shift 2
    situation=${0##*/} situation=${situation%.sh}
    for word; do
        case $word in */bin/rmatgen | */bin/edgeconv | */bin/degsplit | */bin/dbfs | */bin/dbfs-*) situation=${word##*/} && break ;; esac
    done
    [[ $name = *$situation* ]] && situation=$name || situation="$situation: $name"
    rm -f "$ABORT_LOG"
    "$@" >"$tmp/out" 2>"$tmp/err" </dev/null || got=$?
    # Hydra now and then makes 1 of the code of MPI_Abort. The ranks note it, and that code counts.
    if [ "$got" = 1 ] && [ "$want" != 1 ] && [ "$(sort -u "$ABORT_LOG" 2>/dev/null)" = "$want" ]; then
        got=$want hydra_ones=$((hydra_ones + 1))
        echo "# Hydra made 1 of MPI_Abort($want): $name"
    fi
    if [ "$got" = "$want" ]; then
        pass "$situation (exit $got)"
    else
        fail "$situation (exit $got, expected $want)"
        sed 's/^/    /' "$tmp/err" | head -20
    fi
}

# check_says PATTERN [NAME]: the last command's standard error matches; NAME is needed where that was not of check_exit
check_says() {
    local name=${2:-"$situation: says '$1'"}
    if grep -q -e "$1" "$tmp/err"; then
        pass "$name"
    else
        fail "$name (no '$1' in:)"
        sed 's/^/    /' "$tmp/err" | head -20
    fi
}

# said FILE: prints the messages of programs on standard error. Open MPI's launcher adds blocks between lines of
# dashes when a rank ends with another exit code than 0.
said() { sed '/^-\{20,\}$/,/^-\{20,\}$/d' "$1"; }

# ranks_of PROGRAM PATH: prints the processes of a program with a file or folder of this test among their arguments,
# one a line, by number; pgrep is no base package
ranks_of() {
    local process words
    for process in /proc/[0-9]*; do
        mapfile -d '' -t words 2>/dev/null <"$process/cmdline" &&
            [[ "${words[*]}" =~ ^[^\ ]*$1\ .*$2 ]] && echo "${process#/proc/}"
    done 2>/dev/null | sort -n
}

# by_every_way FILE COMMAND...: @ stands for FILE; the command prints the same for the file, standard input and pipes
by_every_way() {
    local file=$1 way name fd
    shift
    "${@/#@/$file}" >"$tmp/by_file" 2>&1 </dev/null
    check "${1##*/} ${2:-} prints something of a file" test -s "$tmp/by_file"
    for way in - /dev/stdin '<(...)' fifo; do
        name=$way
        exec {fd}< <(cat "$file")
        case $way in
        '<'*) name=/dev/fd/$fd ;;
        fifo)
            name=$tmp/fifo
            [ -p "$name" ] || mkfifo "$name"
            timeout 60 cat "$file" >"$name" &
            ;;
        esac
        timeout 60 "${@/#@/$name}" >"$tmp/by_way" 2>&1 <&$fd
        exec {fd}<&-
        sed -E "s#(^|\t)$name(\t|\$)#\1$file\2#" "$tmp/by_way" >"$tmp/by_name"
        check "${1##*/} ${2:-} prints the same of $way as of a file" cmp "$tmp/by_file" "$tmp/by_name"
    done
}

# own_null: prints the name of a device like /dev/null. Root gets a copy, as a fault of a program could replace the machine's;
# nothing is printed where no copy can be made.
own_null() {
    [ "$(id -u)" = 0 ] || { echo /dev/null && return; }
    rm -f "$tmp/null" && mknod -m 666 "$tmp/null" c 1 3 && true >"$tmp/null" && echo "$tmp/null"
} 2>/dev/null

# divided RANKS WORD...: prints the option by which these ranks divide the shards of the graph among the words, so that GPUs do not
# search them joined
divided() {
    local ranks=$1 word
    shift
    for word; do
        [ ! -e "$word/manifest" ] || { echo "-g $(($(find "$word/" -name 'part-*' | wc -l) / ranks))" && return; }
    done
}

# SECONDS COMMAND...: runs it with so many seconds of CPU time for each process, as a busy host takes more time
cpu_limit() {
    local seconds=$1
    shift
    (ulimit -t "$seconds" && exec timeout 120 "$@")
}

finish() {
    [ "$hydra_ones" = 0 ] || echo "# Hydra made 1 of another code $hydra_ones times"
    [ "$failures" = 0 ]
    exit $?
}

# WHAT IS TESTED: programs are those of an emulated GPU (tests/emulator) from here on. The script ends where it is not
# built.
use_emulated_gpus() {
    BUILD=$BUILD/emulated
    if [ ! -x "$BUILD/bin/dbfs-traverse" ]; then
        skip "$1: no emulated GPU is built"
        finish
    fi
    BIN=$BUILD/bin TESTS=$BUILD/tests
}

# ---- jobs in the background ----

# wait_until COMMAND...: waits until the command succeeds, a minute at most
wait_until() {
    local i
    for ((i = 0; i < 1200; i++)); do
        "$@" && return
        sleep 0.05
    done
    return 1
}

# start_search COMMAND...: runs it in the background and waits until it prints the line of a root; $pid is its process
start_search() {
    # no output of the last search must be taken for this one's
    : >"$tmp/out"
    "$@" >"$tmp/out" 2>"$tmp/err" </dev/null &
    pid=$!
    wait_until grep -q '^root ' "$tmp/out" || fail "no search was done within a minute: $*"
}

# ended CODE NAME: $pid ends by itself within a minute and with this exit code
ended() {
    local got=0
    for _ in $(seq 600); do
        kill -0 $pid 2>/dev/null || break
        sleep 0.1
    done
    kill -KILL $pid 2>/dev/null
    wait $pid 2>/dev/null || got=$?
    check "$2 (exit $got)" test $got = "$1"
}

# ranks_end TENTHS PROGRAM PATH: waits for the end of these ranks, so many tenths of a second at most
ranks_end() {
    local i
    for ((i = 0; i < $1; i++)); do
        [ -n "$(ranks_of "$2" "$3")" ] || return 0
        sleep 0.1
    done
    test -z "$(ranks_of "$2" "$3")"
}

# two_read PROGRAM FILE: succeeds when both ranks have FILE open
two_read() {
    local rank count=0
    for rank in $(ranks_of "$1" "$2"); do
        ls -l "/proc/$rank/fd" 2>/dev/null | grep -q " -> $2\$" && count=$((count + 1))
    done
    [ $count = 2 ]
}
