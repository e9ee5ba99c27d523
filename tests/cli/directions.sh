#!/bin/bash
# directions.sh: the effect of --direction, --factor0 and --factor1 of dbfs-traverse, level by level, from -v.
set -u
. tests/lib.sh
traverse=$BIN/dbfs-traverse
classes='nn nd dn dd'

"$BIN/rmatgen" -q -s 12 -f text -o "$tmp/rmat.txt"
# Inner vertices have four neighbours and are delegates at TH 3. So from a corner on all classes have a frontier in
# nearly all of 58 levels.
"$TESTS/mkgraph" grid 30 30 >"$tmp/grid.txt"
pack() { # TEXT P TH NAME: packs into $tmp/NAMEP
    "$BIN/edgeconv" -q -u --force -o "$tmp/$1.edges" "$tmp/$1.txt" &&
        "$BIN/dbfs-pack" -q -p "$2" -t "$3" -o "$tmp/$4$2" "$tmp/$1.edges"
}
pack rmat 1 16 rmat && pack rmat 4 16 rmat && pack rmat 1 100 high && pack rmat 1 inf normal &&
    pack grid 1 3 grid && pack grid 4 3 grid || fail 'packing'

# trace NAME GRAPH ROOT OPTIONS...: writes a line "level class frontier pull|push" to $tmp/NAME for each class with a
# frontier, and appends the checksum of distances to $tmp/GRAPH.checksums
trace() {
    local name=$1 graph=$2 root=$3
    shift 3
    check_exit 0 "$graph${*:+, $*}" "$traverse" -v -@ 1 --backend cpu -r "$root" "$@" "$tmp/$graph"
    awk '$2 == "level" { for (i = 4; i < NF; i++) if ($i ~ /^(nn|nd|dn|dd)$/ && $(i + 1) + 0 > 0)
             print $3, $i, $(i + 1) + 0, $(i + 2) == "pull" ? "pull" : "push" }' "$tmp/err" >"$tmp/$name"
    sed -n 's/^distance_checksum: //p' "$tmp/out" >>"$tmp/$graph.checksums"
}
levels() { grep -c " $2 .*$3\$" "$tmp/$1"; } # NAME CLASS push|pull: counts levels
all_levels() { # NAME CLASS push|pull
    check "$1: $2 has a $3 in each of $(levels "$1" "$2" '') levels" \
        test "$(levels "$1" "$2" "$3")" = "$(levels "$1" "$2" '')" -a "$(levels "$1" "$2" '')" -gt 0
}

# ---- --direction ----

for graph in rmat1 rmat4 grid1 grid4; do
    trace "$graph-push" $graph 1 --direction push
    trace "$graph-pull" $graph 1 --direction pull --exchange-form list
    for class in $classes; do
        all_levels "$graph-push" $class push
        case $class$graph in
        nn*4) all_levels "$graph-pull" nn push ;; # shards that send lists cannot pull
        *) all_levels "$graph-pull" $class pull ;;
        esac
    done
    sed 's/push$/pull/' "$tmp/$graph-push" >"$tmp/push-as-pull"
    sed 's/push$/pull/' "$tmp/$graph-pull" >"$tmp/pull-as-pull"
    check "$graph: the frontiers are the same" cmp "$tmp/push-as-pull" "$tmp/pull-as-pull"
done
trace rmat4-bits rmat4 1 --direction pull --exchange-form bits
all_levels rmat4-bits nn pull
check 'rmat4: frontiers of a pull by bits are the same' cmp "$tmp/rmat4-bits" <(sed '/ nn /s/push$/pull/' "$tmp/rmat4-pull")
trace auto rmat1 1
for class in $classes; do
    check "auto: $class pulls in some levels of RMAT, not in all" \
        test "$(levels auto $class pull)" -gt 0 -a "$(levels auto $class push)" -gt 0
done
trace cost rmat1 1 --direction cost
check 'cost: on a CPU it is auto' cmp "$tmp/auto" "$tmp/cost"
trace auto grid1 1
check 'auto: all push in the first ten levels of a grid' \
    awk '$1 < 10 && $4 == "pull" { exit bad = 1 } END { exit bad || NR == 0 }' "$tmp/auto"

