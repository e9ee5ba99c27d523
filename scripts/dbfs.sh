#!/bin/bash
# dbfs: from a graph in a file to the distances of its vertices, in one command; see dbfs(1).
#
# edgeconv and dbfs-pack make shards, and dbfs-traverse searches them. Shards of regular files are kept. They lie in
# CACHE/KEY, where KEY is a digest of all that they depend on: the files' paths, inodes, sizes and times, the
# options, and the version. They get that name only when they are complete. One dbfs at a time makes shards in
# CACHE, and others wait: otherwise each would pack the file, and replace the shards that another one reads.
#
# A pipe (standard input, <(...), a fifo) can be read only once. This script never opens one: edgeconv does, which
# looks at the first bytes and goes on from there. Nothing but reading it tells its content, so its shards are not
# kept.
set -euo pipefail

prog=dbfs
bin=$0
case $bin in
*/*) [ ! -L "$bin" ] || bin=$(readlink -f "$bin") ;;
*) bin=$(readlink -f "$bin") ;; # run as `bash dbfs`
esac
PATH=${bin%/*}:$PATH
# Threads that wait sleep soon: the programs of a pipe share the cores.
[ -n "${OMP_WAIT_POLICY+set}" ] || export GOMP_SPINCOUNT="${GOMP_SPINCOUNT-1000}"
files=() convert=() pack=() both=() search=() results=()
cache='' shards='' ranks='' compact=false undirected=(-u) verbose=false force=() quiet=()
roots_from=''
work='' scratch='' # folders of this run alone: shards in the making; anything else

usage() {
    cat <<EOF
usage: dbfs [OPTION...] FILE...
       dbfs [OPTION...] DIR
Searches the graph in FILE (several are read one after the other; '-' is standard input) from some of its
vertices. Shards are made first, kept in FILE.dbfs unless FILE is a pipe, and used again. DIR is a folder
of shards.

  -r, --roots ROOT       search from these vertices; without -r from 64 sampled ones
  -o, --output FILE      hop distances: .npy, .csv or text; %d becomes the root; '-' is standard output
      --compact          ids are words, or numbers of any size: roots and results are names too
      --direction D      once (the default): each line is an undirected edge; symmetric: each edge
                         is there as u v and as v u; directed: as the file says
      --cache DIR        keep shards in DIR; --no-cache keeps none
  -p, --shards P         number of shards (default: that of the ranks)
      --ranks R          search with R processes, through mpiexec
  -v, --verbose          show the commands that are run
      --force            replace result files that exist

Options of edgeconv (-f --vertices --one-based --entry --randomize), of dbfs-pack (-t --heads --encoding) and
of dbfs-traverse (--parents --json -n --backend ...) are passed on; -S -T -@ -q go to all.
EOF
}

die() { # STATUS MESSAGE
    echo "$prog: $2" >&2
    exit "$1"
}

# ---- command line ----

# An option with its value, "--option=value" or two words, for the array NAME.
pass() { # NAME OPTION VALUE
    local -n into=$1
    if [[ $2 == --* ]]; then into+=("$2=$3"); else into+=("$2" "$3"); fi
}

take_direction() { # VALUE: of edgeconv, or of dbfs-traverse
    case $1 in
    once) undirected=(-u) ;;
    symmetric) undirected=(--direction symmetric) ;;
    directed) undirected=() ;;
    *) search+=(--direction "$1") ;;
    esac
}

take_value() { # OPTION VALUE
    case $1 in
    -o | --output | --depths) search+=(--depths "$2") results+=("$2") ;;
    --parents | --json | --trace) search+=("$1=$2") results+=("$2") ;;
    --cache) cache=$2 ;;
    -p | --shards) shards=$2 ;;
    --ranks) ranks=$2 ;;
    --roots-from) roots_from=$2 ;;
    --direction) take_direction "$2" ;;
    -f | --from) convert+=(-f "$2") ;;
    --vertices | --entry) pass convert "$1" "$2" ;;
    -t | --threshold) pack+=(-t "$2") ;;
    --heads | --encoding | --suggest | --for | --links) pass pack "$1" "$2" ;;
    -S | --memory) both+=(-S "$2") ;;
    -T | --tmpdir) both+=(-T "$2") ;;
    -@ | --threads) both+=(-@ "$2") ;;
    -[rng] | --roots | --count | --seed | --warm-up | --shards-per-rank | --backend | --timeout | \
        --factor[01] | --reduction | --chunk | --exchange-form | --exchange-memory | --map | --answer | --parents-width | \
        --resident)
        pass search "$1" "$2"
        ;;
    *) die 2 "$1: is no option (see --help)" ;;
    esac
}

# Whether an option stands alone; what it does.
take_flag() { # OPTION
    case $1 in
    -h | --help) usage && exit 0 ;;
    --version) dbfs-traverse --version | sed "s/^[^ ]*/$prog/" && exit 0 ;;
    -q | --quiet) quiet=(-q) ;;
    -v | --verbose) verbose=true ;;
    -u | --undirected) undirected=(-u) ;;
    --compact) compact=true ;;
    --no-cache) cache=none ;;
    --force) force=(--force) ;;
    --one-based | --randomize | --randomize=*) convert+=("$1") ;;
    --several-levels | --no-check | --trust | --local-all2all | --uniquify | --breakdown) search+=("$1") ;;
    *) return 1 ;;
    esac
}

