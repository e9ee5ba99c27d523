#!/bin/bash
# depths-width.sh: --depths-width makes arrays of 1 and 2 bytes a distance, which are those of 4 bytes up to the largest value;
# what is farther has that value, and a warning says so. Ranks, shards, permuted ids, matrices of dbfs-batch.
set -u
. tests/lib.sh
traverse() { # RANKS OPTION...
    local ranks=$1
    shift
    "$MPIEXEC" -n "$ranks" "$BIN/dbfs-traverse" -q -@ 1 --force --depths "$@"
}
# narrowed WIDTH FILE: prints the values of an array of this width, after the header
narrowed() { od -An -v -td"$1" -w"$1" -j 128 "$2" | tr -d ' '; }
# clipped MOST FILE: prints the values of a table, at most MOST
clipped() { awk -v most="$1" '{ print ($2 > most ? most : $2) }' "$2"; }

"$TESTS/mkgraph" path 400 >"$tmp/path.txt"
printf '500 501\n' >>"$tmp/path.txt"
"$TESTS/oracle" -n 502 -o "$tmp/want.%d" "$tmp/path.txt" 0,200 >/dev/null
"$BIN/edgeconv" -q -u --vertices 502 -o "$tmp/plain" "$tmp/path.txt"
"$BIN/edgeconv" -q -u --vertices 502 --randomize=3 -o "$tmp/permuted" "$tmp/path.txt"
for ids in plain permuted; do
    for p in 1 3; do
        "$BIN/dbfs-pack" -q -p $p -t 2 -o "$tmp/$ids-$p" "$tmp/$ids"
    done
done
for layout in plain-1:1 plain-3:1 plain-3:3 permuted-1:1 permuted-3:1 permuted-3:3; do
    graph=$tmp/${layout%:*} ranks=${layout#*:}
    check_exit 0 "$layout, 1 byte" traverse $ranks "$tmp/d.npy" --depths-width 1 -r 0 "$graph"
    check_says '^dbfs-traverse: .*/d.npy: 272 vertices are farther than 127 from root 0, up to distance 399: they have 127, as --depths-width is 1$'
    check "$layout: distances of 1 byte are those of the oracle, up to 127" diff <(narrowed 1 "$tmp/d.npy") <(clipped 127 "$tmp/want.0")
    check_exit 0 "$layout, 2 bytes" traverse $ranks "$tmp/d.raw" --depths-width 2 -r 0 "$graph"
    check "$layout: distances of 2 bytes are those of the oracle, without a warning" test ! -s "$tmp/err" -a \
        "$(od -An -v -td2 -w2 "$tmp/d.raw" | tr -d ' ' | md5sum)" = "$(cut -f 2 "$tmp/want.0" | md5sum)"
    check_exit 0 "$layout, text" traverse $ranks "$tmp/d.tsv" --depths-width 1 -r 0 "$graph"
    check "$layout: text has all distances" cmp "$tmp/d.tsv" "$tmp/want.0"
done
check_exit 0 'a width without an array' traverse 1 "$tmp/d.csv" --depths-width 1 -r 0 "$tmp/plain-1" -v
check_exit 0 'an array of int16 and parents' traverse 3 "$tmp/d.npy" --parents "$tmp/p.npy" --depths-width 2 -r 200 "$tmp/plain-3"
check 'dbfs-check proves distances of 2 bytes' "$BIN/dbfs-check" -q -r 200 --depths "$tmp/d.npy" --parents "$tmp/p.npy" "$tmp/plain"
check 'the header of an array of 1 byte has its type' eval 'traverse 1 "$tmp/h.npy" --depths-width 1 -r 5 "$tmp/plain-1" 2>/dev/null >&2; grep -aq "|i1" "$tmp/h.npy"'
for ranks in 1 2; do
    check_exit 0 "a matrix of 1 byte, ranks $ranks" "$MPIEXEC" -n $ranks "$BIN/dbfs-batch" -q -@ 1 --batch 1 --force -r 0,200 --depths "$tmp/m.npy" --depths-width 1 "$tmp/plain-3"
    check_says '/m.npy: 417 distances are larger than 127: they have this value, as --depths-width is 1$'
    check "$situation: has the distances of both roots, up to 127" diff <(narrowed 1 "$tmp/m.npy") <(clipped 127 "$tmp/want.0"; clipped 127 "$tmp/want.200")
    check "$situation: its header has the shape" grep -aq "'|i1', 'fortran_order': False, 'shape': (2, 502)" "$tmp/m.npy"
done
check_exit 0 'arrays of dbfs-batch' "$BIN/dbfs-batch" -q -r 200 --depths "$tmp/b.raw" --depths-width 2 "$tmp/plain-1"
check "$situation: are those of the oracle" test "$(od -An -v -td2 -w2 "$tmp/b.raw" | tr -d ' ' | md5sum)" = "$(cut -f 2 "$tmp/want.200" | md5sum)"
check_exit 2 'a width of 3' traverse 1 "$tmp/x.npy" --depths-width 3 -r 0 "$tmp/plain-1"
if python3 -c 'import numpy' 2>/dev/null; then
    check 'numpy loads distances of 1 byte as int8' python3 -c 'import numpy, sys
d = numpy.load(sys.argv[1])
assert d.dtype == numpy.int8 and d[5] == 0 and d[501] == -1 and d.max() == 127' "$tmp/h.npy"
else
    skip 'numpy loads distances of 1 byte: no numpy'
fi
finish
