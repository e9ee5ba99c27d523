# edge_lists.sh: edgeconv on lists that stand in a test. lib.sh and $edgeconv come before it; the folder is the test's own.

# edges NAME CONTENT WANT OPTION...: expects these edges as text; both are printf formats
edges() {
    local name=$1
    printf -- "$2" >in.txt
    printf "$3" >want
    if "$edgeconv" -q -t text "${@:4}" in.txt >got 2>err </dev/null && cmp -s want got; then
        pass "$name"
    else
        fail "$name"
        head -3 err got | sed 's/^/    /'
    fi
}
# named NAME CONTENT EDGES MAP OPTION...: the same for names, with their map
named() {
    edges "$1" "$2" "$3" --force --compact=got.map "${@:5}"
    check "$1: the names" cmp got.map <(printf "$4")
}
