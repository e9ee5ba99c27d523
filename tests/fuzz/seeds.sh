#!/bin/bash
# seeds.sh DIR: makes the seeds of each fuzz target as DIR/TARGET/*, with the programs of BUILD. So no seed is kept in
# the tree.
set -eu
cd "$(dirname "$0")/../.."
bin=${BUILD:-build}/bin tests=${BUILD:-build}/tests dir=$1
mkdir -p "$dir"/{stream,split,part,manifest,journal,map,packed,convert,webgraph}
edges() { "$bin/edgeconv" -q "$@"; }
pack() { "$bin/dbfs-pack" -q -@ 1 "$@"; }
chosen() { # NAME: prints the last two bytes of a seed by which fuzz_convert.c reads it as FORMAT_NAME
    local number
    number=$(grep -o '^ *FORMAT_[A-Z0-9_]*' tools/convert/read/graph_reader.h | grep -nx " *FORMAT_$1")
    printf "\\$(printf %03o $((${number%%:*} - 1)))\377"
}

# streams: both widths, both directions, permuted, empty, self-loops, several blocks
"$bin/rmatgen" -q -s 6 -e 4 -o "$dir/stream/rmat"
"$bin/rmatgen" -q -s 6 -e 4 -f text -o "$dir/convert/pairs"
{ cat "$dir/convert/pairs"; printf '%s\n' '0 0' '3 3' '3 3' '70 70'; } >"$dir/convert/loops"
edges -u -o "$dir/stream/loops" "$dir/convert/loops"
edges -o "$dir/stream/directed" "$dir/convert/pairs"
edges -u --one-based --vertices 90 -o "$dir/stream/one-based" <(awk '{ print $1 + 1, $2 + 1 }' "$dir/convert/pairs")
edges -u --randomize=5 -o "$dir/stream/random" "$dir/convert/pairs"
printf '%s\n' '0 281474976710655' '7 140737488355328' | edges -u -o "$dir/stream/wide"
printf '# nothing\n' | edges -u -f pairs -o "$dir/stream/empty" || rm -f "$dir/stream/empty"

for graph in rmat loops random directed one-based; do
    for options in '-t 5' '-t 0' '-t inf' '-p 2'; do
        "$bin/degsplit" -q $options -o "$dir/split/$graph-${options// /}" "$dir/stream/$graph"
    done
    for options in '-p 1 -t 6 --encoding raw --heads nn=1,nd=2,dn=1,dd=2' '-p 1 -t 6 --encoding packed' \
        '-p 2 -t inf --encoding raw' '-p 3 -t 4 --encoding packed --heads nd=1,dd=3'; do
        name=$graph-$(echo "$options" | tr -dc 'a-z0-9=')
        pack $options -o "$dir/graph" "$dir/stream/$graph"
        cp "$dir/graph/manifest" "$dir/manifest/$name"
        cp "$dir"/graph/part-0000-of-* "$dir/part/$name"
        rm -r "$dir/graph"
    done
done
pack -p 2 -t 6 --rows out -o "$dir/graph" "$dir/stream/directed"
cp "$dir/graph/manifest" "$dir/manifest/directed-out"
cp "$dir"/graph/part-0000-of-* "$dir/part/directed-out"
rm -r "$dir/graph"

# journals by SPEC-shard.md
journal() { # NAME LINE...
    local name=$1
    shift
    printf '%s\n' 'dbfs-packing 1' 'note an unfinished packing' 'input a.edges' "$@" 'crc 00000000' \
        >"$dir/journal/$name"
    "$tests/mutate" fit "$dir/journal/$name"
}
journal begun 'p 1' 'heads nn=auto nd=auto dn=auto dd=auto' 'encoding auto' 'th-suggested 1'
journal given 'p 3' 'heads nn=1 nd=0 dn=8 dd=auto' 'encoding raw' 'th 5' 'th-suggested 0'
journal known 'p 4096' 'heads nn=0 nd=2 dn=0 dd=2' 'encoding packed' 'th inf' 'th-suggested 1' \
    'input-checksum 0123456789abcdef' 'pack-id fedcba9876543210'

printf '%s\n' one two 'three words' http://x.org/ >"$dir/map/names"
seq 1 200 >"$dir/map/numbers"
printf 'one\0%0300d\n' 1 2 3 4 5 6 7 8 9 >"$dir/map/long-with-zero"
"$tests/packed_seeds" "$dir/packed"

