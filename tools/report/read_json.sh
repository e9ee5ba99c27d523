# read_json.sh: reads the JSON of dbfs-traverse; dbfs-report and dbfs-model contain it

# read_json FILE...: a line of document number, path and value for each number, string and constant. Paths are
# such as roots.0.time_s. The number of a document counts over all files; a file may hold one in each line.
read_json() {
    awk -v program="$program" '
function bad(what) {
    printf "%s: %s:%d: not JSON as dbfs-traverse writes it: %s\n", program, FILENAME, FNR, what >"/dev/stderr"
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
    print documents + 0 "\t" path() "\t" text
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
        if (text !~ /^"/) bad(text)
        empty[depth] = 0
        key[depth] = substr(text, 2, length(text) - 2)
        want = "colon"
    } else {
        if (depth > 0) empty[depth] = 0
        scalar(text)
    }
}
BEGIN { want = "value" }
FNR == 1 && NR > 1 && depth > 0 { bad("the file before it ends within an object") }
{
    rest = $0
    while (match(rest, /^[ \t\r]*("([^"\\]|\\.)*"|-?[0-9][-+.0-9eE]*|true|false|null|[][{}:,])/)) {
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
    if (documents == 0) bad("it is empty")
}' "$@"
}

# read_files FILE...: the same into $work/values, after looking whether the files are there
read_files() {
    for file in "$@"; do
        [ -e "$file" ] || die 1 "$file: cannot open: No such file"
        [ -f "$file" ] && [ -r "$file" ] || die 1 "$file: cannot read"
    done
    read_json "$@" >"$work/values" || exit 3
}
