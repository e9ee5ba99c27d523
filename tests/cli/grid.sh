#!/bin/bash
# grid.sh: dbfs-traverse-2d and dbfs-pack --layout 2d=RxC give the distances of the oracle and the summary of
# dbfs-traverse.
set -u
. tests/lib.sh

search() { # RANKS OPTION...
    local ranks=$1
    shift
    timeout 120 "$MPIEXEC" -n "$ranks" "$BIN/dbfs-traverse-2d" -@ 1 "$@"
}

# ---- distances ----

"$BIN/rmatgen" -q -s 9 -f text -o "$tmp/rmat.txt"
"$TESTS/mkgraph" path 40 >"$tmp/path.txt"
"$TESTS/mkgraph" grid 12 9 >"$tmp/mesh.txt"
printf '0 1\n0 0\n1 2\n5 6\n6 6\n2 1\n9 9\n' >"$tmp/apart.txt"
"$TESTS/mkgraph" star 300 >"$tmp/star.txt"
turn=0
for graph in rmat path mesh apart star; do # short mode: each layout of a graph has the other way to fold
    "$BIN/edgeconv" -q -u -o "$tmp/$graph.edges" "$tmp/$graph.txt" || fail "$graph: edges"
    "$TESTS/oracle" -o "$tmp/want.%d" "$tmp/$graph.txt" 0,2,5 >/dev/null || fail "$graph: oracle"
    for layout in 1x1 1x3 3x1 2x2 2x3; do
        rm -rf "$tmp/g"
        check_exit 0 "$graph, $layout: packs" "$BIN/dbfs-pack" -q --layout "2d=$layout" -o "$tmp/g" "$tmp/$graph.edges"
        for fold in ring direct; do
            [ "${TEST_MODE:-short}" = long ] || [ $((turn++ % 4 % 3)) = 0 ] || continue
            check_exit 0 "$graph, $layout, $fold: searches" search $((${layout%x*} * ${layout#*x})) --fold $fold -q \
                -r 0,2,5 --force --depths "$tmp/got.%d" "$tmp/g"
            check "$graph, $layout, $fold: distances of the oracle" \
                sh -c 'for r in 0 2 5; do cmp "$1/want.$r" "$1/got.$r" || exit 1; done' - "$tmp"
        done
    done
done

# ---- the same summary as dbfs-traverse, from the same folder ----

"$BIN/rmatgen" -q -s 12 -o "$tmp/s12.edges"
"$BIN/dbfs-pack" -q --layout 2d=2x2 -o "$tmp/s12" "$tmp/s12.edges"
checksum() { sed -n 's/^distance_checksum: //p'; }
one=$(timeout 60 "$BIN/dbfs-traverse" --backend cpu -n 8 "$tmp/s12" | checksum)
two=$(search 4 -n 8 --json "$tmp/ring.json" "$tmp/s12" | checksum)
check 'one folder serves 1D and 2D searches, with the same checksum' test -n "$one" -a "$one" = "$two"
check_exit 0 'the shards beside grid parts are proved' "$BIN/dbfs-pack" --verify "$tmp/s12"
check_says 's12: 4 grid parts have the same edges'

# ---- counts ----

search 4 -n 8 --breakdown --force --json "$tmp/ring.json" "$tmp/s12" >/dev/null
search 4 -n 8 --breakdown --force --fold direct --json "$tmp/direct.json" "$tmp/s12" >/dev/null
total() { # NAME FILE: sums over all searches and levels
    grep -o "\"$1\": \[[0-9, ]*\]" "$2" | grep -oE '[0-9]+' | awk '{ s += $1 } END { print s + 0 }'
}
check 'two columns: a ring has one hop, and drops nothing' test "$(total dropped_vertices "$tmp/ring.json")" = 0
check 'a ring of one hop sends as much as destinations that go at once' \
    test "$(total list_bytes "$tmp/ring.json")" = "$(total list_bytes "$tmp/direct.json")"
"$BIN/dbfs-pack" -q --layout 2d=1x4 -o "$tmp/row" "$tmp/s12.edges"
search 4 -n 8 --breakdown --force --json "$tmp/ring.json" "$tmp/row" >/dev/null
search 4 -n 8 --breakdown --force --fold direct --json "$tmp/direct.json" "$tmp/row" >/dev/null
dropped=$(total dropped_vertices "$tmp/ring.json")
check "a ring of four drops duplicates in transit ($dropped)" test "$dropped" -gt 0
check 'destinations that go at once drop no duplicates in transit' test "$(total dropped_vertices "$tmp/direct.json")" = 0
check 'one row expands nothing' test "$(total frontier_bytes "$tmp/ring.json")" = 0
"$BIN/dbfs-pack" -q --layout 2d=4x1 -o "$tmp/column" "$tmp/s12.edges"
search 4 -n 8 --breakdown --force --json "$tmp/column.json" "$tmp/column" >/dev/null
check 'one column folds nothing' test "$(total list_bytes "$tmp/column.json")" = 0
check 'one column folds nothing, and expands' test "$(total frontier_bytes "$tmp/column.json")" -gt 0
check_exit 0 'dbfs-report exchange reads it' "$BIN/dbfs-report" exchange "$tmp/ring.json"

# An exact count: the root is the centre of a star of 300, in a row of 3. Each processor finds its own 100 leaves or
# so, and sends 2/3 of them.
rm -rf "$tmp/star"
"$BIN/dbfs-pack" -q --layout 2d=1x3 -o "$tmp/star" "$tmp/star.edges"
search 3 -r 0 --breakdown --force --fold direct --json "$tmp/star.json" "$tmp/star" >/dev/null
leaves=$(awk '$1 % 3 != 0 || $2 % 3 != 0 { n++ } END { print n }' "$tmp/star.txt")
first=$(grep -o '"sent_vertices": \[[0-9]*' "$tmp/star.json" | grep -oE '[0-9]+$' | head -1)
check "level 0 of a star sends the leaves of two other processors ($first of $leaves)" test "$first" = "$leaves"

# ---- several ranks pack, and a packing is resumed ----

check_exit 0 'two ranks pack' "$MPIEXEC" -n 2 "$BIN/dbfs-pack" -q --layout 2d=2x2 -o "$tmp/ranks" "$tmp/s12.edges"
check "$situation: bytes are those of one rank" sh -c 'for f in "$1"/ranks/*.dbfs; do cmp "$f" "$1/s12/${f##*/}" || exit 1; done' - "$tmp"
cp -r "$tmp/s12" "$tmp/lost" && rm "$tmp/lost/grid-0002-of-0004.dbfs"
check_exit 1 'a grid part is missing' search 4 -n 1 "$tmp/lost"
check_says 'grid-0002-of-0004.dbfs: there is no such file'
check_exit 1 '--verify misses it' "$BIN/dbfs-pack" -q --verify "$tmp/lost"
check_says 'grid-0002-of-0004.dbfs: there is no such file'
check_exit 0 '--resume makes it' "$BIN/dbfs-pack" -q --resume --layout 2d=2x2 -o "$tmp/lost" "$tmp/s12.edges"
check "$situation: bytes are those of before" cmp "$tmp/lost/grid-0002-of-0004.dbfs" "$tmp/s12/grid-0002-of-0004.dbfs"
cp -r "$tmp/lost" "$tmp/turned"
check_exit 0 '--resume with another grid of as many shards' \
    "$BIN/dbfs-pack" -q --resume --layout 2d=4x1 -o "$tmp/turned" "$tmp/s12.edges"
check "$situation: makes the parts of that grid" sh -c 'for f in "$1"/column/grid*; do cmp "$f" "$1/turned/${f##*/}" || exit 1; done' - "$tmp"
cp "$tmp/s12/grid-0003-of-0004.dbfs" "$tmp/turned"
check_exit 3 '--verify: parts of two grids' "$BIN/dbfs-pack" -q --verify "$tmp/turned"
check_says 'grid-0003-of-0004.dbfs: attributes: a grid of 2 x 2, and the other parts are of 4 x 1'
check_exit 0 'another packing takes the folder' "$BIN/dbfs-pack" -q --force -p 2 -o "$tmp/lost" "$tmp/s12.edges"
check "$situation: grid parts are removed" test -z "$(ls "$tmp/lost" | grep grid)"

# ---- refusals ----

check_exit 2 'another number of ranks' search 2 -n 1 "$tmp/s12"
check_says 'mpiexec -n 4'
"$BIN/dbfs-pack" -q -p 1 -t 20 -o "$tmp/delegates" "$tmp/s12.edges"
check_exit 2 'a graph with delegates' search 1 -n 1 "$tmp/delegates"
check_exit 2 'no such fold' search 1 --fold up "$tmp/s12"
check_exit 2 'parents are none of its results' search 1 --parents x "$tmp/s12"
for layout in 2d=0x2 2d=2 3d=2x2 2d=2x2x2 2d=5000x1; do
    check_exit 2 "--layout $layout" "$BIN/dbfs-pack" --layout "$layout" -o "$tmp/no" "$tmp/s12.edges"
done
check_exit 2 '-p says otherwise' "$BIN/dbfs-pack" -p 3 --layout 2d=2x2 -o "$tmp/no" "$tmp/s12.edges"
check_exit 2 'a grid with a TH' "$BIN/dbfs-pack" -t 8 --layout 2d=2x2 -o "$tmp/no" "$tmp/s12.edges"
"$BIN/edgeconv" -q --direction directed -o "$tmp/arcs.edges" "$tmp/path.txt"
check_exit 3 'a grid of a directed graph' "$BIN/dbfs-pack" --layout 2d=1x2 -o "$tmp/arcs" "$tmp/arcs.edges"
check_says "arcs.edges has directed edges.*edgeconv -u"
check "$situation: no manifest is left" test ! -e "$tmp/arcs/manifest"
cp -r "$tmp/s12" "$tmp/cut" && truncate -s -4096 "$tmp/cut/grid-0001-of-0004.dbfs"
check_exit 3 'a grid part that was cut' search 4 -n 1 "$tmp/cut"
cp "$tmp/s12/grid-0000-of-0004.dbfs" "$tmp/cut/grid-0001-of-0004.dbfs"
check_exit 3 'the grid part of another processor' search 4 -n 1 "$tmp/cut"
cp "$tmp/s12/grid-0001-of-0004.dbfs" "$tmp/cut/grid-0001-of-0004.dbfs"
printf '\377' | dd of="$tmp/cut/grid-0001-of-0004.dbfs" bs=1 seek=5000 conv=notrunc 2>/dev/null
check_exit 3 'a flipped byte' search 4 -n 1 "$tmp/cut"
check_exit 3 '--verify finds a flipped byte in a grid part' "$BIN/dbfs-pack" -q --verify "$tmp/cut"
check_says 'grid-0001-of-0004.dbfs: padding: is not zero'
cp "$tmp/s12/grid-0001-of-0004.dbfs" "$tmp/cut/grid-0001-of-0004.dbfs"
to=$("$TESTS/mutate" get 5 1 "$tmp/cut/grid-0001-of-0004.dbfs")
"$TESTS/mutate" set 5 0 "$to" "$tmp/cut/grid-0001-of-0004.dbfs"
check_exit 3 'another edge with a right CRC' "$BIN/dbfs-pack" -q --verify "$tmp/cut"
check_says 'cut: the grid parts have [0-9]* edges, and they are not the'
finish
