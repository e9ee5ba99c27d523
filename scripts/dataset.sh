#!/bin/bash
# dataset.sh: prepares one of the graphs of datasets/MANIFEST.tsv, from download to shards. --help says how.
#
# Each step is a shell command, which is printed and then run as printed. So --dry-run prints a script that does the
# same. A file gets its final name only when it is complete. A step whose result exists is skipped, so repeating the
# command continues an interrupted run. A file that fails its checks is renamed to FILE.bad, so that repeating the
# command downloads or makes it again. Files of --offline stay as they are.
#
# The table and lists that are downloaded name files and addresses, which become words of commands. `a_name` and
# `an_address` say what they may be: a name is no path, no option and nothing that a shell reads.
set -euo pipefail
export LC_ALL=C

prog=$(basename "$0")
root=$(cd "$(dirname "$(readlink -f "$0")")/.." && pwd)
table=$root/datasets/MANIFEST.tsv
[ -e "$table" ] || table=$root/share/dbfs/datasets/MANIFEST.tsv # the place of an installation
shards=1 downloads='' mirror='' direction='' last=shards dry=false offline=false named=false action=make
names=() making=() edge_options='' tool_options=''

usage() {
    cat <<EOF
usage: $prog [OPTION...] NAME DIR [-- EDGECONV-OPTION...]
       $prog --list | --show NAME
Downloads the graph NAME of the table MANIFEST.tsv, converts it (edgeconv), chooses the threshold
(degsplit) and packs it (dbfs-pack) into DIR/NAME-pP.dbfs; a graph that is packed directed, into
DIR/NAME-directed-pP.dbfs. Repeated, it continues where it stopped;
what fails its checks is renamed to FILE.bad and made anew then.

  -p, --shards P         shards, one for each GPU or rank (default 1)
      --direction D      once (default for arcs): each arc becomes an edge; directed: arcs stay arcs;
                         symmetric: each edge as u v and as v u. --list says what the source is
  -n, --dry-run          print the commands instead of running them
  -d, --downloads DIR    where the downloaded files are, or shall be (default: DIR/NAME.files)
      --offline          download nothing: a file that is missing is an error
      --mirror BASE      download BASE/FILE instead of the publisher's URL, BASE/index/FILE of an index of names
      --names            of the WDC graphs: make DIR/NAME.map too, the name of each vertex
      --to STEP          end after download, edges, split or shards (default)
  -S, --memory SIZE  -T, --tmpdir DIR  -@, --threads N      as in the programs
      --list             every graph with its size, and estimates of disk, memory and time
      --show NAME        what is known about a graph, and from where
      --table FILE       another table than $table

EDGECONV-OPTIONs, such as --randomize, are added to those of the table; paths in them are absolute.
EOF
}

. "$root/tools/report/similar.sh" # @include tools/report/similar.sh

die() { # STATUS MESSAGE
    local status=$1
    shift
    echo "$prog: $*" >&2
    exit "$status"
}

give() { # passes standard input on; ends the script if not all of it can be written
    local why status=1
    { : 3>&1; } 2>/dev/null || die 1 'standard output: cannot write: Bad file descriptor'
    { why=$(cat 2>&1 >&3) && return; } 3>&1
    case $why in
    *'No space left on device'* | *'quota exceeded'*) status=5 ;;
    '' | *'Broken pipe'*) exit 1 ;; # nobody reads on
    esac
    die $status "standard output: cannot write: ${why##*: }"
}

# ---- the table ----

a_name='[A-Za-z0-9_][A-Za-z0-9._-]*'
an_address="https?://[A-Za-z0-9.-]+(:[0-9]+)?(/[A-Za-z0-9._~%+-]+)*/$a_name"

# what the columns may hold whose values get into commands or are computed with
declare -A holds=(
    [name]=$a_name [group]='[a-z]+' [layout]='files|list|item|tar|unzip|cut|bv' [unit]='edge|arc|both'
    [n]='~?[0-9]{1,15}' [entries]='~?[0-9]{1,15}' [bytes]='(~?[0-9]{1,18})?'
    [options]='((-u|--one-based|--randomize|(-f|--from|--direction|--vertices|--columns|--separator)[ =][A-Za-z0-9,-]+)( |$))*'
    [urls]="(($an_address|$a_name)( |\$))+" [index]="($an_address|$a_name)?"
    [sums]='(((md5|sha1|sha256|sha512):[0-9a-f]+|-)( |$))*'
)

