# bench-graphs.sh: makes the graphs of the benchmarks. A script sources it after bench-lib.sh. Paths and
# grids want `make tests-bin`.

tests=${BUILD:-build}/tests

convert() { # FILE: each line an undirected edge, unless the format says otherwise; words get numbers
    "$bin/edgeconv" -q -u --force -o "$work/edges" "$1" 2>"$work/why" ||
        "$bin/edgeconv" -q --force -o "$work/edges" "$1" 2>>"$work/why" ||
        "$bin/edgeconv" -q -u --compact="$work/map" --force -o "$work/edges" "$1" 2>>"$work/why"
}

# Writes $work/edges, and $roots: options that choose them.
make_graph() { # GRAPH
    local size=${1##*[a-z]}
    roots="-n ${ROOTS:-16}"
    case $1 in
    rmat[0-9]*) "$bin/rmatgen" -q -s "$size" --force -o "$work/edges" ;;
    uniform[0-9]*e[0-9]*) "$bin/rmatgen" -q -s "$(tr -dc 0-9 <<<"${1%e*}")" -e "$size" -A .25 -B .25 -C .25 \
        --force -o "$work/edges" ;;
    uniform[0-9]*) "$bin/rmatgen" -q -s "$size" -A .25 -B .25 -C .25 --force -o "$work/edges" ;;
    path[0-9]*) "$tests/mkgraph" path "$size" | "$bin/edgeconv" -q -u --force -o "$work/edges" -
        roots="-r 0,$((size / 2)),$((size - 1))" ;;
    grid[0-9]*) "$tests/mkgraph" grid "$size" "$size" | "$bin/edgeconv" -q -u --force -o "$work/edges" -
        roots="-r 0,$((size / 2 * size + size / 2)),$((size * size - 1))" ;;
    *) convert "$1" ;;
    esac
}

files_of() { # a folder's graphs; what edgeconv refuses is left out with its reason
    local file
    for file in "$1"/*; do
        case $file in *.md | *.properties) continue ;; esac
        if convert "$file"; then echo "$file"; else sed 's/^/left out: /' "$work/why" | tail -1 >&2; fi
    done
}
