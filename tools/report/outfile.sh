# outfile.sh: how a script writes files and standard output: by the rules of formats/base/outfile.h

# A closed standard descriptor would be the number of a file that is opened next. Standard input and output then fail as before;
# messages are not wanted.
{ true 3<&0; } 2>/dev/null || exec 0>/dev/null
{ true 3>&1; } 2>/dev/null || exec 1</dev/null
true 3>&2 || exec 2>/dev/null

# reason TEXT: prints a program's message without the names before it, and succeeds if the disk is full
reason() {
    printf '%s\n' "${1##*: }"
    case $1 in *'No space left on device'* | *'quota exceeded'*) ;; *) return 1 ;; esac
}

# cannot_write NAME TEXT: ends the script, for the reason in another program's message. If the reader of a pipe has gone,
# nobody waits for a message.
cannot_write() {
    case $2 in '' | *'Broken pipe'*) exit 1 ;; esac
    if text=$(reason "$2"); then die 5 "$1: cannot write: $text"; else die 1 "$1: cannot write: $text"; fi
}

# give: passes standard input on to standard output; ends the script if not all of it can be written
give() {
    { why=$(cat 2>&1 >&3); } 3>&1 || cannot_write 'standard output' "$why"
}

# refuse_appending INPUT...: ends the script if its standard output is one of the files that it reads; - is standard input
refuse_appending() {
    [ -f /dev/fd/1 ] || return 0
    for input in "$@"; do
        case $input in
        -) [ ! /dev/fd/1 -ef /dev/fd/0 ] || die 2 'standard output: is an input too (standard input); choose another output' ;;
        *) [ ! /dev/fd/1 -ef "$input" ] || die 2 "standard output: is an input too ($input); choose another output" ;;
        esac
    done
}

# check_file FILE FORCE INPUT...: ends the script if FILE must not or cannot be written; before the work begins
check_file() {
    file=$1 forced=$2
    shift 2
    for input in "$@"; do
        [ ! "$file" -ef "$input" ] || [ ! -f "$file" ] || die 2 "$file: is an input too ($input); choose another output"
    done
    [ ! -d "$file" ] || die 1 "$file: is a directory"
    [ ! -f "$file" ] || [ "$forced" = 1 ] || die 1 "$file: exists already: --force replaces it"
    case $file in */*) folder=${file%/*}/ ;; *) folder=. ;; esac
    [ -e "$file" ] || [ -d "$folder" ] || die 1 "$file: cannot create it: No such file or directory"
}

# replace_file FILE: makes FILE of standard input, under a fresh name beside it at first. A link stays, and what it names is
# replaced. The new file has the mode of the old one without setuid and its like, and nobody else may write what was another user's.
replace_file() {
    target=$(readlink -f -- "$1") && new=$(mktemp "${target%/*}/.${target##*/}.XXXXXX") || return 1
    trap 'rm -f "$new"' EXIT
    chmod =rw "$new"
    [ ! -e "$target" ] || chmod "$(stat -c %a -- "$target" | tail -c 4)" "$new"
    [ ! -e "$target" ] || [ -O "$target" ] || chmod go-w "$new"
    cat >"$new" && mv -f -- "$new" "$target"
}

# put_file FILE: writes standard input to FILE, whole or not at all; else ends the script. Pipes and devices are written directly, and
# so is a link to nothing, as the kernel knows which links are to be followed.
put_file() {
    if [ -f "$1" ] || { [ ! -e "$1" ] && [ ! -L "$1" ]; }; then
        why=$(replace_file "$1" 2>&1) || cannot_write "$1" "$why"
    else
        { why=$({ cat >"$1"; } 2>&1 >&3) || cannot_write "$1" "$why"; } 3>&1 # a link may lead to standard output
    fi
}

# leave STATUS: ends the script and removes its folder $work. A failure for want of room there has the exit status of a full disk.
leave() {
    if [ "$1" != 0 ] && ! printf '%4096s' '' 2>/dev/null >"$work/room"; then
        echo "$program: ${work%/*}: cannot write: No space left on device" >&2
        set -- 5
    fi
    rm -rf "$work"
    exit "$1"
}