take_files() { # FILE...: after --, where a name may begin with -
    local file
    for file in "$@"; do
        case $file in -?*) file=./$file ;; esac
        files+=("$file")
    done
}

# Results must not replace the graph, whatever --force says.
refuse_inputs() {
    local file result
    for result in "${results[@]}"; do
        for file in "${files[@]}"; do
            [ ! "$result" -ef "$file" ] || die 2 "$result: is the graph: results need a file of their own"
        done
    done
}

parse() {
    while [ $# -gt 0 ]; do
        case $1 in
        --) shift && take_files "$@" && break ;;
        - | [!-]*) files+=("$1") ;;
        --*=*) take_flag "$1" || take_value "${1%%=*}" "${1#*=}" ;;
        -[qvuh]?*) set -- '' "${1:0:2}" "-${1:2}" "${@:2}" ;; # options that stand alone, in one word
        -[rnpfotgST@]?*) take_value "${1:0:2}" "${1:2}" ;;
        *)
            if ! take_flag "$1"; then
                [ $# -ge 2 ] || die 2 "$1: unknown, or needs an argument (see --help)"
                take_value "$1" "$2"
                shift
            fi
            ;;
        esac
        shift
    done
    [ ${#files[@]} -gt 0 ] || die 2 "which graph? FILE is missing ('-' is standard input; see --help)"
    [[ ${ranks:-1} =~ ^[1-9][0-9]*$ ]] || die 2 "--ranks $ranks: expected a number"
    [ "${PMI_SIZE:-${OMPI_COMM_WORLD_SIZE:-1}}" = 1 ] || die 2 'is not for mpiexec, but starts it: --ranks R'
    refuse_inputs
}

# ---- shards ----

words() { # WORD...: as a shell would read them
    local text
    printf -v text ' %q' "$@"
    printf %s "${text# }"
}

show() { # WORD...: a command, with -v
    ! $verbose || echo "$prog: $(words "$@" | sed 's/ \\| / | /')" >&2
}

# Path, place, size and times of a file.
identity() { printf '%s %s\n' "$(realpath -- "$1")" "$(stat -L -c '%d %i %s %y %z' -- "$1")"; }

describe() { # what the shards depend on
    local file
    for file in "${files[@]}"; do identity "$file" || exit 1; done
    echo "edgeconv $(words "${undirected[@]}" "${convert[@]}") compact $compact"
    echo "dbfs-pack $(words -p "$shards" "${pack[@]}")"
    dbfs-pack --version
}

# Whether FILE can be read again from its start. Anything else is left to the one program that reads it.
is_regular() { [ "$1" != - ] && [ -f "$1" ]; }

are_regular() { # all FILEs
    local file
    for file in "${files[@]}"; do is_regular "$file" || return 1; done
}

# Whether FILE, which is regular, is an edge stream of an undirected graph: SPEC-edges.md has the bytes.
is_undirected_stream() {
    local start
    start=$(head -c 16 -- "$1" | od -An -v -tx1 | tr -d ' \n')
    case $start in 44424653454447450100000000000000 | 44424653454447450100000001000000) ;; *) return 1 ;; esac
} 2>/dev/null

# Whether dbfs-pack can take all FILEs, as often as it needs to read them: edgeconv would change nothing.
are_ready() {
    local file
    ! $compact && [ "${undirected[*]} ${#convert[@]}" = '-u 0' ] && are_regular || return 1
    for file in "${files[@]}"; do is_undirected_stream "$file" || return 1; done
}

make_shards() { # FOLDER, empty
    local map=() from to=(dbfs-pack -p "$shards" "${pack[@]}" "${both[@]}" "${quiet[@]}" -o "$1/shards")
    ! $compact || map=("--compact=$1/graph.map")
    if are_ready; then
        show "${to[@]}" "${files[@]}"
        "${to[@]}" "${files[@]}"
        return
    fi
    from=(edgeconv "${undirected[@]}" "${convert[@]}" "${map[@]}" "${both[@]}" "${quiet[@]}" "${files[@]}")
    show "${from[@]}" '|' "${to[@]}" -
    "${from[@]}" | "${to[@]}" - || {
        local status=("${PIPESTATUS[@]}")
        case ${status[1]} in
        0 | 3) [ "${status[0]}" = 0 ] || exit "${status[0]}" ;; # a stream without an end has its cause there
        esac
        exit "${status[1]}"
    }
}

# The path in the first line of a key: all but the nine words of place, size and times.
path_of() { # NAME LINE
    printf -v "$1" %s "${2% * * * * * * * * *}"
}

