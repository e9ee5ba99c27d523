# read_json.sh: reads the JSON of dbfs-traverse; dbfs-report and dbfs-model contain it

# read_input FILE COMMAND...: lets the command read FILE, or standard input if that is "-". A file is opened once, and
# nothing else reads it, so it may be a pipe.
read_input() {
    input=$1
    shift
    if [ "$input" = - ]; then
        "$@"
        return
    fi
    [ -e "$input" ] || die 1 "$input: cannot open: No such file"
    [ ! -d "$input" ] && [ -r "$input" ] || die 1 "$input: cannot read"
    "$@" <"$input"
}

# take_standard_input: notes that a file is standard input; ends the program if one was before
standard_input=0
take_standard_input() {
    [ $standard_input = 0 ] || usage 'standard input: is given twice, and can be read once'
    standard_input=1
}

# take_word WORD: notes a word of the command line: the first one as `command`, each further one as a file, in file_1, file_2, ...
files=0
take_word() {
    if [ -z "$command" ]; then
        command=$1
        return
    fi
    [ "$1" != - ] || take_standard_input
    files=$((files + 1))
    eval "file_$files=\$1"
}

# one_field NAME: prints the name of a file as one field of one line
one_field() {
    printf %s "$1" | tr '[:cntrl:]' '?'
    echo
}

# read_json NAME FIRST: prints, for standard input, a line of document number, path and value for each number, string
# and constant. Paths are such as roots.0.time_s. Each line may be a document; the first one has the number FIRST.
# Messages have NAME. The number of the format (formats/base/json_format.h) is no value; a document of a later format is refused. A key is
# a word of letters, so no key passes for an index of an array or for a path, and a string has no control characters, so it is one field.
read_json() {
    NAME=$1 awk -v program="$program" -v documents="$2" -v first="$2" '
function bad(what) {
    gsub(/[\001-\037\177]/, "?", what)
    printf "%s: %s:%d: not JSON as dbfs-traverse writes it: %s\n", program, ENVIRON["NAME"], NR, what >"/dev/stderr"
    failed = 1
    exit 3
}
function refuse_format(text) {
    printf "%s: %s: has format %s of JSON: this version of %s reads format 1, and files without a number: use a later one\n", program,
        ENVIRON["NAME"], text, program >"/dev/stderr"
    failed = 1
    exit 3
}
function path(   i, p) {
    for (i = 1; i <= depth; i++)
        p = p (i > 1 ? "." : "") (kind[i] == "{" ? key[i] : count[i])
    return p
}
function close_value() { # after a value: what may follow
    if (depth == 0) {
        documents++
        want = "value"
    } else
        want = "next"
}
function scalar(text) {
    if (want != "value" || depth == 0) bad(text)
    if (text ~ /^"/) text = substr(text, 2, length(text) - 2)
    if (path() != "format") print documents "\t" path() "\t" text
    else if (text != "1") refuse_format(text)
    close_value()
}
function open_group(text) {
    if (want != "value" || (depth == 0 && text != "{")) bad(text)
    depth++
    kind[depth] = text
    count[depth] = 0
    empty[depth] = 1
    want = text == "{" ? "key" : "value"
}
function close_group(text) {
    if (depth == 0 || (text == "}") != (kind[depth] == "{")) bad(text)
    if (want != "next" && !(empty[depth] && (want == "key" || want == "value"))) bad(text)
    depth--
    if (depth > 0) empty[depth] = 0
    close_value()
}
function take(text) {
    if (text == "{" || text == "[") { if (depth > 0) empty[depth] = 0; open_group(text) }
    else if (text == "}" || text == "]") close_group(text)
    else if (text == ",") {
        if (want != "next") bad(text)
        count[depth]++
        want = kind[depth] == "{" ? "key" : "value"
    } else if (text == ":") {
        if (want != "colon") bad(text)
        want = "value"
    } else if (want == "key") {
        if (text !~ /^"[A-Za-z_][A-Za-z0-9_]*"$/) bad(text)
        empty[depth] = 0
        key[depth] = substr(text, 2, length(text) - 2)
        want = "colon"
    } else {
        if (depth > 0) empty[depth] = 0
        scalar(text)
    }
}
BEGIN { want = "value" }
{
    rest = $0
    while (match(rest, /^[ \t\r]*("([^"\\\001-\037]|\\[^\001-\037])*"|-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?|true|false|null|[][{}:,])/)) {
        token = substr(rest, 1, RLENGTH)
        sub(/^[ \t\r]*/, "", token)
        take(token)
        rest = substr(rest, RLENGTH + 1)
    }
    if (rest !~ /^[ \t\r]*$/) bad(rest)
}
END {
    if (failed) exit 3
    if (depth > 0) bad("it ends within an object")
    if (documents == first) bad("it is empty")
}'
}

# check_numbers NAME PATTERN [BUT]: ends the program unless all values are numbers whose paths match PATTERN, and not BUT. They bound
# loops of awk, and stand in scripts of gnuplot.
check_numbers() {
    NAME=$1 PATTERN=$2 BUT=${3:-^$} awk -F '\t' -v program="$program" '
        $2 ~ ENVIRON["PATTERN"] && $2 !~ ENVIRON["BUT"] && $3 !~ /^-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?$/ {
            printf "%s: %s: %s: \"%s\" is not a number\n", program, ENVIRON["NAME"], $2, $3 >"/dev/stderr"
            exit 3
        }' "$work/values" || exit 3
}

# append_json NAME: appends the same to $work/values, and writes it alone to $work/part
documents=0
append_json() {
    read_json "$1" "$documents" >"$work/part" || exit 3
    documents=$(($(tail -n 1 "$work/part" | cut -f 1) + 1))
    cat "$work/part" >>"$work/values"
}

# read_files FILE...: reads all of them
read_files() {
    for file in "$@"; do
        read_input "$file" append_json "$file"
    done
}