columns=(name group layout n entries unit options urls bytes sums index licence page checked elsewhere what)
declare -A row

set_row() { # LINE
    local values i
    IFS=$'\t' read -r -a values <<<"$1"
    [ "${#values[@]}" = "${#columns[@]}" ] ||
        die 3 "$table: ${values[0]}: found ${#values[@]} columns, expected ${#columns[@]}"
    for i in "${!columns[@]}"; do
        row[${columns[i]}]=${values[i]}
        [ "${values[i]}" != - ] || row[${columns[i]}]=''
    done
    [[ ${1//$'\t'/} != *[[:cntrl:]]* ]] || die 3 "$table: ${values[0]@Q}: holds control characters"
    for i in "${!holds[@]}"; do
        [[ ${row[$i]} =~ ^(${holds[$i]})$ ]] || die 3 "$table: ${row[name]@Q}: $i: ${row[$i]@Q}: not what this column may hold"
    done
}

find_row() { # NAME
    local line
    line=$(NAME=$1 awk -F'\t' 'NR > 1 && $1 == ENVIRON["NAME"]' <"$table")
    [ -n "$line" ] || die 2 "$1: not in $table (--list names the graphs)"
    set_row "$line"
}

# Prints the words of --direction that the source allows, the default first.
directions() {
    case ${row[unit]} in
    arc) echo 'once directed' ;;
    edge) echo once ;;
    both) echo symmetric ;;
    esac
}

source_kind() { [ "${row[unit]}" = arc ] && echo directed || echo undirected; }

# Sets stem, with which the names of all results begin, and the option of edgeconv for arcs that stay arcs. The two
# forms of a graph have names of their own, so both fit in a folder.
take_direction() {
    local fitting
    fitting=$(directions)
    stem=${row[name]}
    [ -z "$direction" ] || [[ " $fitting " == *" $direction "* ]] ||
        die 2 "--direction $direction: ${row[name]} is $(source_kind) and takes --direction ${fitting/ / or }"
    [ "$direction" = directed ] || return 0
    stem=$stem-directed
    row[options]='--direction directed'
}

rounded() { [[ $1 == \~* ]]; }

# Sets n and entries, without the ~ of rounded numbers, and the range of edges in the stream, `least` to `most`. With
# unit `both` an edge is two entries, and a self-loop is one or two.
take_numbers() {
    n=${row[n]#\~}
    entries=${row[entries]#\~}
    least=$entries
    most=$entries
    if [ "${row[unit]}" = both ]; then
        least=$(((entries + 1) / 2))
        most=$(((entries + n) / 2))
    fi
}

# ---- estimates: datasets/README.md says where the constants come from ----

bytes_text() {
    awk -v b="$1" 'BEGIN { split("B kB MB GB TB", unit, " "); u = 1
        while (b >= 999.5 && u < 5) { b /= 1000; u++ }
        printf (b < 9.95 && u > 1 ? "%.1f %s" : "%.0f %s"), b, unit[u] }'
}

time_text() { # SECONDS
    awk -v s="$1" 'BEGIN {
        if (s < 100) printf "%.0f s", s
        else if (s < 6000) printf "%.0f min", s / 60
        else printf "%.0f h", s / 3600 }'
}