# Older shards of the same file: of another content of it, or given up by a process that is gone.
remove_stale() { # KEY
    local folder own line path own_path
    IFS= read -r own <"$1"
    path_of own_path "$own"
    for folder in "$cache"/*; do
        case $folder in
        *.making."$HOSTNAME".*) kill -0 "${folder##*.}" 2>/dev/null || rm -rf "$folder" ;;
        *.making.*) ;; # of another host, whose processes cannot be seen here
        *)
            IFS= read -r line 2>/dev/null <"$folder/key" || continue
            path_of path "$line"
            [ "$path" != "$own_path" ] || [ "$line" = "$own" ] || rm -rf "$folder"
            ;;
        esac
    done
}

# Options and result files, before hours of packing.
check_search() {
    local map=()
    ! $compact || map=(--map graph.map)
    dbfs-traverse --dry-run "${both[@]}" "${force[@]}" "${search[@]}" "${map[@]}" shards
}

are_kept() { # KEY-TEXT
    [ "$(cat "$graph/key" 2>/dev/null)" = "$1" ] && dbfs-pack --list "$graph/shards" >/dev/null 2>&1
}

# Waits until no other dbfs makes shards in the folder. The kernel takes the lock back when the process ends.
# Where a file system has no locks, two may make the same shards, and the second then fails.
lock_cache() {
    mkdir -p "$cache"
    exec {lock}<"$cache"
    local status=0
    flock --nonblock "$lock" 2>/dev/null || status=$?
    [ $status = 1 ] || return 0 # it is locked, or cannot be
    [ ${#quiet[@]} != 0 ] || echo "$prog: $cache: another dbfs makes shards there: waiting for it" >&2
    flock "$lock" 2>/dev/null || true
}

keep_shards() { # TEXT-OF-KEY
    work=$cache/$key.making.$HOSTNAME.$$
    mkdir -p "$work"
    make_shards "$work"
    printf '%s\n' "$1" >"$work/key"
    rm -rf "$graph" # what is there is not whole
    mv -T "$work" "$graph"
    work=
    remove_stale "$graph/key"
}

# Sets `cache` to the folder where shards are kept. Succeeds if there is one.
choose_cache() {
    [ "$cache" != none ] || return 1
    if ! are_regular; then
        [ -z "$cache" ] || die 2 "--cache: shards of a pipe are not kept, as only reading it tells its content"
        return 1
    fi
    ! mkdir -p "${cache:=${files[0]%/}.dbfs}" 2>/dev/null || return 0
    echo "$prog: $cache: cannot be made, so the shards are not kept: --cache DIR names another place" >&2
    cache=none
    return 1
}

# Sets `scratch` to a new folder.
make_scratch() {
    [ -n "$scratch" ] || scratch=$(mktemp -d "${TMPDIR:-/tmp}/dbfs.XXXXXX" 2>/dev/null) ||
        die 1 "${TMPDIR:-/tmp}: cannot make a folder there: TMPDIR names another place"
}

# Roots are read twice, by the check before packing and by the search: those of a pipe go to a file first.
keep_roots() {
    [ -n "$roots_from" ] || return 0
    if ! is_regular "$roots_from"; then
        make_scratch
        cat -- "$roots_from" >"$scratch/roots" || exit 1
        roots_from=$scratch/roots
    fi
    search+=("--roots-from=$roots_from")
}

# Sets `graph` to the folder that has shards, and perhaps the map.
find_shards() {
    local key text lock made=false
    if ! choose_cache; then
        check_search &
        make_scratch
        wait $! || exit
        graph=$scratch
        make_shards "$graph"
        return
    fi
    text=$(describe)
    key=$(sha256sum <<<"$text" | cut -c1-16)
    graph=$cache/$key
    if ! are_kept "$text"; then
        check_search
        lock_cache
        if ! are_kept "$text"; then # another dbfs may have made them meanwhile
            keep_shards "$text"
            made=true
        fi
        exec {lock}<&-
    fi
    ! $verbose || $made || echo "$prog: shards are in $graph" >&2
}

clean() {
    local folder
    for folder in "$work" "$scratch"; do [ -z "$folder" ] || rm -rf "$folder"; done
    if [ -d "$cache" ]; then rmdir "$cache" 2>/dev/null || true; fi # where nothing was kept
}

# ---- searching ----

run_search() { # DIR
    local command=(dbfs-traverse "${both[@]}" "${quiet[@]}" "${force[@]}" "${search[@]}" "$1")
    [ -z "$ranks" ] || command=(mpiexec -n "$ranks" "${command[@]}")
    show "${command[@]}"
    "${command[@]}"
}

refuse_cache() { # DIR, where shards are expected
    local made
    for made in "$1/shards" "$1"/*/shards; do
        [ -e "$1/manifest" ] || [ ! -e "$made/manifest" ] ||
            die 2 "$1: is where dbfs keeps shards: give the file that they are of, or $made"
    done
}

parse "$@"
trap clean EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
keep_roots
if [ ${#files[@]} = 1 ] && [ -d "${files[0]}" ]; then
    refuse_cache "${files[0]}"
    run_search "${files[0]}"
    exit
fi
for file in "${files[@]}"; do
    [ "$file" = - ] || [ -r "$file" ] || die 1 "$file: cannot read it"
done
: "${shards:=${ranks:-1}}"
find_shards
! $compact || search+=(--map "$graph/graph.map")
run_search "$graph/shards"
