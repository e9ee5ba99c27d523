#!/bin/bash
# read-python.sh: scripts/read_dbfs.py was written from the SPEC files alone. It finds the input's edges in streams
# and shards, so the SPECs describe what the programs do.
set -u
. tests/lib.sh
root=$PWD
reader=$root/scripts/read_dbfs.py
bin=$(realpath "$BIN")
if ! command -v python3 >/dev/null 2>&1; then
    skip 'streams and shards in Python: no python3'
    finish
fi
check 'the reader has under 150 lines' test "$(wc -l <"$reader")" -lt 150
cd "$tmp" || exit 1
"$bin/rmatgen" -q -s 11 -f text -o rmat.txt
"$bin/edgeconv" -q -u -o rmat.edges rmat.txt
awk 'BEGIN { for (i = 0; i < 3000; i++) { print i, (i * i + 1) % 3000; print i, i } print "7 5000000000" }' >far.txt
"$bin/edgeconv" -q -u -o far.edges far.txt
"$bin/edgeconv" -q -u --one-based -o one.edges <(awk '{ print $1 + 1, $2 + 1 }' rmat.txt)
cp rmat.txt one.txt
for graph in rmat far one; do
    tr '\t' ' ' <$graph.txt >want
    check "read_dbfs.py finds the edges of the stream $graph" bash -c '"$1" $2.edges | cmp - want' - "$reader" $graph
done
# shards hold both directions of each edge, without self-loops and duplicates
awk '$1 != $2 { print $1, $2; print $2, $1 }' rmat.txt | sort -u >want
for options in '-p 1' '-p 3' '-p 3 -t 8 --encoding raw' '-p 2 -t inf' '-p 2 -t 0' '-p 3 --encoding packed --heads nn=0,nd=3,dn=2,dd=8' \
    '-p 1 --encoding packed --heads nn=2,nd=0,dn=0,dd=0 -t 20' '-p 2 --base 1'; do
    "$bin/dbfs-pack" -q --force $options -o g.dbfs rmat.edges
    check "read_dbfs.py finds the edges of shards packed with $options" bash -c '"$1" g.dbfs | sort | cmp - want' - "$reader"
    rm -r g.dbfs
done
mkdir old
tar -xzf "$root/tests/fixtures/shard-2/rmat-p3-packed.tar.gz" -C old
gzip -dc "$root/tests/fixtures/edges-1/rmat.edges.gz" >old.edges
"$reader" old.edges | awk '$1 != $2 { print $1, $2; print $2, $1 }' | sort -u >want
check 'read_dbfs.py finds the edges of shards of version 2' bash -c '"$1" old | sort | cmp - want' - "$reader"
refuses() { # NAME FILE PATTERN
    check_exit 1 "$1" "$reader" "$2"
    check_says "$3"
}
head -c -64 rmat.edges >cut.edges
refuses 'a stream without its trailer' cut.edges 'ends without its trailer'
cp rmat.edges bad.edges
printf '\1' | dd of=bad.edges bs=1 seek=2000 conv=notrunc status=none
refuses 'a changed byte' bad.edges 'corrupt'
"$bin/dbfs-pack" -q -p 2 -o g.dbfs rmat.edges
printf '\1\1\1' | dd of=g.dbfs/part-0001-of-0002.dbfs bs=1 seek=8195 conv=notrunc status=none
refuses 'a changed byte of a part' g.dbfs 'corrupt'
finish
