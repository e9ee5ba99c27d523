#!/bin/bash
# trust.sh: parts with right CRCs and wrong content. dbfs-traverse refuses each index out of range and names it.
# --trust leaves out that check, and --no-check the CRCs. BACKEND=cuda tries a GPU.
set -u
. tests/lib.sh
traverse=$BIN/dbfs-traverse
mutate=$TESTS/mutate
backend=${BACKEND:-cpu}

# self-loops of delegates, normals and isolated vertices
{
    "$BIN/rmatgen" -q -s 9 -e 6 -f text -o -
    printf '%s\n' '0 0' '5 5' '600 600'
} >"$tmp/g.txt"
"$BIN/edgeconv" -q -u -o "$tmp/g.edges" "$tmp/g.txt"
"$BIN/dbfs-pack" -q -p 1 -t 12 --encoding raw --heads nn=1,nd=2,dn=1,dd=2 -o "$tmp/p1" "$tmp/g.edges"
"$BIN/dbfs-pack" -q -p 2 -t 12 --encoding raw -o "$tmp/p2" "$tmp/g.edges"
"$BIN/dbfs-pack" -q -p 2 -t inf --encoding raw -o "$tmp/inf" "$tmp/g.edges"

# lie FOLDER TYPE INDEX VALUE [PART]: copies the folder to $tmp/bad and changes an element of a part
lie() {
    local p=${1##*/p}
    [ "$p" = 1 ] || p=2
    rm -rf "$tmp/bad"
    cp -r "$1" "$tmp/bad"
    "$mutate" set "$2" "$3" "$4" "$tmp/bad/part-000${5:-0}-of-000$p.dbfs"
}
search() { timeout 60 "$traverse" --backend "$backend" -q -@ 2 -n 4 $(divided 1 "$@") "$@"; }

# ---- each section that holds indices or is indexed ----

check_exit 0 'the graph as it is' search "$tmp/p1"
kinds=(nn nd dn dd)
for g in 0 1 2 3; do
    name=${kinds[g]} base=$((16 + 4 * g))
    for value in 4294967295 2147483647 1000; do
        lie "$tmp/p1" $((base + 1)) -1 $value
        check_exit 3 "$name: a column $value" search "$tmp/bad"
        check_says "part-0000-of-0001.dbfs: $name: column [0-9]*: is out of range"
    done
    lie "$tmp/p1" $((base + 2)) 0 2147483647
    check_exit 3 "$name: a head out of range" search "$tmp/bad"
    check_says "$name: row 0: a head"
    lie "$tmp/p1" $((base + 2)) 0 4294967295
    check_exit 3 "$name: a head that is missing" search "$tmp/bad"
    check_says "$name: row 0: a head"
    lie "$tmp/p1" $base 1 4000000000
    check_exit 3 "$name: an offset beyond the columns" search "$tmp/bad"
    check_says "$name: row 1: offsets descend"
    lie "$tmp/p1" $((base + 3)) 0 0
    check_exit 3 "$name: a source mask without rows" search "$tmp/bad"
    check_says "$name: row [0-9]*: its bit in the source mask is wrong"
done
lie "$tmp/p1" 2 0 601
check_exit 3 'a slot' search "$tmp/bad"
check_says 'local-slots: entry 0 is not below n'
lie "$tmp/p1" 4 -1 4294967295
check_exit 3 'a delegate id' search "$tmp/bad"
check_says 'delegate-ids: entry [0-9]* is not below n'
for type in 3 5; do
    lie "$tmp/p1" $type 1 1000000000
    check_exit 3 "a run of degrees ($type)" search "$tmp/bad"
    check_says 'degrees: run 0 is out of order or range'
done
# `at` and `index` of a self-loop are one word in the file
for index in 0 1; do
    lie "$tmp/p1" 6 0 $((index == 0 ? 3 : 4294967296 * 70000))
    check_exit 3 "a self-loop where there is no vertex ($index)" search "$tmp/bad"
    check_says 'loops: entry 0 is wrong'
done
for attribute in 4 5 6 8 9 10 11 12 16; do
    for value in 0 1 33 4294967295 18446744073709551615; do
        lie "$tmp/p1" 1 $attribute $value
        code=0
        search "$tmp/bad" >"$tmp/out" 2>"$tmp/err" || code=$?
        # the value may be the one that is there
        check "attribute $attribute is $value: refused or harmless ($code)" test $code = 3 -o $code = 0
    done
done

# ---- vertices of other shards ----

# the bits above its local bits are the shard of an nn column
bits=$("$mutate" get 1 6 "$tmp/inf/part-0000-of-0002.dbfs")
for value in $(((1 << bits) + (1 << bits) - 1)) $((2 << bits)); do
    lie "$tmp/inf" 17 0 $value
    check_exit 3 "a vertex that another shard does not have ($value)" search "$tmp/bad"
    check_says 'part-0000-of-0002.dbfs: nn: column 0: is out of range'
    check_exit 3 'a column out of range with a rank for each part' \
        timeout 60 "$MPIEXEC" -n 2 "$traverse" --backend "$backend" --exchange-memory host -q -@ 1 -n 4 "$tmp/bad"
    check_says 'rank 0 on .*part-0000-of-0002.dbfs: nn: column 0: is out of range'
done
lie "$tmp/p2" 29 -1 1000000 1
check_exit 3 'a delegate that nobody has, in the second part' search "$tmp/bad"
check_says 'part-0001-of-0002.dbfs: dd: column'

# ---- the options ----

word=$("$mutate" get 27 0 "$tmp/p1/part-0000-of-0001.dbfs") # sources of dn
lie "$tmp/p1" 27 0 $((word & ~1))                           # this change leads nowhere wrong
check_exit 3 'a source less is refused' search "$tmp/bad"
check_exit 0 'an edge source less is searched with --trust' search --trust "$tmp/bad"
check_exit 3 '--no-check leaves out CRCs, not ranges' search --no-check "$tmp/bad"
rm -rf "$tmp/bad"
cp -r "$tmp/p1" "$tmp/bad"
part=$tmp/bad/part-0000-of-0001.dbfs
printf '\377' | dd of="$part" bs=1 conv=notrunc status=none seek=$(($(stat -c %s "$part") - 1))
check_exit 3 'damage is seen by its CRC' search --trust "$tmp/bad"
check_says 'CRC differs'
"$traverse" --backend "$backend" -r 1 "$tmp/p1" >"$tmp/out" 2>&1
check "$situation: the time of the check is printed" grep -qE '^load_s: .*, ranges [0-9.]+\)$' "$tmp/out"
finish