# Trees show which direction ran. Of several parents in the frontier a push takes the first in the frontier's order,
# and a pull the first in the row's order. For delegates both orders are the same, so nd and dd show nothing.
never=nn=1e300,nd=1e300,dn=1e300,dd=1e300
stay=nn=0,nd=0,dn=0,dd=0
tree() { # NAME GRAPH OPTIONS...
    local name=$1 graph=$2
    shift 2
    check_exit 0 "$graph, $*" "$traverse" -q -@ 1 --backend cpu -r 1 --factor1 $stay "$@" \
        --force --depths "$tmp/depths" --parents "$tmp/tree.$name" "$tmp/$graph"
    check "$graph, $*: parents are a tree" "$TESTS/treecheck" "$tmp/rmat.txt" 1 "$tmp/depths" "$tmp/tree.$name"
}
for class in nn dn; do
    graph=high1
    [ $class = nn ] && graph=normal1
    tree pushed $graph --factor0 $never
    tree pulled $graph --factor0 $never,$class=0
    tree pulled-again $graph --factor0 $never,$class=0
    check "pulled $class: the tree is another than that of pushes" test "$(cmp "$tmp/tree.pushed" "$tmp/tree.pulled" | wc -l)" = 1
    check "pulled $class: the tree is the same each time" cmp "$tmp/tree.pulled" "$tmp/tree.pulled-again"
done

# ---- --factor0 and --factor1 ----

others() { grep -v " $2 " "$tmp/$1"; } # NAME CLASS: the levels of the other classes
for graph in rmat1 grid1; do
    trace never $graph 1 --factor0 $never --factor1 $stay
    for class in $classes; do
        check "never: $class pushes in its first two levels" \
            test "$(grep " $class " "$tmp/never" | head -2 | grep -c 'push$')" = 2
        trace once $graph 1 --factor0 $never,$class=0 --factor1 $stay
        all_levels once $class pull
        check "factor0 of $class changes no other class" \
            test "$(others once $class)" = "$(others never $class)"
        trace back $graph 1 --factor0 $never,$class=0 --factor1 $stay,$class=1e300
        check "factor1 makes $class return" \
            test "$(grep " $class " "$tmp/back" | head -2 | awk '{ printf "%s ", $4 }')" = 'pull push '
        check "factor1 of $class changes no other class" \
            test "$(others back $class)" = "$(others never $class)"
    done
done
# CLASS: counts changes of direction
turns() {
    grep " $1 " "$tmp/back" | awk 'NR > 1 && $4 != last { turns++ } { last = $4 } END { print turns + 0 }'
}
trace back grid1 1 --factor0 $stay --factor1 $never
for class in $classes; do
    check "grid: $class turns each time ($(turns $class) turns)" test "$(turns $class)" -gt 40
done

# ---- --trace ----

# Between ranks dd goes ahead. The trace counts its edges, of which directions are chosen by an estimate. In the tenth
# of these searches nd pulls in a level in which the estimate for dd is near the cost at which dd would not.
"$BIN/rmatgen" -q --poisson -n 60000 -k 4 -o "$tmp/even.edges" && "$BIN/dbfs-pack" -q -p 2 -t 6 -o "$tmp/even" "$tmp/even.edges" ||
    fail 'packing'
directions() { # OPTIONS...: prints frontiers and pulls of the levels of two ranks
    timeout 120 "$MPIEXEC" -n 2 "$traverse" -v -@ 1 --backend cpu --exchange-memory host -n 12 "$@" "$tmp/even" 2>&1 >/dev/null |
        sed -nE 's/.*(level [0-9]+ nn .*) sent .*/\1/p' | sed -E 's|/[0-9]+||g'
}
directions >"$tmp/untraced"
directions --trace "$tmp/trace" >"$tmp/traced"
check '--trace changes no direction of a search by two ranks' cmp "$tmp/untraced" "$tmp/traced"
check 'levels of two ranks push and pull' sh -c 'grep -q " pull" "$1" && grep -qv " pull" "$1"' - "$tmp/traced"

# --help tells the defaults
defaults() { "$traverse" --help=all | grep -A 1 -e "--$1" | grep -oE '(nn|nd|dn|dd)=[0-9.]+' | paste -sd,; }
# OPTIONS...: prints the factors of a run with these options
factors() {
    "$traverse" -q -r 1 --force --json "$tmp/json" "$@" "$tmp/rmat1" >"$tmp/out"
    grep -o '"factor[01]": {[^}]*}' "$tmp/json"
}
factor0=$(defaults factor0) factor1=$(defaults factor1)
check "--help has the defaults ($factor0, $factor1)" \
    test "$(factors)" = "$(factors --factor0 "$factor0" --factor1 "$factor1")"
check '-v prints eight factors' test "$(echo "$factor0,$factor1" | tr ',' '\n' | grep -c =)" = 8
check 'other factors give another run' test "$(factors)" != "$(factors --factor0 "${factor0%[0-9]}9")"

for graph in rmat1 rmat4 grid1 grid4; do
    check "$graph: all directions give the same distances" test "$(sort -u "$tmp/$graph.checksums" | wc -l)" = 1
done
finish