estimate() { # sets disk, memory (bytes) and seconds
    local bytes=${row[bytes]#\~}
    disk=$((${bytes:-$((8 * entries))} + 17 * least + 8 * n))
    memory=$((10 * least + 20 * n))
    seconds=$((least * 16 / 100000000))
}

list() {
    local line format='%-18s %11s %13s %10s %8s %8s %8s %7s\n'
    printf "$format" name n entries source download disk memory time
    tail -n +2 "$table" | while IFS= read -r line; do
        set_row "$line"
        take_numbers
        estimate
        printf "$format" "${row[name]}" "${row[n]}" "${row[entries]}" "$(source_kind)" \
            "$([ -z "${row[bytes]}" ] && echo - || bytes_text "${row[bytes]#\~}")" \
            "$(bytes_text $disk)" "$(bytes_text $memory)" "$(time_text $seconds)"
    done
}

show() {
    local column
    take_numbers
    for column in "${columns[@]}"; do
        printf '%-10s %s\n' "$column" "${row[$column]:--}"
    done
    estimate
    printf '%-10s %s\n' direction "$(directions | sed 's/ / or /')"
    printf '%-10s disk %s, memory of dbfs-pack %s, time on 2 cores %s\n' estimates \
        "$(bytes_text $disk)" "$(bytes_text $memory)" "$(time_text $seconds)"
}

# ---- running ----

enter() { # FOLDER: runs the following commands in it
    here=$1
    printf 'mkdir -p %q\ncd %q\n' "$here" "$here"
    $dry || mkdir -p "$here"
}

run() { # COMMAND
    printf '%s\n' "$1"
    $dry || (cd "$here" && exec bash -euo pipefail -c "$1") || exit $?
}

# FILE COMMAND [SOURCE]: runs COMMAND, which makes FILE (from SOURCE), unless FILE exists. A FILE that is older than
# SOURCE was made from another one.
step() {
    if [ -e "$here/$1" ]; then
        [ -z "${3:-}" ] || [ ! "$here/$3" -nt "$here/$1" ] ||
            die 1 "$here/$1: is older than $3, so it was made from another: remove it, and the command makes it again"
        echo "# have $1"
    else
        run "$2"
    fi
}

# FILE ORIGIN: ends the script if FILE is there and FILE.from names another origin. Folders of before have no FILE.from.
check_origin() {
    [ ! -e "$1" ] || [ ! -e "$1.from" ] || [ "$(<"$1.from")" = "$2" ] ||
        die 1 "$1: was made from ($(<"$1.from")), not from ($2): remove it, or give another folder"
}

# FILE ORIGIN: notes from what FILE is about to be made
note_origin() { run "printf '%s\\n' $(printf %q "$2") >$(printf %q "$1.from")"; }

# Succeeds if the files are the user's own or ship here.
keeps_inputs() { $offline || [ "${row[group]}" = shipped ]; }

# FILE STATUS: prints the end of a command that checks FILE, a shell word; the command then ends with STATUS
or_set_aside() {
    keeps_inputs || printf ' ||\n    { mv %s %s.bad; echo "%s: failed its check and is now %s.bad: repeat the command to download it again" >&2; exit %s; }' \
        "$1" "$1" "$1" "$1" "$2"
}

# ---- download ----

# URL FILE: prints the commands that download URL to FILE, or continue an earlier try. Both are shell words. No
# redirection leads from https to anything else. The servers of WDC want the address of the page with the link.
get() {
    local curl='curl -fL --globoff --retry 5 -C -' wget='wget -c -t 5' allowed=https
    case $1 in
    http:*) allowed=http,https ;;
    file:* | ftp:*) allowed=${1%%:*} ;;
    esac
    curl="$curl --proto =$allowed --proto-redir =$allowed"
    if [ ! -t 2 ]; then
        curl="$curl -sS"
        wget="$wget -nv"
    fi
    if [ "${row[group]}" = wdc ]; then
        curl="$curl -e $(printf %q "${row[page]}")"
        wget="$wget --referer=$(printf %q "${row[page]}")"
    fi
    if command -v curl >/dev/null 2>&1 || ! command -v wget >/dev/null 2>&1; then
        echo "$curl -o $2.tmp -- $1"
    else
        echo "$wget -O $2.tmp -- $1"
    fi
    echo "mv $2.tmp $2"
}

