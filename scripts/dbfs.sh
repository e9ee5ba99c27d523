#!/bin/bash
# dbfs: goes from a graph in a file to the distances of its vertices, in one command; see dbfs(1).
#
# edgeconv and dbfs-pack make shards, and dbfs-traverse searches them. Shards of regular files are kept in CACHE/KEY.
# KEY is a digest of all that they depend on: the paths, inodes, sizes and times of the files and of those that belong to
# them (NAME.properties beside NAME.graph of WebGraph), the options, and the version.
# The folder gets that name when the shards are complete. One dbfs at a time makes shards in CACHE, and others wait:
# otherwise each would pack the file, and replace shards that another one reads. FILE.dbfs, which nobody has asked for, is
# used where only the user and root can write.
#
# A pipe (standard input, <(...), a fifo) can be read only once. edgeconv opens it, looks at its first bytes and goes
# on from there; this script never does. Only reading shows the content of a pipe, so its shards are not kept.
set -euo pipefail

# A closed descriptor would become that of another file. Standard output then fails, as it would have done.
[ -e /dev/fd/0 ] || exec </dev/null
[ -e /dev/fd/1 ] || exec 1</dev/null
[ -e /dev/fd/2 ] || exec 2>/dev/null
# Numbers have a point in every language, and keys of shards are the same. Only show() has the letters of the user's.
language=${LC_ALL:-${LC_CTYPE:-${LANG:-C}}}
export LC_ALL=C DBFS_NAMES= DBFS_NOTES=

