#!/bin/bash
# swapped-ids.sh: two ids are exchanged in a part whose CRCs are right. All numbers of the parts still agree, and only
# the checksum of the input differs. --verify computes it again if no duplicates were dropped, and says so if it
# cannot.
set -u
. tests/lib.sh
pack=$BIN/dbfs-pack
mutate=$TESTS/mutate

# hubs 0 to 3 of degrees 40, 39, ... and a path, each edge once; with -p 2 the vertices 2 and 4 are in one shard
{
    awk 'BEGIN { for (h = 0; h < 4; h++) for (v = 10; v < 50 - h; v++) print h, v
                 for (v = 4; v < 300; v++) print v, v + 1; print 7, 7; print 2, 2; print 2, 2 }'
} >"$tmp/simple.txt"
{ cat "$tmp/simple.txt"; echo '100 101'; } >"$tmp/multi.txt"
for graph in simple multi; do
    "$BIN/edgeconv" -q -u -o "$tmp/$graph.edges" "$tmp/$graph.txt"
    for p in 1 2; do
        "$pack" -q -p $p -t 20 --encoding raw -o "$tmp/$graph-$p" "$tmp/$graph.edges"
    done
done

# swap GRAPH SECTION I J PARTS: makes $tmp/bad; section 2 has slots, section 4 ids of delegates, which all parts have
swap() {
    local part first second
    rm -rf "$tmp/bad"
    cp -r "$tmp/$1" "$tmp/bad"
    for part in "$tmp"/bad/$5; do
        first=$("$mutate" get "$2" "$3" "$part")
        second=$("$mutate" get "$2" "$4" "$part")
        "$mutate" set "$2" "$3" "$second" "$part"
        "$mutate" set "$2" "$4" "$first" "$part"
    done
}

# with 48, or with 49 in two parts: each is the only vertex of its degree
lone=37
for p in 1 2; do
    check_exit 0 "p $p: as it is" "$pack" --verify "$tmp/simple-$p"
    check_says 'the edges sum up to the checksum of the input'
    swap simple-$p 4 0 2 'part-*'
    check_exit 3 "p $p: delegates whose ids are swapped" "$pack" --verify "$tmp/bad"
    check_says 'bad: the edges of all parts do not sum up to the checksum of the input'
    swap simple-$p 2 $lone $((lone + 1)) "part-000$((p - 1))-*"
    check_exit 3 "p $p: normals whose ids are swapped" "$pack" --verify "$tmp/bad"
    check_says 'bad: the edges of all parts do not sum up to the checksum of the input'
    check_exit 0 "p $p: with a duplicate" "$pack" --verify "$tmp/multi-$p"
    check_says 'without the 2 directed edges dropped as duplicates, the checksum .* cannot be summed up'
    lone=18
done
check_exit 0 'a budget of 32 MiB' "$pack" -S 32M --verify "$tmp/simple-2"
finish