# each format of edgeconv, in each compression and archive
c=$dir/convert
printf '%s\n' '%%MatrixMarket matrix coordinate pattern symmetric' '% c' '4 4 3' '1 2' '2 3' '4 1' >"$c/mtx"
printf '%s\n' '% metis' '4 3' '2' '1 3 4' '2' '2' >"$c/metis"
printf '%s\n' 'c dimacs' 'p sp 4 3' 'a 1 2 5' 'a 2 3 1' 'a 4 1 7' >"$c/dimacs"
printf '%s\n' 'p tw 3 2' '1 2' '2 3' >"$c/pace"
printf '%s\n' '3,2,u,g,2,Int64,simplegraph' '1,2' '2,3' >"$c/lg"
printf '%s\n' '# Nodes: 3 Edges: 2' '# FromNodeId' '0	1' '1	2' >"$c/snap"
printf '%s\n' 'from,to' '1,2' '2,3' >"$c/csv"
printf '%s\n' 'id,source,target,kind' '1,10,20,a b' '2,"20",30,' >"$c/columns"
printf '\tfrom\tto\n0\t1\t2\n1\t2\t3\n' >"$c/pandas"
printf '%s\n' "1 2 {'weight': 3}" '2 3 {}' >"$c/networkx"
printf '%s\n' '#x' '# GMT x' '# ' '0 1 2' '1 2' '2' >"$c/adjlist"
{ printf '0,1 2\n1\n' && chosen ADJLIST; } >"$c/adjlist-chosen"
printf '%s\n' '# 0' '1 .5' '2' '# 1' '2 1' >"$c/lgl"
{ printf '# 0\n1 5\n# 1\n2 7\n' && chosen LGL; } >"$c/lgl-chosen"
printf '%s\n' '4 4 10' '1 3 2' '1 4 1' '1 1 4' '1 2 3' >"$c/metis-regular"
printf '"id","source","target"\n"a, ""b""\nc","1e+05",20\n"d",2.0,3\n' >"$c/quoted"
printf '"1" "2"\n"2" "3"\n' >"$c/quoted-blanks"
printf '%s\n' '1e+05 2' '3 1.5E+06' '4.0 5.' >"$c/real"
printf '%s\n' '# id source target' '1 10 20' '2 20 30' >"$c/comment"
printf '%s\n' '7 4' '2 3' '1 3' '4 2' >"$c/almost-counts"
# --columns and --separator, which fuzz_convert.c reads from the last bytes
printf '1 2,3\n2 1,3\n\0\010\376' >"$c/mixed"
printf 'x;1;2\ny;2;3\n\4\012\376' >"$c/semicolons"
printf 'x y\t1\t\t2\nz\t2\t\t3\n\0\013\376' >"$c/tabs"
printf '%s\n' '101:102,103' '102:101' '103:private' '104:notfound' >"$c/friendster"
edges -u -t sg -o "$c/sg" "$c/pairs"
for format in graph500 u32 u64; do # headerless files
    edges -t $format -o "$c/$format" "$c/pairs"
    chosen ${format^^} >>"$c/$format"
done
cp "$dir/stream/rmat" "$c/edges"
# arrays of NumPy: npy NAME TYPE FORTRAN SHAPE, with items on standard input
npy() {
    local header="{'descr': '$2', 'fortran_order': $3, 'shape': ($4), }"
    printf '\x93NUMPY\1\0v\0%-117s\n' "$header" >"$1"
    cat >>"$1"
}
printf '\0\0\1\0\1\0\2\0' | npy "$c/npy-rows" '<i2' False '2, 2'
printf '\0\1\1\2' | npy "$c/npy-columns" '|u1' True '2, 2'
mkdir "$dir/npz"
printf '\1\0\2' | npy "$dir/npz/indices.npy" '|u1' False '3,'
printf '\0\1\2\3' | npy "$dir/npz/indptr.npy" '|u1' False '4,'
printf 'csr' | npy "$dir/npz/format.npy" '|S3' False ''
printf '\3\3' | npy "$dir/npz/shape.npy" '|u1' False '2,'
if command -v bsdtar >/dev/null; then
    bsdtar -C "$dir/npz" --format zip -cf "$c/npz" indices.npy indptr.npy format.npy shape.npy
else
    tar -C "$dir/npz" -cf "$c/npz" indices.npy indptr.npy format.npy shape.npy
fi
rm -r "$dir/npz"
gzip -nk "$c/pairs"
gzip -nk "$c/csv"
{ head -c 1000000 /dev/zero | tr "\0" " "; echo 1 2; } | gzip -n >"$c/blanks"
for tool in bzip2 xz zstd; do
    command -v $tool >/dev/null && $tool -qk "$c/pairs"
done
tar -C "$c" --sort=name --mtime=@0 --owner=0 --group=0 -cf "$c/tar" pairs snap
tar -C "$c" --sort=name --mtime=@0 --owner=0 --group=0 -cf - pairs snap | gzip -n >"$c/tgz"
# in gzip an archive is a stream, whose end is read by edgeconv itself
command -v zip >/dev/null && (cd "$c" && zip -qX zip pairs snap && gzip -nk zip.zip &&
    printf '0 1\n1 2\n' | zip -qX - - | gzip -n >zip64.gz)
# graphs of WebGraph, as fuzz_webgraph.c reads them: with offsets and without
webgraph() { # NAME ARCS OPTION...
    local base=$dir/g bytes
    "$tests/mkwebgraph" "$base" 100 "${@:3}" <"$2"
    bytes=$(stat -c %s "$base.offsets")
    { cat "$base.properties" && printf "\\0\\x$(printf %02x $((bytes % 256)))\\x$(printf %02x $((bytes / 256)))" &&
        cat "$base.offsets" "$base.graph"; } >"$dir/webgraph/$1-offsets"
    { cat "$base.properties" && printf '\0\0\0' && cat "$base.graph"; } >"$dir/webgraph/$1"
    rm "$base".*
}
{ cat "$c/loops" && for u in 20 21 22 24 27 90; do
    for v in $u 1 2 3 4 5 30 31 32 33 34 35 36 40 60 99; do echo $u $v; done
done; } | sort -n >"$dir/arcs"
webgraph usual "$dir/arcs"
webgraph no-window "$dir/arcs" windowsize=0 minintervallength=0
webgraph chain "$dir/arcs" windowsize=1 maxrefcount=1000 minintervallength=2 zetak=2
webgraph deltas "$dir/arcs" 'compressionflags=OUTDEGREES_DELTA | REFERENCES_GAMMA | BLOCK_COUNT_UNARY | BLOCKS_DELTA | RESIDUALS_NIBBLE | OFFSETS_DELTA'
rm "$dir/arcs"
printf '\x28\xb5\x2f\xfd\0\x88\x21\0\0000 1\n' >"$c/long.zst"
true