prog=dbfs version='rmatgen (dbfs) @VERSION@' # of all programs; keys have these words
bin=$0
case $bin in
*/*) [ ! -L "$bin" ] || bin=$(readlink -f "$bin") ;;
*) bin=$(readlink -f "$bin") ;; # it runs as `bash dbfs`
esac
PATH=${bin%/*}:$PATH
# Waiting threads sleep soon, as the programs of a pipe share the cores.
[ -n "${OMP_WAIT_POLICY+set}" ] || export GOMP_SPINCOUNT="${GOMP_SPINCOUNT-1000}"
action=search # or: list, clean
files=() beside=() parts=() convert=() pack=() both=() search=() results=() kinds=()
cache='' keep=true shards='' ranks='' compact=false map='' undirected=(-u) lines='' asked='' verbose=false force=() quiet=() details=()
roots_from='' pairs='' targets='' program=dbfs-traverse mode='' serving=false clean_all=false distribute=false
making=()          # options without effect on shards that are made
# folders of this run alone: shards in the making; all other files
work='' scratch=''
place='' implied=true made_place=false # the folder of kept shards; without --cache; this run has made it
lock=''            # of this folder: a file descriptor
reason=''          # why something failed

usage() {
    cat <<EOF
usage: dbfs [OPTION...] FILE...
       dbfs [OPTION...] DIR
       dbfs --cache-list | --cache-clean[=all] [--cache DIR] [FILE...]
Searches the graph in FILE (several are read one after the other; '-' is standard input) from some of its
vertices. Shards are made first, kept in FILE.dbfs unless FILE is a pipe, and used again. DIR is a folder
of shards, or of kept ones.

  -r, --roots ROOT       search from these vertices; without -r from 64 sampled ones
      --serve            or from the root on each line of standard input, as it comes
      --target VERTEX    or look for the distance from ROOT to this vertex; --path: and a shortest path
  -o, --output FILE      hop distances: .npy, .csv or text; %d becomes the root; '-' is standard output
      --list-reached FILE
                         the vertices that are reached alone, and their distances, the nearest first
      --max-depth D      end at distance D
      --components       find the connected components instead: how many, how large; -o FILE: that of each vertex
      --diameter         find the largest distance instead; --radius, --all FILE: and all eccentricities
      --compact[=MAP]    ids are words, or numbers of any size: roots and results are names too; MAP keeps the names
      --direction D      once (the default): each line is an undirected edge; symmetric: each edge
                         is there as u v and as v u; directed: an edge leads from u to v alone
      --reverse          of a directed graph, search against its edges
      --cache DIR        keep shards in DIR; --no-cache keeps none
      --cache-list       print which graphs are kept, of which files, since when, and in how many bytes
      --cache-clean      remove the kept graphs whose file has changed or is gone; =all: those of FILE, too
  -p, --shards P         number of shards (default: that of the ranks)
      --ranks R          search with R processes, through mpiexec
  -q, --quiet            no notes, and no line about the search
  -v, --verbose          show the commands that are run, and all that they print
      --force            replace result files that exist
  -h, --help[=all]  --version

Options of edgeconv, dbfs-pack, dbfs-traverse and dbfs-paths (--pairs ...) are passed on, and -S -T -@ -q go to
all; with --batch N, --centrality, --reached, --hops or --targets FILE, dbfs-batch searches from
many roots at once. 'dbfs --help=all' lists every option; dbfs(1) explains them.
EOF
}

# PROGRAM OPTIONS: prints the lines of the program's --help on the options
describe_options() {
    echo && echo "Of $1:"
    "$1" --help=all | awk -v options="${2//$'\n'/ }" '
        match($0, /^ +(-[^-], )?--[a-z0-9-]+/) {
            name = substr($0, RSTART, RLENGTH)
            sub(/.*--/, "--", name)
            shown = index(options, " " name " ") || index(options, " " name "=") || index(options, " " name "?")
        }
        !/^        / && !/^ +-/ { shown = 0 } # mawk knows no / {8}/
        shown'
}

usage_of_all() {
    usage
    describe_options edgeconv "$of_edgeconv"
    describe_options dbfs-pack "$of_pack"
    describe_options dbfs-traverse "$of_search"
    describe_options dbfs-paths "$of_paths"
    describe_options dbfs-batch "$of_batch"
    describe_options dbfs-diameter "$of_diameter"
    describe_options dbfs-components "$of_components"
}

die() { # STATUS MESSAGE
    echo "$prog: $2" >&2
    exit "$1"
}

# TEXT: on standard output. As with the other programs a closed pipe needs no word, and a full disk is exit status 5.
print() {
    local why out
    exec {out}>&1
    why=$(printf '%s\n' "$1" 2>&1 >&$out) && exec {out}>&- && return
    case $why in
    '' | *'Broken pipe') exit 1 ;;
    *'No space left on device' | *'Disk quota exceeded') die 5 "standard output: cannot write: ${why##*: }" ;;
    *) die 1 "standard output: cannot write: ${why##*: }" ;;
    esac
}

@include tools/report/similar.sh
@include tools/report/outfile.sh

# ---- command line ----

# The options of dbfs itself, and those of the programs that it runs: with = behind them if they have a value, with ? if they may
# have one. What no case of take_value and take_flag names is passed on as it is.
own=' --roots= --root= --target= --output= --compact? --direction= --reverse --cache= --no-cache --cache-list --cache-clean?
    --shards= --ranks= --quiet --verbose --force --help? --version --memory= --tmpdir= --threads= --undirected '
of_edgeconv=' --from= --columns= --separator= --comments= --vertices= --one-based --base= --member= --entry= --randomize? '
of_pack=' --threshold= --heads= --encoding= --rows= --suggest= --for= --links= '
of_search=' --count= --roots-from= --together --serve --map= --seed= --warm-up= --depths= --parents= --nearest= --list-reached= --json=
    --result-format= --in-place --device-answers --answer= --depths-width= --parents-width= --trace= --breakdown --count-pairs --max-depth= --factor0= --factor1=
    --stepped --reduction= --local-all2all --uniquify --chunk= --exchange-form= --exchange-memory= --shards-per-rank= --backend=
    --resident= --no-check --trust --timeout= '
of_paths=' --pairs= --path --one-sided --distribute '
of_diameter=' --diameter --radius --all= --every --searches= '
of_components=' --components --strong --sizes= --histogram= --largest= '
of_batch=' --targets= --batch= --centrality= --sample= --reached= --hops= --resume --no-checksum --distribute '

# WORD: sets `option` to the long option that WORD is, or that alone begins so, and `takes` to =, ? or nothing (above)
find_option() {
    local name found=()
    # shellcheck disable=SC2086 # the words of the lists
    for name in $own $of_edgeconv $of_pack $of_search $of_paths $of_batch $of_diameter $of_components; do
        if [ "${name%[=?]}" = "$1" ]; then found=("$name") && break; fi
        if [[ $name == "$1"* && " ${found[*]} " != *" $name "* ]]; then found+=("$name"); fi
    done
    [ "$1" != --directed ] || die 2 '--directed: is no option: it is --direction directed'
    case ${#found[@]} in
    0) die 2 "$1: is no option$(did_you_mean "$1" <<<"$own $of_edgeconv $of_pack $of_search $of_paths $of_batch $of_diameter $of_components"): see --help" ;;
    1) option=${found[0]%[=?]} takes=${found[0]#"${found[0]%[=?]}"} ;;
    *) die 2 "$1: is ambiguous: ${found[*]%[=?]}" ;;
    esac
    [ "$option" != --root ] || option=--roots
}

# OPTION LIST: succeeds if the list has it
has() { [[ " ${2//$'\n'/ } " == *" $1"[=?\ ]* ]]; }

# NAME OPTION VALUE: appends an option with its value, as "--option=value" or two words, to the array NAME
pass() {
    local -n into=$1
    if [[ $2 == --* ]]; then into+=("$2=$3"); else into+=("$2" "$3"); fi
}

take_direction() { # VALUE: --direction of edgeconv, or of dbfs-traverse
    case $1 in
    once | symmetric | directed)
        [ -z "$lines" ] || [ "$lines" = "$1" ] || die 2 "--direction $lines and --direction $1 contradict each other"
        lines=$1
        ;;
    esac
    case $1 in
    once) undirected=(-u) asked=undirected ;;
    symmetric) undirected=(--direction symmetric) asked=undirected ;;
    directed) undirected=(--direction directed) asked=directed ;;
    auto | push | pull | cost) search+=(--direction "$1") ;;
    *) die 2 "--direction: '$1' is not once, symmetric or directed, nor auto, push, pull or cost" ;;
    esac
}

# FILE: succeeds if this names the standard output, by whatever links and folders
is_standard_output() {
    local file=$1 folder links=0
    while :; do
        folder=.
        case $file in */*) folder=${file%/*}/ ;; esac
        [ "${file##*/}" != 1 ] || [ ! "$folder" -ef /proc/self/fd ] || return 0
        [ -L "$file" ] && [ $((links++)) -lt 40 ] || return 1
        file=$(readlink -n -- "$file" && echo .)
        file=${file%.}
        case $file in /*) ;; *) file=$folder/$file ;; esac
    done
}

take_result() { # OPTION FILE WHAT-IT-HOLDS
    local i file=$2
    [ -n "$file" ] || die 2 "$1: the name of the file is empty"
    for i in "${!kinds[@]}"; do
        [ "${kinds[i]}" != "$3" ] || die 2 "$file: is to have the $3, and so is ${results[i]}: one file takes them"
    done
    ! is_standard_output "$file" || file=- # not that of a program that is started
    search+=("$1=$file") results+=("$file") kinds+=("$3")
}

take_map() { # FILE: of --compact
    [ -n "$1" ] && [ "$1" != - ] && ! is_standard_output "$1" || die 2 '--compact: the map needs a file of its own'
    [ -z "$map" ] || die 2 "$1: is to have the names, and so is $map: one file takes them"
    compact=true map=$1 making+=(--compact)
}

# PROGRAM OPTION: the program searches, as the option is its own. Only dbfs-batch takes a --target beside its own options.
choose() {
    [ $program = dbfs-traverse ] || [ $program = "$1" ] || [ "$program $mode $1" = 'dbfs-paths --target dbfs-batch' ] ||
        die 2 "$mode and $2 exclude each other"
    program=$1 mode=$2
}

take_value() { # OPTION VALUE
    case $1 in
    -o | --output | --depths) take_result --depths "$2" distances ;;
    --parents) take_result "$1" "$2" parents ;;
    --json) take_result "$1" "$2" report ;;
    --trace) take_result "$1" "$2" trace ;;
    --nearest) take_result "$1" "$2" 'nearest roots' ;;
    --list-reached) take_result "$1" "$2" 'reached vertices' ;;
    --centrality) choose dbfs-batch "$1" && take_result "$1" "$2" centrality ;;
    --reached) choose dbfs-batch "$1" && take_result "$1" "$2" 'vertices reached' ;;
    --hops) choose dbfs-batch "$1" && take_result "$1" "$2" 'vertices at each distance' ;;
    --sizes) choose dbfs-components "$1" && take_result "$1" "$2" 'sizes of components' ;;
    --histogram) choose dbfs-components "$1" && take_result "$1" "$2" 'numbers of components' ;;
    --largest) choose dbfs-components "$1" && take_result "$1" "$2" 'largest component' ;;
    --all) choose dbfs-diameter "$1" && take_result "$1" "$2" eccentricities ;;
    --cache) cache=$2 implied=false making+=("$1") ;;
    -p | --shards) shards=$2 making+=("$1") ;;
    --ranks) ranks=$2 ;;
    --roots-from) roots_from=$2 ;;
    --target)
        [ $program = dbfs-batch ] || choose dbfs-paths "$1"
        pass search "$1" "$2"
        ;;
    --pairs) choose dbfs-paths "$1" && pairs=$2 ;;
    --targets) choose dbfs-batch "$1" && targets=$2 ;;
    --direction) take_direction "$2" ;;
    -S | --memory) both+=(-S "$2") ;;
    -T | --tmpdir) both+=(-T "$2") ;;
    -@ | --threads) both+=(-@ "$2") ;;
    -f | --from) convert+=(-f "$2") making+=("$1") ;;
    -t | --threshold) pack+=(-t "$2") making+=("$1") ;;
    -[rng] | --roots) pass search "$1" "$2" ;;
    *) pass_on "$1" "$1=$2" ;;
    esac
}

# OPTION WORD: the word is the option, with its value if it has one; it goes to the program whose option it is
pass_on() {
    if has "$1" "$of_edgeconv"; then
        convert+=("$2") making+=("$1")
    elif has "$1" "$of_pack"; then
        pack+=("$2") making+=("$1")
    else
        ! has "$1" "$of_paths" || choose dbfs-paths "$1"
        ! has "$1" "$of_batch" || choose dbfs-batch "$1"
        ! has "$1" "$of_components" || choose dbfs-components "$1"
        ! has "$1" "$of_diameter" || choose dbfs-diameter "$1"
        search+=("$2")
    fi
}

take_flag() { # OPTION, or OPTION=VALUE
    case $1 in
    -h | --help) print "$(usage)" && exit 0 ;;
    --help=all) print "$(usage_of_all)" && exit 0 ;;
    --help=*) die 2 "--help: '${1#*=}' is not all" ;;
    --version) print "$(dbfs-traverse --version)" && exit 0 ;;
    -q | --quiet) quiet=(-q) ;;
    -v | --verbose) verbose=true details=(-v) ;;
    -u | --undirected) take_direction once ;;
    --components) choose dbfs-components "$1" ;;
    --compact) compact=true making+=("$1") ;;
    --compact=*) take_map "${1#*=}" ;;
    --no-cache) keep=false making+=("$1") ;;
    --cache-list) action=list ;;
    --cache-clean) action=clean ;;
    --cache-clean=all) action=clean clean_all=true ;;
    --cache-clean=*) die 2 "--cache-clean: '${1#*=}' is not all" ;;
    --force) force=(--force) ;;
    --serve) serving=true && search+=("$1") ;;
    --distribute) distribute=true && search+=("$1") ;; # of two programs, which other options tell apart
    *) pass_on "${1%%=*}" "$1" ;;
    esac
}

# WORD NEXT-WORD...: takes a long option, and sets `taken` to the number of words that it has
take_long_option() {
    local option takes
    find_option "${1%%=*}"
    taken=1
    case $takes,$1 in
    ,*=*) die 2 "$option: takes no value" ;;
    '=',*=*) take_value "$option" "${1#*=}" ;;
    '=',*)
        [ $# -ge 2 ] || die 2 "$option: needs a value"
        take_value "$option" "$2"
        taken=2
        ;;
    '?',*=*) take_flag "$option=${1#*=}" ;;
    *) take_flag "$option" ;;
    esac
}

take_files() { # FILE...: arguments after --, which may begin with -
    local file
    for file in "$@"; do
        case $file in -?*) file=./$file ;; esac
        files+=("$file")
    done
}

# Lists in `beside` the files that are read with the graph where they exist, and in `parts` those that it depends on.
find_beside() {
    local file kind name named=()
    for file in "${files[@]}"; do # that may have any
        [[ $file != *.graph ]] && [ ! -L "$file" ] || named+=("$file")
    done
    [ ${#named[@]} != 0 ] || return 0
    while IFS= read -r -d '' kind && IFS= read -r -d '' name; do
        beside+=("$name")
        [ "$kind" != graph ] || [ ! -e "$name" ] || parts+=("$name")
    done < <(edgeconv --beside -- "${named[@]}" 2>/dev/null)
}

# FILE FILE: succeeds if both are one, which need not exist
are_same() {
    [ "$1" -ef "$2" ] || { [ ! -e "$1" ] && [ ! -e "$2" ] && [ "$(realpath -m -- "$1")" = "$(realpath -m -- "$2")" ]; }
}

# Results must not replace the graph, not even with --force, nor may what this script prints be appended to it.
refuse_inputs() {
    local file result
    for file in "${files[@]}" "${beside[@]}"; do
        for result in "${results[@]}" "${map:--}"; do
            [ "$result" = - ] || ! are_same "$result" "$file" || die 2 "$result: is the graph: results need a file of their own"
        done
    done
    refuse_appending "${files[@]}" "${beside[@]}" ${roots_from:+"$roots_from"} ${pairs:+"$pairs"} ${targets:+"$targets"}
}

parse() {
    local taken
    while [ $# -gt 0 ]; do
        case $1 in
        --) shift && take_files "$@" && break ;;
        '' | - | [!-]*) files+=("$1") ;;
        --*)
            take_long_option "$@"
            shift $((taken - 1))
            ;;
        -[qvuh]) take_flag "$1" ;;
        -[qvuh]?*) set -- '' "${1:0:2}" "-${1:2}" "${@:2}" ;; # options without values, in one word
        -[rnpfotgST@]?*) take_value "${1:0:2}" "${1:2}" ;;
        -[rnpfotgST@])
            [ $# -ge 2 ] || die 2 "$1: needs a value"
            take_value "$1" "$2"
            shift
            ;;
        *) die 2 "$1: is no option: see --help" ;;
        esac
        shift
    done
}

# Refuses what the command line has too little or too much of, and finds the files that belong to the graph.
check_command() {
    [ ${#files[@]} -gt 0 ] || die 2 "which graph? FILE is missing ('-' is standard input; see --help)"
    [[ ${ranks:-1} =~ ^[1-9][0-9]*$ ]] || die 2 "--ranks $ranks: expected a number"
    [ "${PMI_SIZE:-${OMPI_COMM_WORLD_SIZE:-1}}" = 1 ] || die 2 'is not for mpiexec, but starts it: --ranks R'
    [ -z "$ranks" ] || command -v mpiexec >/dev/null ||
        die 1 '--ranks: mpiexec is not in PATH: it comes with an MPI (package mpich)'
    $implied || [ -n "$cache" ] || die 2 '--cache: the name of the folder is empty'
    $implied || $keep || die 2 '--cache and --no-cache contradict each other'
    find_beside
    refuse_inputs
}

# Refuses options that the program of this mode has not, in the words of the command line. Called before any pipe is read.
check_mode() {
    local known word name
    ! $distribute || [ $program = dbfs-paths ] || choose dbfs-batch --distribute
    [ $program != dbfs-traverse ] || return 0
    known=$("$program" --help=all)
    for word in "${search[@]}" ${roots_from:+--roots-from} ${pairs:+--pairs} ${targets:+--targets}; do
        name=${word%%=*}
        [[ $name == --* || $name == -[rng] ]] || continue
        [ "$program $name" != 'dbfs-components --depths' ] || continue # its -o
        if ! grep -qE -- "^ +(-., )?$name([] ,=[]|$)" <<<"$known"; then
            [ $name != --depths ] || name=-o
            die 2 "$name is not for $mode: man $program"
        fi
    done
}

# FILE: says before anything else that a file cannot be read, with the system's reason
check_input() {
    local reason
    case $1 in
    -) return ;;
    '') die 2 'FILE: the name is empty' ;;
    http://* | https://* | ftp://*) [ -e "$1" ] || die 2 "$1: is a URL, not a file: use \`curl -fL '${1//\'/\'\\\'\'}' | $prog -\`" ;;
    esac
    [ -e "$1" ] || reason=$(LC_ALL=C stat -L -- "$1" 2>&1 >/dev/null) || {
        reason=${reason##*: }
        [[ ! $1 =~ ^[0-9]+$ ]] || reason="$reason; several roots are one word: -r A,B"
        die 1 "$1: cannot read it: $reason"
    }
    [ -r "$1" ] || die 1 "$1: cannot read it: Permission denied"
}

# ---- processes ----

# WORD...: starts a program in the background, so that a signal ends this script at once, and the program with it. The
# program ignores Ctrl-C, which the terminal sends to all, and leaves it to this script.
start() {
    (trap '' INT && exec "$@") <&0 &
}

finish() { # PROCESS: returns its exit status
    local status=0
    wait "$1" 2>/dev/null || status=$? # bash says so where it has lost the process
    return $status
}

# Ends all programs in the background. bash knows each from the moment it begins: a signal may come before a line could note it. A
# shell that is about to become a program may lose a signal, and so gets it again; a program gets it once, and ends in its own time.
stop() {
    local process
    for process in $(jobs -pr); do
        while [ "/proc/$process/exe" -ef /proc/$$/exe ] && kill -TERM "$process"; do sleep .01; done
        kill -TERM "$process" || true
    done 2>/dev/null
    wait 2>/dev/null || true
}

clean() {
    local folder
    for folder in "$work" "$scratch"; do [ -z "$folder" ] || rm -rf "$folder"; done
    if $made_place && [ ! -e "${graph:-}" ]; then remove_empty_place; fi # nothing was kept
}

# ---- names in messages ----

# Sets `of_files` to FILE, or to what is said of several, or of standard input.
name_files() {
    of_files=${files[0]}
    [ "$of_files" != - ] || of_files='standard input'
    [ ${#files[@]} = 1 ] || of_files+=" and $((${#files[@]} - 1)) more"
}

# PATH NAME: messages of the programs have the name that the user gave in place of a path of this script. By
# $DBFS_NAMES programs also know that dbfs runs them (formats/base/dbfs_words.h).
name() {
    export DBFS_NAMES+="$1"$'\n'"${2//$'\n'/?}"$'\n'
}

end_by() { # SIGNAL: ends the script by it, as it ends any other program
    trap '' INT TERM HUP
    exec 2>/dev/null # hides bash's messages about its children
    stop
    clean
    trap - EXIT "$1"
    kill -s "$1" $$
}

# ---- shards ----

words() { # WORD...: prints the words as a shell would read them
    local text
    printf -v text ' %q' "$@"
    printf %s "${text# }"
}

show() { # WORD...: prints a command, with -v
    local text
    $verbose || return 0
    text=$({ LC_ALL=$language && words "$@"; } 2>/dev/null)
    echo "$prog: ${text/ \\| / | }" >&2
}

# FILE: prints the folder that it is in, without links; dirname and realpath would take longer to start
folder_of() (
    folder=.
    case $1 in */*) folder=${1%/*}/ ;; esac
    CDPATH='' cd -P -- "$folder" && printf %s "$PWD"
)

# Prints path, inode, size and times of a file.
identity() {
    local real
    if [ -L "$1" ]; then real=$(realpath -- "$1") || return; else real=$(folder_of "$1") && real=${real%/}/${1##*/} || return; fi
    printf '%s ' "$real" && stat -L -c '%d %i %s %y %z' -- "$1"
}