fetch() { # URL FILE
    local url=$1
    [ -z "$mirror" ] || url=${mirror%/}/$2
    if ! $offline && [[ $url == *://* ]]; then
        step "$2" "$(get "$(printf %q "$url")" "$2")"
    else
        $dry || [ -e "$here/$2" ] || die 1 "$here/$2: is missing: $url, ${row[what]}"
    fi
}

# LIST URL: downloads the files that the command LIST prints, one a line; URL, a shell word, is that of $name. Two
# files of one name are an error.
fetch_each() {
    local url=$2 file='"${name##*/}"' otherwise
    [ -z "$mirror" ] || url="$(printf %q "${mirror%/}")/$file"
    otherwise=$(get "$url" "$file")
    ! $offline || otherwise='echo "$name: is missing" >&2; exit 1'
    run "$1 | sed 's|.*/||' | sort | uniq -d | (! grep .)"
    run "$1 | while read -r name; do
    if [ ! -e $file ]; then
        ${otherwise//$'\n'/$'\n'        }
    fi
done"
}

# archive.org lists the files of an item with their sums in ITEM_files.xml.
item_sums='awk -v RS="<" '\''
    /^file / { name = /source="original"/ ? $0 : ""; sub(/.*name="/, "", name); sub(/".*/, "", name) }
    /^md5>/ && name ~ /^friends-[0-9]+_+[.][A-Za-z0-9._-]*$/ && substr($0, 5, 32) !~ /[^0-9a-f]/ {
        print substr($0, 5, 32) "  " name }'\'

# URL: the address of a list of addresses, one a line. The list came without a sum, so each line is checked. Lists of
# WDC say http, and the servers have https.
download_listed() {
    local list=${1##*/} lines
    lines="tr -d '\\r' <$list | grep -a ."
    check_origin "$here/$list" "$1"
    $offline || [ -e "$here/$list" ] || note_origin "$list" "$1"
    fetch "$1" "$list"
    run "if $lines | grep -avxE '$an_address' | cat -v >&2; then
    echo \"$list: these lines are not addresses of files\" >&2
    $(keeps_inputs && echo true || echo "mv $list $list.bad")
    exit 3
fi"
    lines="$lines | sed 's/^http:/https:/'"
    fetch_each "$lines" '"$name"'
    inputs="\$($lines | sed 's|.*/||')"
}

download() { # sets inputs to shell words
    local urls sums i file
    read -r -a urls <<<"${row[urls]}"
    read -r -a sums <<<"${row[sums]}"
    file=${urls[0]##*/}
    case ${row[layout]} in
    item)
        fetch "${urls[0]}/${file}_files.xml" "${file}_files.xml"
        run "$item_sums ${file}_files.xml >$file.md5"
        run "test -s $file.md5"
        fetch_each "cut -c35- $file.md5" "${urls[0]}/\"\$name\""
        run "md5sum --quiet -c $file.md5 || {
    md5sum --quiet -c $file.md5 2>/dev/null | sed -n 's/: FAILED.*//p' |
        while read -r name; do $(keeps_inputs && echo true || echo mv) \"\$name\" \"\$name.bad\"; done
    exit 1
}"
        inputs="\$(cut -c35- $file.md5)"
        ;;
    list) download_listed "${urls[0]}" ;;
    *)
        for i in "${!urls[@]}"; do
            fetch "${urls[i]}" "${urls[i]##*/}"
            file=${urls[i]##*/}
            if [ -n "${sums[i]:-}" ]; then
                run "echo '${sums[i]#*:}  $file' | ${sums[i]%%:*}sum --quiet -c -$(or_set_aside "$file" 1)"
            elif [ ${#urls[@]} = 1 ] && [[ ${row[bytes]} =~ ^[0-9]+$ ]]; then
                run "[ \$(stat -c %s $file) = ${row[bytes]} ]$(or_set_aside "$file" 1)"
            fi
        done
        inputs=${urls[*]##*/}
        ;;
    esac
}

# ---- conversion, threshold, packing ----

# Prints the end of a conversion: inputs that are bad data (status 3) are set aside, unless a sum has proven them.
or_set_aside_inputs() {
    keeps_inputs || [ -n "${row[sums]}" ] || [ "${row[layout]}" = item ] ||
        printf ' || {\n    status=$?\n    [ $status != 3 ] || for file in %s; do mv "$file" "$file.bad"; echo "$file: is now $file.bad: repeat the command to download it again" >&2; done\n    exit $status\n}' "$inputs"
}

# OUTPUT, a shell word: if the first program of a pipe fails, edgeconv sees only the end of its input. So the stream
# gets its name after the whole pipe has succeeded.
convert() {
    local command="edgeconv --force${row[options]:+ ${row[options]}}$edge_options$tool_options"
    local base=${inputs%% *} unnamed=${1%.edges}.tmp.edges
    case ${row[layout]} in
    tar)
        base=${base%.tar.gz}
        run "tar -xzOf $inputs $base/$base.mtx | $command -o $unnamed -"
        ;;
    unzip)
        # in these matrices the first line may lack a %
        run "unzip -p $inputs ${base%.zip}.mtx | sed '1s/^%M/%%M/' | $command -o $unnamed -"
        ;;
    cut) run "gzip -dc $inputs | $command -o $unnamed -" ;;
    bv) run "$command -o $1 -- $base$(or_set_aside_inputs)" && return 0 ;;
    list) run "$command -o $1 -- $inputs" && return 0 ;;
    *) run "$command -o $1 -- $inputs$(or_set_aside_inputs)" && return 0 ;;
    esac
    run "mv $unnamed $1"
}

