# splice.awk: builds a man page: awk -f splice.awk common.mdoc PAGE.
# A line `.\" common: NAME' of PAGE is replaced by the part NAME of common.mdoc.
NR == FNR {
    if (sub(/^\.\\" part: /, ""))
        name = $0
    else if (name != "")
        part[name] = part[name] $0 "\n"
    next
}
sub(/^\.\\" common: /, "") {
    if (!($0 in part)) {
        printf "%s:%d: common.mdoc has no part '%s'\n", FILENAME, FNR, $0 >"/dev/stderr"
        exit 1
    }
    printf "%s", part[$0]
    next
}
{ print }
