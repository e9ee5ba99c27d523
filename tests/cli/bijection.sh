#!/bin/bash
# bijection.sh: numbers of vertices that are damaged, under CRCs that are right.
# - A header that permutes more ids than there are vertices is bad data for each reader of a stream or a manifest.
# - The sampling of roots ends even if parts promise more vertices than they have.
# - Sampling roots ends even if parts promise more vertices than they have.
set -u
. tests/lib.sh

crc() { gzip -c | tail -c 8 | head -c 4; } # CRC of standard input, little-endian
put() { dd of="$1" bs=1 seek="$2" conv=notrunc 2>/dev/null; }
limited() { timeout 60 "$@"; }

# ---- edge streams ----

printf '0 1\n1 2\n' | "$BIN/edgeconv" -q -u --vertices 3 --randomize=5 -o "$tmp/good.edges"
printf '0 1\n1 2\n' | "$BIN/edgeconv" -q -u --vertices 3 --randomize=5 |
    "$BIN/edgeconv" -q --vertices 9 -o "$tmp/more.edges" -
# permute FILE N: copies the stream and makes N (below 2^24) its number of permuted ids, byte 24 of the preamble on
permute() {
    cp "$tmp/good.edges" "$1"
    printf "$(printf '\\x%02x' $(($2 & 255)) $(($2 >> 8 & 255)) $(($2 >> 16 & 255)))" | put "$1" 24
    head -c 60 "$1" | crc | put "$1" 60
}
permute "$tmp/same.edges" 3
check 'naming the same n again gives the same stream' cmp "$tmp/good.edges" "$tmp/same.edges"
for n in 4 70000; do
    bad=$tmp/bad$n.edges
    permute "$bad" $n
    check_exit 3 "$n ids of 3: edgeconv" "$BIN/edgeconv" -q -t text "$bad"
    check_exit 3 "$n ids of 3: edgeconv --original-ids" "$BIN/edgeconv" -q --original-ids "$bad" -o "$tmp/x.edges"
    check_exit 3 "$n ids of 3: degsplit" "$BIN/degsplit" -q -p 1 -o "$tmp/x.split" "$bad"
    check_exit 3 "$n ids of 3: dbfs-pack" "$BIN/dbfs-pack" -q -p 1 -o "$tmp/x" "$bad"
    check_says "bad$n.edges: trailer at byte .*: 3 vertices, fewer than the $n ids"
    check_exit 3 "$n ids of 3: dbfs-pack from a pipe" \
        bash -c 'cat "$2" | "$1" -q -p 1 -o "$3" -' - "$BIN/dbfs-pack" "$bad" "$tmp/x"
    check_exit 3 "$n ids of 3: two ranks of dbfs-pack" \
        limited "$MPIEXEC" -n 2 "$BIN/dbfs-pack" -q -p 2 -o "$tmp/x" "$bad"
    check "$n ids of 3: nothing was written" test ! -e "$tmp/x.edges" -a ! -e "$tmp/x.split" -a ! -e "$tmp/x"
done
check_exit 0 'fewer ids than vertices are permuted' "$BIN/dbfs-pack" -q -p 2 -o "$tmp/more" "$tmp/more.edges"
check_exit 0 'fewer ids than vertices are permuted: the shards are searched' limited "$BIN/dbfs-traverse" -q -r 0 --force --depths "$tmp/depths" "$tmp/more"
check "$situation: distances are by original id" test "$(cut -f 2 "$tmp/depths" | head -3 | tr '\n' ' ')" = '0 1 2 '

# ---- manifests ----

"$BIN/dbfs-pack" -q -p 1 --encoding raw -o "$tmp/g" "$tmp/good.edges"
cp "$tmp/g/manifest" "$tmp/manifest"
# say N: makes N the manifest's randomized-n
say() {
    grep -v '^crc ' "$tmp/manifest" | sed "s/^randomized-n .*/randomized-n $1/" >"$tmp/g/manifest"
    crc <"$tmp/g/manifest" | od -An -tx4 | sed 's/^ */crc /' >"$tmp/crc"
    cat "$tmp/crc" >>"$tmp/g/manifest"
}
say 3
check 'naming the same n again gives the same manifest' cmp "$tmp/manifest" "$tmp/g/manifest"
for n in 0 4 70000; do
    say $n
    check_exit 3 "randomized-n $n: --verify" "$BIN/dbfs-pack" -q --verify "$tmp/g"
    check_says "g/manifest: randomized-n $n: expected 1 to n, 3"
    check_exit 3 "randomized-n $n: --list" "$BIN/dbfs-pack" --list "$tmp/g"
    check_exit 3 "randomized-n $n: distances" \
        limited "$BIN/dbfs-traverse" -q -r 0 --force --depths "$tmp/x" "$tmp/g"
    check_exit 3 "randomized-n $n: sampled roots" limited "$BIN/dbfs-traverse" -q -n 3 "$tmp/g"
done
cp "$tmp/manifest" "$tmp/g/manifest"

# ---- sampling ----

# slot INDEX VALUE: changes an entry of local-slots, the section of type 2 (entries of the table have 48 bytes)
part=$tmp/g/part-0000-of-0001.dbfs
word() { od -An -tu4 -j "$1" -N 4 "$part" | tr -d ' '; }
entry=32
while [ "$(word $entry)" != 2 ]; do entry=$((entry + 48)); done
slots=$(word $((entry + 16)))
cp "$part" "$tmp/part"
check_exit 0 'three vertices to sample' limited "$BIN/dbfs-traverse" -q --no-check -n 3 "$tmp/g"
printf '\0\0\0\0\0\0\0\0\0\0\0\0' | put "$part" "$slots"
check_exit 3 'one vertex three times: sampling ends' limited "$BIN/dbfs-traverse" -q --no-check -n 3 "$tmp/g"
check_says 'vertices have edges, expected'
cp "$tmp/part" "$part"
printf '\377\377\377\177' | put "$part" "$slots"
check_exit 3 'a slot far past the last one' limited "$BIN/dbfs-traverse" -q --no-check -n 3 "$tmp/g"
check_says 'local-slots: entry 0 is not below'
finish