describe() { # prints all that the shards depend on
    local file
    for file in "${files[@]}" "${parts[@]}"; do identity "$file" || exit 1; done
    printf edgeconv && printf ' %q' "${undirected[@]}" "${convert[@]}" && echo " compact $compact"
    printf dbfs-pack && printf ' %q' -p "$shards" "${pack[@]}" && echo
    echo "$version"
}

# Succeeds if FILE can be read again from its start. Any other file is left to the one program that reads it.
is_regular() { [ "$1" != - ] && [ -f "$1" ]; }

are_regular() { # succeeds if all FILEs are
    local file
    for file in "${files[@]}"; do is_regular "$file" || return 1; done
}

# Succeeds if the regular FILE is an edge stream with the direction of --direction, whose bytes are in SPEC-edges.md.
is_ready_stream() {
    local start
    IFS= read -r -N 8 start <"$1" && [ "$start" = DBFSEDGE ] || return 1
    start=$(head -c 16 -- "$1" | od -An -v -tx1 | tr -d ' \n')
    case "${undirected[*]} $start" in
    '-u '44424653454447450[12]0000000[01]000000 | '--direction directed 44424653454447450'[12]00000002000000) ;;
    *) return 1 ;;
    esac
} 2>/dev/null

# Succeeds if dbfs-pack can read all FILEs several times, and edgeconv would change nothing.
are_ready() {
    local file
    ! $compact && [ ${#convert[@]} = 0 ] && are_regular || return 1
    for file in "${files[@]}"; do is_ready_stream "$file" || return 1; done
}

# WORDS -- WORDS: edgeconv into dbfs-pack, through a pipe that stays open until edgeconv has ended well. Otherwise dbfs-pack is stopped, and so does not complain about a stream without an end: again and again, as a
# shell that is about to become a program forgets a signal. (Bash now and then loses the exit status of `> >(...)`.)
convert_and_pack() {
    local from=() pipe both in out packer status=0 packed=0
    while [ "$1" != -- ]; do from+=("$1") && shift; done
    shift
    show "${from[@]}" '|' "$@"
    make_scratch
    pipe=$scratch/pipe
    mkfifo "$pipe" || exit
    { exec {both}<>"$pipe" {in}>"$pipe" {out}<"$pipe" {both}>&-; } 2>/dev/null || # open at both ends, so that no open waits
        die 1 'cannot open a pipe: too few files may be open (ulimit -n)'
    (exec {in}>&- && trap '' INT && name 'standard input' "$of_files" && exec "$@") <&"$out" &
    packer=$!
    exec {out}<&-
    start "${from[@]}" >&"$in"
    finish $! || status=$?
    while [ $status != 0 ] && kill -TERM "$packer" 2>/dev/null; do sleep .01; done
    exec {in}>&-
    finish "$packer" || packed=$?
    case $packed in
    0 | 127 | 143) [ $status = 0 ] || exit $status ;; # the fault was not dbfs-pack's
    esac
    [ $packed = 0 ] || exit $packed
}

# FOLDER: makes shards in an empty folder. Programs also write what they note about the files to $scratch/notes.
make_shards() {
    local notes='' map=() to=(dbfs-pack -p "$shards" "${pack[@]}" "${both[@]}" "${quiet[@]}" "${details[@]}" -o "$1/shards")
    make_scratch
    { exec {notes}>"$scratch/notes"; } 2>/dev/null || notes=''
    local -x DBFS_NOTES=$notes
    ! $compact || map=("--compact=$1/graph.map")
    if are_ready; then
        show "${to[@]}" "${files[@]}"
        start "${to[@]}" "${files[@]}"
        finish $! || exit
    else
        convert_and_pack edgeconv "${undirected[@]}" "${convert[@]}" "${map[@]}" "${both[@]}" "${quiet[@]}" "${details[@]}" \
            "${files[@]}" -- "${to[@]}" -
    fi
    [ -z "$notes" ] || exec {notes}>&-
}

# FOLDER of shards that were made: keeps the first notes there, for the searches to come. Such a search may name the files otherwise,
# as it runs in another folder: a note has the place of its file among all, between two bytes 1.
keep_notes() {
    local i more notes=()
    [ -s "$scratch/notes" ] || return 0
    mapfile -t -n 20 notes <"$scratch/notes"
    more=$(($(wc -l <"$scratch/notes") - ${#notes[@]}))
    [ $more = 0 ] || notes+=("$prog: there are $more more notes: --no-cache makes the shards again, and prints all")
    for i in "${!files[@]}"; do notes=("${notes[@]//": ${files[i]}: "/": "$'\1'"$i"$'\1'": "}"); done
    (set -o noclobber && printf '%s\n' "${notes[@]}" >"$1/notes") 2>/dev/null || true
}

# FOLDER NAME...: says again what was noted about the files, which have these names, when the shards in the folder were made
say_notes() {
    local place=$1/notes i line lines=()
    shift
    [ ${#quiet[@]} = 0 ] && [ -f "$place" ] && [ ! -L "$place" ] && [ -r "$place" ] || return 0
    mapfile -t -n 21 lines < <(head -c 65536 -- "$place" | tr -d '\0') # another user may have written them
    for line in "${lines[@]}"; do
        for ((i = 0; i < $#; i++)); do line=${line//$'\1'$i$'\1'/"${@:i+1:1}"}; done
        line=${line//$'\302'[$'\200'-$'\237']/?} # control characters of ISO 8859-1, in UTF-8
        printf '%s\n' "${line//[$'\1'-$'\b'$'\n'-$'\37'$'\177']/?}" >&2 # tabs stay, as in the programs
    done
}

# NAME LINE: sets NAME to the path in the first line of a key, which ends with nine words of inode, size and times
path_of() {
    printf -v "$1" %s "${2% * * * * * * * * *}"
}

# KEY: removes older shards of the same file: those of another content, and those left by a process that has ended
remove_stale() {
    local folder own line path own_path
    IFS= read -r own <"$1"
    path_of own_path "$own"
    for folder in "$place"/*; do
        case $folder in
        *.making."$HOSTNAME".*) kill -0 "${folder##*.}" 2>/dev/null || rm -rf "$folder" ;;
        *.making.*) ;; # a process of another host, which cannot be seen here
        *)
            [ -f "$folder/key" ] && IFS= read -r line <"$folder/key" || continue
            path_of path "$line"
            [ "$path" != "$own_path" ] || [ "$line" = "$own" ] || rm -rf "$folder"
            ;;
        esac
    done 2>/dev/null # what is another user's stays
}

# FOLDER: succeeds if dbfs has made this set of kept shards: the folder is named by the digest of its key
is_set() {
    local key=$1/key digest
    [[ ${1##*/} =~ ^[0-9a-f]{16}$ ]] && [ -d "$1" ] && [ ! -L "$1" ] && [ -f "$key" ] && [ ! -L "$key" ] && [ -r "$key" ] || return 1
    digest=$(sha256sum <"$key") && [ "${digest:0:16}" = "${1##*/}" ]
}

# FOLDER of a set: sets `of` to the lines of its key on files, `how` to the commands that made it, `by` to the version
read_key() {
    local line
    of=() how='' by=''
    while IFS= read -r line; do
        case $line in
        /*) of+=("$line") ;;
        'edgeconv '*) how=${line% compact *} && [ "${line##* }" = false ] || how+=' --compact' ;;
        'dbfs-pack '*) how+=" | $line" ;;
        *) by=$line ;;
        esac
    done <"$1/key"
}

# FOLDER of a set: prints why it is not used for its files any more; prints nothing if it is used
why_stale() {
    local of how by line path
    [ -r "$1/key" ] || return 0
    read_key "$1"
    for line in "${of[@]}"; do
        path_of path "$line"
        [ -e "$path" ] || { echo "$path is gone" && return; }
        [ "$(identity "$path")" = "$line" ] || { echo "$path has changed" && return; }
    done
    [ "$by" = "$version" ] || { echo "version ${by##* } made it" && return; }
    dbfs-pack --list "$1/shards" >/dev/null 2>&1 || echo 'cannot be read'
}

# FOLDER: prints the bytes of the files in it
bytes_in() { find "$1" -type f -printf '%s\n' | awk '{ sum += $1 } END { printf "%.0f\n", sum }'; }

# FOLDER: succeeds if this was left by a dbfs of this host that ended while it made shards
is_left() {
    local name=${1##*/}
    [[ $name =~ ^[0-9a-f]{16}\.making\. && $name == *.making."$HOSTNAME".* && ${name##*.} =~ ^[0-9]+$ ]] &&
        [ -d "$1" ] && [ ! -L "$1" ] && ! kill -0 "${name##*.}" 2>/dev/null
}

# Sets `places` to the folders of kept shards that --cache and the files name, and `only` to the files whose shards count if
# they are in a folder of --cache.
find_places() {
    local file
    [ ${#search[@]} = 0 ] && [ ${#convert[@]} = 0 ] && [ ${#pack[@]} = 0 ] && [ -z "$ranks$shards" ] && ! $compact ||
        die 2 '--cache-list and --cache-clean take FILE, --cache and -q alone'
    places=() only=()
    $implied || places=("${cache%/}")
    for file in "${files[@]}"; do
        if ! $implied; then
            only+=("$(realpath -m -- "$file")")
        elif [ -d "$file" ] && [ ! -e "$file.dbfs" ]; then
            places+=("${file%/}")
        else
            places+=("${file%/}.dbfs")
        fi
    done
    [ ${#places[@]} != 0 ] || die 2 'which kept graphs? FILE or --cache DIR is missing'
}

# FOLDER of a set: succeeds if it is of the files in `only`
is_wanted() {
    local of how by path file
    [ ${#only[@]} != 0 ] || return 0
    read_key "$1"
    for file in "${only[@]}"; do
        path_of path "${of[0]:-}"
        [ "$path" != "$file" ] || return 0
    done
    return 1
}

list_kept() { # prints a line for each set of kept shards
    local place absolute reason unsafe folder of how by line path why names
    for place in "${places[@]}"; do
        [ -d "$place" ] || continue
        absolute=$(realpath -sm -- "$place")
        unsafe=''
        ! $implied || place=$absolute is_own "$absolute" || unsafe=$reason
        for folder in "$place"/*; do
            is_set "$folder" && is_wanted "$folder" || continue
            why=${unsafe:-$(why_stale "$folder")}
            read_key "$folder"
            names=()
            for line in "${of[@]}"; do path_of path "$line" && names+=("$path"); done
            printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$(words "$folder")" "$(bytes_in "$folder")" \
                "$(date -r "$folder/key" '+%Y-%m-%d %H:%M')" "${why:-current}" "$(words "${names[@]}")" "$how"
        done
    done
}

# FOLDER WHY: removes the folder, says so, and counts it in `removed` and `sum`
remove_folder() {
    local bytes
    bytes=$(bytes_in "$1")
    rm -rf -- "$1" || die 1 "$1: cannot be removed"
    sum=$((sum + bytes)) removed=$((removed + 1))
    [ ${#quiet[@]} != 0 ] || print "removed $(words "$1"): $bytes bytes: $2"
}

# FOLDER WHY: removes a set of kept shards (remove_folder). A set with anything that dbfs does not put there stays.
remove_set() {
    local other
    other=$(find "$1" -mindepth 1 -printf '%y %P\0' |
        grep -zvxE '[fd] (key|graph\.map|notes|shards|shards/manifest|shards/part-[0-9]+-of-[0-9]+\.dbfs)' | tr '\0' '\n') || true
    if [ -n "$other" ]; then
        other=${other#* }
        echo "$prog: $1: stays, as $(words "${other%%$'\n'*}") in it is not dbfs's" >&2
        return
    fi
    remove_folder "$@"
}

# Removes the kept shards that are not used any more, or with --cache-clean=all all of them, and what was left half made.
clean_kept() {
    local place folder why sum=0 removed=0 reason lock
    for place in "${places[@]}"; do
        [ -d "$place" ] || continue
        place=$(realpath -s -- "$place")
        ! $implied || is_own "$place" || die 1 "$place: nothing is removed there: $reason"
        cache=$place
        { exec {lock}<"$place"; } 2>/dev/null || die 1 "$place: cannot read it"
        wait_for_lock "$lock"
        for folder in "$place"/*; do
            if is_left "$folder"; then
                remove_folder "$folder" 'left half made'
            elif is_set "$folder" && is_wanted "$folder"; then
                why=$(why_stale "$folder")
                ! $clean_all || : "${why:=of $(words "${place%.dbfs}")}"
                [ -z "$why" ] || remove_set "$folder" "$why"
            fi
        done
        ! $implied || remove_empty_place
        unlock_place
    done
    [ ${#quiet[@]} != 0 ] || print "$removed removed: $sum bytes"
}

# Checks options and result files before hours of packing.
check_search() {
    local map=()
    ! $compact || map=(--map graph.map)
    start $program --dry-run "${both[@]}" "${force[@]}" "${search[@]}" "${map[@]}" shards
    finish $! || exit
}

# DIR: succeeds if ids of the input begin at 1, and those of the shards at 0: version 1.0.0 has made them, or --base 0 was given
counts_otherwise() {
    local text='' line=$'\n'
    { IFS= read -r -d '' text <"$1/manifest"; } 2>/dev/null || true
    [[ $line$text =~ $line"provenance "(format" "(matrix-market|metis|dimacs|pace|lg)|one-based)$line ]] &&
        ! [[ $line$text =~ $line("base 1"|"provenance ids made dense")$line ]]
}

are_kept() { # KEY-TEXT
    local text=''
    [ -f "$graph/key" ] && { IFS= read -r -d '' text <"$graph/key"; [ "$text" = "$1"$'\n' ]; } 2>/dev/null &&
        dbfs-pack --list "$graph/shards" >/dev/null 2>&1 &&
        { [[ " ${convert[*]}" == *' --base'* ]] || ! counts_otherwise "$graph/shards"; }
}

# FOLDER, `place` or the one above it: succeeds if nobody but the user and root may write to it or put another folder in
# its place. Whoever may do so could make links of the names under which files are made. In a sticky folder, such as /tmp,
# names stay their owner's.
is_own() {
    local folder=${1:-/} folders=() i=0 owner group mode
    while folders+=("$folder") && [ "$folder" != / ]; do folder=${folder%/*} && folder=${folder:-/}; done
    while read -r owner group mode; do
        folder=${folders[i++]}
        reason="$folder is another user's"
        [ "$owner" = $EUID ] || { [ "$owner" = 0 ] && [ "$folder" != "$place" ]; } || return 1
        reason="$folder is a link"
        [ ! -L "$folder" ] || return 1
        reason="others may write to $folder"
        mode=$((8#$mode))
        ((mode & 8#22)) || continue
        ((mode & 8#2)) || [ "$group" != "$(id -un 2>/dev/null)" ] || continue # the group is the user's alone
        ((mode & 8#1000)) && [ "$folder" != "$place" ] || return 1
    done < <(stat -c '%u %G %a' -- "${folders[@]}")
    reason="$1 cannot be looked at"
    [ $i = ${#folders[@]} ]
}

# Makes the folder of kept shards, unless it is there. Fails with a `reason`.
make_place() {
    local how=(mkdir)
    $implied && umask go-w || how+=(-p)
    if [ ! -d "$place" ]; then
        if reason=$(LC_ALL=C "${how[@]}" -- "$place" 2>&1); then
            made_place=true
        elif [ ! -d "$place" ]; then # otherwise another dbfs was faster
            reason=${reason##*: }
            return 1
        fi
    fi
    ! $implied || is_own "$place"
}

# FD: waits for the lock of the open folder. The kernel releases it when the process ends. Where a file system has no
# locks, two may make the same shards, and the second then fails.
wait_for_lock() {
    local status=0
    flock --nonblock "$1" 2>/dev/null || status=$?
    [ $status = 1 ] || return 0 # this process has the lock, or there are no locks
    [ ${#quiet[@]} != 0 ] || echo "$prog: $cache: another dbfs makes shards there: waiting for it" >&2
    start flock "$1" 2>/dev/null
    finish $! || true
}

# Waits until no other dbfs makes shards in the folder. One that kept nothing may have removed the folder meanwhile.
# Fails with a `reason`.
lock_place() {
    local folder
    while [ -z "$lock" ]; do
        make_place || return 1
        if ! { exec {folder}<"$place"; } 2>/dev/null; then
            [ -d "$place" ] || continue
            reason=$( (exec {folder}<"$place") 2>&1) || true
            reason=${reason##*: }
            : "${reason:=too few files may be open (ulimit -n)}"
            return 1
        fi
        wait_for_lock "$folder"
        if [ "$place" -ef "/dev/fd/$folder" ]; then lock=$folder; else exec {folder}<&-; fi
    done
}

unlock_place() {
    [ -z "$lock" ] || exec {lock}<&-
    lock=
}

# Only a process with the lock may remove the folder.
remove_empty_place() {
    local status=0 folder
    if [ -z "$lock" ]; then
        { exec {folder}<"$place"; } 2>/dev/null || return 0
        flock --nonblock "$folder" 2>/dev/null || status=$?
    fi
    [ $status = 1 ] || rmdir -- "$place" 2>/dev/null || true
}

# Makes the folder of shards in the making, under a new name. A folder of this name was left by a process that had this
# number. Fails with a `reason`.
make_work() {
    local folder=$place/$key.making.$HOSTNAME.$$
    [ ! -e "$folder" ] || rm -rf -- "$folder" 2>/dev/null
    reason=$(LC_ALL=C mkdir -- "$folder" 2>&1) && work=$folder && return
    reason=${reason##*: }
    return 1
}

keep_shards() { # TEXT-OF-KEY
    make_shards "$work"
    keep_notes "$work"
    (set -o noclobber && printf '%s\n' "$1" >"$work/key") 2>/dev/null || die 5 "$cache: cannot write the key of the shards"
    [ ! -e "$graph" ] || rm -rf -- "$graph" # an existing folder is incomplete
    mv -T -- "$work" "$graph" || exit
    work=
    remove_stale "$graph/key"
}

# Shards are made for this run alone, for this `reason`. With --cache this is an error.
keep_none() {
    $implied || die 1 "$cache: cannot keep shards there: $reason: --cache DIR names another folder, --no-cache none"
    echo "$prog: $cache: is not used, and the shards are not kept: $reason: --cache DIR names another folder" >&2
    unlock_place
    keep=false
}

# Sets `cache` and `place` to the folder of kept shards, which need not be there yet. Without one `keep` becomes false.
choose_place() {
    if $keep && ! are_regular; then
        $implied || die 2 "--cache: shards of a pipe are not kept, as only reading it tells its content"
        keep=false
    fi
    $keep || return 0
    case $cache in -*) cache=./$cache ;; esac # no option of mkdir
    place=$cache
    $implied || return 0
    cache=${files[0]%/}.dbfs
    place=$(folder_of "$cache")
    place=${place%/}/${cache##*/}
    if [ -e "$place" ] || [ -L "$place" ]; then is_own "$place"; else is_own "${place%/*}"; fi || keep_none
}

# Sets `scratch` to a new folder.
make_scratch() {
    [ -n "$scratch" ] || scratch=$(mktemp -d -- "${TMPDIR:-/tmp}/dbfs.XXXXXX" 2>/dev/null) ||
        die 1 "${TMPDIR:-/tmp}: cannot make a folder there: TMPDIR names another place"
    case $scratch in /*) ;; *) scratch=$PWD/$scratch ;; esac # awk takes a relative a=b/file for an assignment
}

# OPTION FILE: copies roots or pairs of a pipe to a file, as they are read twice: by the check before packing and by
# the search
keep_list() {
    local list=$2
    [ -n "$list" ] || return 0
    [ "$list" = - ] || [ -e "$list" ] || die 1 "$list: cannot read it: No such file or directory"
    if ! is_regular "$list"; then
        make_scratch
        list=$scratch/${1#--}
        if [ "$2" = - ]; then name "$list" 'standard input'; else name "$list" "$2"; fi
        start cat -- "$2" >"$list"
        finish $! || exit 1
    fi
    search+=("$1=$list")
}

# Sets `graph` to the folder of the shards, and of the map if there is one.
find_shards() {
    local key='' text='' mask
    choose_place
    if $keep; then
        text=$(describe)
        for graph in "$place"/*; do
            key=${graph##*/}
            [[ $key =~ ^[0-9a-f]{16}$ ]] && are_kept "$text" || continue
            ! $verbose || echo "$prog: shards are in $cache/$key" >&2
            say_notes "$graph" "${files[@]}"
            return
        done
        key=$(sha256sum <<<"$text")
        key=${key:0:16}
        graph=$place/$key
    fi
    mask=$(umask)
    check_search
    ! $keep || { lock_place && { are_kept "$text" || make_work; }; } || keep_none
    if ! $keep; then
        make_scratch
        graph=$scratch
        make_shards "$graph"
    elif [ -n "$work" ]; then
        keep_shards "$text"
    else # another dbfs has made them meanwhile
        ! $verbose || echo "$prog: shards are in $cache/$key" >&2
        say_notes "$graph" "${files[@]}"
    fi
    unlock_place
    umask "$mask"
}

# ---- searching ----

# FILE, standard output of dbfs-traverse or dbfs-batch: prints its searches in one line
in_a_line() {
    local i where=''
    for i in "${!results[@]}"; do where+="${where:+, }${kinds[i]} in ${results[i]}"; done
    WHERE=$where awk '
        function value(name) { match($0, " " name " [^ ]*"); return substr($0, RSTART + length(name) + 2, RLENGTH - length(name) - 2) }
        function range(low, high) { return low == high ? low : low " to " high }
        function take(of, x) { if (!count || x < low[of]) low[of] = x; if (!count || x > high[of]) high[of] = x }
        $1 == "vertices:" { n = $2 }
        $1 == "search_time:" { seconds = $2 } # batches have it
        $1 == "root" && $3 != "targets" {
            root = $2
            if (i = index($0, " name ")) root = substr($0, i + 6)
            if (match($0, / roots [0-9]+$/)) root = root " and " substr($0, RSTART + 7) - 1 " more together" # --together
            take("reached", value("reached") + 0)
            take("levels", value("levels") + 0)
            seconds += value(/ answer_s / ? "answer_s" : "time_s")
            count++
        }
        END {
            if (!count) { # searches from a sample have no lines, and searches for targets lines of their own
                sub(/^; /, "", ENVIRON["WHERE"])
                print ENVIRON["WHERE"]
                exit
            }
            printf "%s: %s of %s vertices reached, levels %s, %.3g s%s%s\n", count == 1 ? "root " root : count " roots",
                range(low["reached"], high["reached"]), n, range(low["levels"], high["levels"]), seconds / count,
                count == 1 ? "" : " each", ENVIRON["WHERE"] == "" ? "" : "; " ENVIRON["WHERE"]
        }' "$1"
}

# Sets `fate` to what becomes of the standard output of the search: "own" is this script's, "line" is told in one line.
choose_fate() {
    local file
    fate=line
    # lines of pairs, of a diameter, and of roots that are served, are an answer
    if $verbose || $serving || [[ $program = dbfs-@(paths|diameter) ]]; then fate=own; fi
    if ! $verbose && ! $serving && [ ${#quiet[@]} != 0 ] && [[ "$program ${#results[@]}" != dbfs-@(paths|diameter)' 0' ]]; then fate=none; fi
    for file in "${results[@]}"; do # a result on standard output stands alone there
        if [ "$file" = - ]; then fate=own && alone=true && return; fi
        if [ "$file" -ef /dev/fd/1 ]; then $verbose && fate=error || fate=none; fi
    done
}

# DIR: a note says where ids of the input are others in the shards
note_base() {
    [ ${#quiet[@]} != 0 ] || ! counts_otherwise "$1" ||
        echo "$prog: ids of what ${files[0]} was packed from begin at 1, and at 0 here: -r 1 is its second vertex" >&2
}

# Before hours of packing: the map of --compact=MAP needs a file that may be written, and none of the results
check_map() {
    local result
    [ -n "$map" ] || return 0
    for result in "${results[@]}"; do
        [ "$result" = - ] || ! are_same "$map" "$result" || die 2 "$map: is to have the names, and is a result, too"
    done
    check_file "$map" ${#force[@]}
    edgeconv --beside "--compact=$map" || exit
}

# A note for each array of vertices with names: which map has them
note_names() {
    local result where=$map
    [ ${#quiet[@]} = 0 ] && $compact || return 0
    if [ -z "$where" ] && $keep; then where=$graph/graph.map; fi
    for result in "${results[@]}"; do
        case $result in *.[nN][pP][yY] | *.[rR][aA][wW]) ;; *) continue ;; esac
        if [ -n "$where" ]; then
            echo "$prog: $result: value i is that of the vertex whose name is line i + 1 of $where" >&2
        else
            echo "$prog: $result: no map of its names is kept: --compact=MAP keeps one" >&2
        fi
    done
}

run_search() { # DIR
    local fate alone=false command=($program "${both[@]}" "${force[@]}" "${search[@]}" "$1")
    choose_fate
    if ! $verbose && { $alone || [ $fate = none ] || [ $program = dbfs-diameter ]; }; then command+=(-q); fi
    [ -z "$ranks" ] || command=(mpiexec -n "$ranks" "${command[@]}")
    show "${command[@]}"
    case $fate in
    own) start "${command[@]}" ;;
    error) start "${command[@]}" >&2 ;;
    none) start "${command[@]}" >/dev/null ;;
    line)
        make_scratch
        start "${command[@]}" >"$scratch/talk"
        ;;
    esac
    finish $! || exit
    [ $fate != line ] || print "$(in_a_line "$scratch/talk")"
}

# DIR: sets `graph` to the shards that are there: DIR itself, or the one set of them that dbfs keeps in it and uses for its file,
# or the one that it keeps. The map of names then goes with the search.
find_kept() {
    local sets=() current=() folder why of=() how by line path names=()
    graph=$1
    [ ! -e "$1/manifest" ] || return 0
    for folder in "$1" "$1"/*; do
        [ -e "$folder/shards/manifest" ] || continue
        sets+=("$folder")
        [ -n "$(why_stale "$folder")" ] || current+=("$folder")
    done
    [ ${#sets[@]} != 0 ] || return 0
    [ ${#current[@]} != 1 ] || sets=("${current[@]}")
    [ ${#sets[@]} = 1 ] || die 2 "$1: has ${#sets[@]} graphs: give a file that they are of, or a folder of \`dbfs --cache-list $(words "$1")\`:$(
        printf ' %s' "${sets[@]}")"
    folder=${sets[0]} graph=${sets[0]}/shards
    [[ ! -f "$folder/graph.map" || " ${search[*]}" == *' --map='* ]] || search+=("--map=$folder/graph.map")
    why=$(why_stale "$folder")
    [ -z "$why" ] || [ ${#quiet[@]} != 0 ] || echo "$prog: $graph: may be another graph than that of the file now: $why" >&2
    [ ! -r "$folder/key" ] || read_key "$folder"
    for line in "${of[@]}"; do path_of path "$line" && names+=("$path"); done
    say_notes "$folder" "${names[@]}"
}

# Finds the connected components of edge streams as they are, or of what edgeconv makes of the files. No shards are made.
find_components() {
    local i result from how=("${both[@]}" "${quiet[@]}" "${details[@]}")
    local to=(dbfs-components "${how[@]}" "${force[@]}" "${search[@]/#--depths=/--output=}")
    [ -z "$ranks$shards" ] && [ ${#pack[@]} = 0 ] || die 2 '--components makes no shards, and runs as one process: dbfs-components(1) has ranks'
    for result in "${results[@]}"; do [ "$result" = - ] || check_file "$result" ${#force[@]}; done
    if are_ready; then
        show "${to[@]}" "${files[@]}"
        start "${to[@]}" "${files[@]}"
        finish $! || exit
    elif ! $compact; then
        convert_and_pack edgeconv "${undirected[@]}" "${convert[@]}" "${how[@]}" "${files[@]}" -- "${to[@]}" -
    else # the names are known when all edges are
        make_scratch
        for i in "${!results[@]}"; do # text has them
            [[ ${kinds[i]} != distances || ${results[i]} == *.[nN][pP][yY] || ${results[i]} == *.[rR][aA][wW] ]] || to+=(--map "$scratch/graph.map")
        done
        from=(edgeconv "${undirected[@]}" "${convert[@]}" "${how[@]}" "--compact=$scratch/graph.map" -o "$scratch/graph.edges" "${files[@]}")
        show "${from[@]}"
        start "${from[@]}"
        finish $! || exit
        name "$scratch/graph.edges" "$of_files"
        show "${to[@]}" "$scratch/graph.edges"
        start "${to[@]}" "$scratch/graph.edges"
        finish $! || exit
        [ -z "$map" ] || put_file "$map" <"$scratch/graph.map"
        keep=false # no shards, and no map beside them
        note_names
    fi
}

# DIR: options of making shards would have no effect
refuse_making() {
    local hint='give the file that it is of'
    ! $compact || hint+=', or --map MAP for names'
    [ ${#making[@]} = 0 ] || die 2 "$1: is a folder of shards, which are not changed by ${making[*]}: $hint"
}

# DIR: shards keep the direction that they were packed with
refuse_other_direction() {
    local packed=undirected
    [ -n "$asked" ] && [ -r "$1/manifest" ] || return 0
    ! grep -qx 'input-direction directed' "$1/manifest" || packed=directed
    [ $packed = $asked ] ||
        die 2 "$1: was packed $packed, which --direction does not change: give the file that it is of"
}

parse "$@"
trap 'trap "" INT TERM HUP; clean' EXIT # all is done, or has failed: a signal in this moment changes neither
trap 'end_by INT' INT
trap 'end_by TERM' TERM
trap 'end_by HUP' HUP
if [ $action != search ]; then
    find_places
    if [ $action = clean ]; then
        clean_kept
    else
        kept=$(list_kept)
        [ -z "$kept" ] || print "$kept"
    fi
    exit
fi
check_command
name_files
for file in "${files[@]}"; do check_input "$file"; done
check_mode
keep_list --roots-from "$roots_from"
keep_list --pairs "$pairs"
keep_list --targets "$targets"
if [ $program = dbfs-components ]; then
    check_map
    find_components
    exit
fi
if [ ${#files[@]} = 1 ] && [ -d "${files[0]}" ]; then
    find_kept "${files[0]}"
    refuse_making "${files[0]}"
    refuse_other_direction "$graph"
    note_base "$graph"
    run_search "$graph"
    exit
fi
: "${shards:=${ranks:-1}}"
check_map
find_shards
name "$graph/shards" "$of_files"
name "$graph/graph.map" "$of_files"
! $compact || search+=(--map "$graph/graph.map")
[ -z "$map" ] || put_file "$map" <"$graph/graph.map"
run_search "$graph/shards"
note_names