field() { tail -c 64 "$1" | od -An -v -tu8 -j "$2" -N 8 | tr -d ' '; } # a field of the trailer: formats/SPEC-edges.md

# FILE: if the table has exact numbers, the stream must have the same vertices and edges. The user's options may
# change the number of vertices.
check_counts() {
    local vertices edges about=''
    ! rounded "${row[entries]}" || about='~'
    [ "$least" = "$most" ] || about="$least to "
    echo "# expected: ${row[n]} vertices, $about$most edges"
    ! $dry || return 0
    vertices=$(field "$1" 24)
    edges=$(field "$1" 8)
    rounded "${row[n]}" || [ -n "$edge_options" ] || [ "$vertices" = "$n" ] ||
        refuse_counts "$1" "found $vertices vertices, expected $n"
    rounded "${row[entries]}" || { [ "$edges" -ge "$least" ] && [ "$edges" -le "$most" ]; } ||
        refuse_counts "$1" "found $edges edges, expected $about$most"
}

# FILE MESSAGE: sets the stream aside, and downloads that nothing else has checked
refuse_counts() {
    mv "$1" "$1.bad"
    if ! keeps_inputs && [ -z "${row[sums]}" ] && [ "${row[layout]}" = files ]; then
        (cd "$downloads" && for url in ${row[urls]}; do mv "${url##*/}" "${url##*/}.bad"; done) || true
    fi
    die 3 "$1: $2: it is now $1.bad; repeat the command to make it again"
}

make_edges() { # DIR
    local file=$1/$stem.edges origin="${row[urls]} ${row[sums]:--}, edgeconv${row[options]:+ ${row[options]}}$edge_options"
    if [ "$last" != download ] && [ -e "$file" ]; then
        check_origin "$file" "$origin"
        echo "# have $file"
        return 0
    fi
    enter "$downloads"
    download
    [ "$last" != download ] || return 0
    note_origin "$file" "$origin"
    convert "$(printf %q "$file")"
}

make_map() { # DIR
    local map=${row[name]}.map inputs=${row[index]##*/}
    [ -n "${row[index]}" ] || die 2 "${row[name]}: the table has no index of names"
    if [ -e "$1/$map" ]; then
        check_origin "$1/$map" "${row[index]}"
        echo "# have $1/$map"
        return 0
    fi
    enter "$downloads/index"
    # a graph and its index have files of the same names
    [ -z "$mirror" ] || mirror=${mirror%/}/index
    case $inputs in
    *.list.txt) download_listed "${row[index]}" ;;
    *) fetch "${row[index]}" "$inputs" ;;
    esac
    [ "$last" != download ] || return 0
    note_origin "$1/$map" "${row[index]}"
    run "edgeconv -f wdc-index$tool_options -o $(printf %q "$1/$map") -- $inputs"
}

make_graph() { # DIR
    local split folder
    take_direction
    split=$stem-p$shards.split
    folder=$stem-p$shards.dbfs
    take_numbers
    estimate
    echo "# ${row[name]}: ${row[what]}"
    echo "# licence: ${row[licence]}; from ${row[page]}"
    echo "# estimates: disk $(bytes_text $disk), memory $(bytes_text $memory), $(time_text $seconds) on 2 cores"
    ! $dry || echo 'set -euo pipefail'
    enter "$1"
    make_edges "$1"
    ! $named || make_map "$1"
    [ "$last" != download ] || return 0
    check_counts "$1/$stem.edges"
    [ "$last" != edges ] || return 0
    [ "$here" = "$1" ] || enter "$1"
    step "$split" "degsplit -p $shards$tool_options -o $split $stem.edges" "$stem.edges"
    [ "$last" != split ] || return 0
    step "$folder/manifest" "dbfs-pack --resume -p $shards$tool_options -s $split -o $folder $stem.edges" "$split"
}

