#!/bin/bash
# dbfs-pack-upper.sh: one shard in memory, where each edge is placed once (tools/pack/upper.h), against two
# ranks, which place both directions and sort them: the same bytes.
set -u
. tests/lib.sh
pack=$(realpath "$BIN/dbfs-pack")

same_folders() { diff -r "$1" "$2" >&2; }
alike() { # NAME OPTIONS...
    local name=$1
    shift
    rm -rf "$tmp/both"
    check_exit 0 "$name: both directions" \
        timeout 120 "$MPIEXEC" -n 2 "$pack" -q -@ 1 -p 1 -o "$tmp/both" "$@"
    for threads in 1 2 5; do
        rm -rf "$tmp/once"
        check_exit 0 "$name: once, $threads threads" "$pack" -q -@ $threads -p 1 -o "$tmp/once" "$@"
        check "$name, $threads threads: the same bytes" same_folders "$tmp/once" "$tmp/both"
    done
    check_exit 0 "$name: sound" "$pack" --verify "$tmp/once"
}

# ---- hubs, short rows, duplicates: TH above, between and below all degrees ----

"$BIN/rmatgen" -q -s 17 -o "$tmp/rmat.edges"
for th in 0 1 8 300 inf; do
    alike "RMAT, TH $th" -t $th "$tmp/rmat.edges"
done
alike 'RMAT, suggested' "$tmp/rmat.edges"
alike 'RMAT, raw' --encoding raw "$tmp/rmat.edges"
alike 'RMAT, many heads' --heads nn=1,nd=8,dn=3,dd=5 "$tmp/rmat.edges"
"$BIN/degsplit" -q -t 20 -o "$tmp/rmat.split" "$tmp/rmat.edges"
alike 'RMAT, a .split' -s "$tmp/rmat.split" "$tmp/rmat.edges"

# ---- both directions in the stream ----

"$BIN/rmatgen" -q -s 12 -f text | awk '{ print $1, $2; print $2, $1 }' |
    "$BIN/edgeconv" -q --direction symmetric -o "$tmp/symmetric.edges"
alike 'a symmetric stream' "$tmp/symmetric.edges"
alike 'a symmetric stream, TH 3' -t 3 "$tmp/symmetric.edges"

# ---- rows and ranges of every size ----

# two hubs that share 300,000 neighbours, each edge twice: rows that are too long to be sorted whole
awk 'BEGIN { for (i = 0; i < 600000; i++) { print 0, 2 + i * 7 % 300000; print 1, 2 + i * 11 % 300000 } }' |
    "$BIN/edgeconv" -q -u -o "$tmp/hubs.edges"
for th in 0 4 inf; do
    alike "two hubs, TH $th" -t $th "$tmp/hubs.edges"
done
# a star, whose neighbours are one after the other: blocks of packed columns without words
awk 'BEGIN { for (i = 1; i < 20000; i++) print 0, i }' | "$BIN/edgeconv" -q -u -o "$tmp/star.edges"
for th in 0 1 inf; do
    alike "a star, TH $th" -t $th "$tmp/star.edges"
done
# a path: so many rows of a range that records need 8 bytes
awk 'BEGIN { for (i = 1; i < 900000; i++) print i - 1, i }' | "$BIN/edgeconv" -q -u -o "$tmp/path.edges"
for th in 0 1 inf; do
    alike "a path, TH $th" -t $th "$tmp/path.edges"
done
printf '3 3\n' | "$BIN/edgeconv" -q -u --vertices 5 -o "$tmp/none.edges"
printf '3 4\n4 3\n' | "$BIN/edgeconv" -q -u --vertices 5 -o "$tmp/one.edges"
alike 'no edges' "$tmp/none.edges"
alike 'one edge' -t 1 "$tmp/one.edges"
alike 'one edge between delegates' -t 0 "$tmp/one.edges"
finish