# ---- command line ----

pass_on() { # OPTION VALUE
    tool_options="$tool_options $1 $(printf %q "$2")"
}

parse_options() {
    while [ $# -gt 0 ]; do
        case $1 in
        --help=all) ;;
        --dry-run=* | --help=* | --offline=* | --names=* | --list=*) die 2 "$1: ${1%%=*} takes no value: see --help" ;;
        --?*=*) set -- "${1%%=*}" "${1#*=}" "${@:2}" ;;
        esac
        case $1 in -h | --help | --help=all | --list | --show | --table | [!-]*) ;; *) making+=("$1") ;; esac
        case $1 in
        -n | --dry-run) dry=true && shift && continue ;;
        --offline) offline=true && shift && continue ;;
        --names) named=true && shift && continue ;;
        --list) action=list && shift && continue ;;
        -h | --help | --help=all) usage | give; exit ;;
        --)
            shift
            [ $# = 0 ] || printf -v edge_options ' %q' "$@"
            break
            ;;
        -*) [ $# -ge 2 ] || die 2 "$1: unknown, or needs an argument$(usage | did_you_mean "$1"): see --help" ;;
        *) names+=("$1") && shift && continue ;;
        esac
        case $1 in
        -p | --shards) shards=$2 ;;
        -d | --downloads) downloads=$(realpath -m -- "$2") ;;
        --mirror) mirror=$2 ;;
        --direction) direction=$2 ;;
        --to) last=$2 ;;
        -S | --memory) pass_on -S "$2" ;;
        -T | --tmpdir) pass_on -T "$(realpath -m -- "$2")" ;;
        -@ | --threads) pass_on -@ "$2" ;;
        --table)
            table=$2
            case $table in -*) table=./$table ;; esac # no option of tail
            ;;
        --show) action=show && names+=("$2") ;;
        *) die 2 "$1: unknown option$(usage | did_you_mean "$1"): see --help" ;;
        esac
        shift 2
    done
    [[ ${mirror:-file://} =~ ^(https?|ftp|file):// ]] && [[ $mirror != *[[:cntrl:][:space:]]* ]] || die 2 "--mirror $mirror: expected a URL"
    [[ $shards =~ ^[1-9][0-9]*$ ]] || die 2 "-p $shards: expected a number of shards"
    [[ $direction =~ ^(|once|directed|symmetric)$ ]] ||
        die 2 "--direction $direction: expected once, directed or symmetric"
    [[ $last =~ ^(download|edges|split|shards)$ ]] ||
        die 2 "--to $last: expected download, edges, split or shards"
}

# OPTION NAMES: the action of OPTION takes NAMES names, and no option that only matters where a graph is made
takes_only() {
    [ ${#making[@]} = 0 ] || die 2 "${making[0]}: has no effect on $1, which only prints"
    [ ${#names[@]} = "$2" ] || die 2 "$1: '${names[-1]}' is too much: it only prints"
}

main() {
    case $action in
    list) takes_only --list 0 && list ;;
    show) takes_only --show 1 && find_row "${names[0]}" && show ;;
    make)
        [ ${#names[@]} = 2 ] || die 2 'needs a NAME and a DIR (see --help)'
        find_row "${names[0]}"
        [ "${row[group]}" != shipped ] || [ -z "$downloads$mirror" ] ||
            die 2 "-d and --mirror have no effect: ${row[name]} comes with dbfs, and nothing is downloaded"
        ! $offline || [ -z "$mirror" ] || die 2 '--mirror has no effect with --offline'
        folder=$(realpath -m -- "${names[1]}")
        [ -n "$downloads" ] || downloads=$folder/${row[name]}.files
        [ "${row[group]}" != shipped ] || downloads=$(dirname "$table")
        PATH=$root/${BUILD:-build}/bin:$root/bin:$PATH
        make_graph "$folder"
        ;;
    esac
}

parse_options "$@"
[ -r "$table" ] || die 1 "$table: cannot read it"
main | give
