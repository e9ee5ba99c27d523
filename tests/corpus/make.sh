#!/bin/bash
# make.sh DIR: makes the files of README.md in the new folder DIR, with the programs of BUILD (default: build) and
# with tests/fuzz/mutate.c, which makes CRCs right again. Run it from the root of the tree. tests/cli/corpus.sh reads
# the files.
set -eu -o pipefail
bin=$(realpath "${BUILD:-build}/bin")
mutate=$(realpath "${BUILD:-build}/tests/mutate")
mkwebgraph=$(realpath "${BUILD:-build}/tests/mkwebgraph")
out=${1:?usage: tests/corpus/make.sh DIR}
. tests/layouts.sh
mkdir "$out" "$out"/{graph,stream,split,shard,journal,map,text,binary,webgraph,packed}

# ---- changes ----

poke() { "$mutate" poke "$@"; } # OFFSET WIDTH VALUE FILE: changes bytes and makes CRCs right
flip() { # OFFSET FILE: changes a byte and no CRC
    local byte
    byte=$(od -An -tu1 -j "$1" -N 1 "$2")
    printf "\\$(printf %03o $((byte ^ 1)))" | dd of="$2" bs=1 seek="$1" conv=notrunc status=none
}
cut() { head -c "$1" "$2" >"$out/cut" && mv "$out/cut" "$2"; } # BYTES FILE: keeps so many bytes; if negative, cuts so many off
from() { cp -r "$1" "$2"; }                                     # copies a good file that is to become bad
u32() { od -An -tu4 -j "$2" -N 4 "$1" | tr -d ' '; }            # FILE OFFSET
u64() { od -An -tu8 -j "$2" -N 8 "$1" | tr -d ' '; }
size() { stat -c %s "$1"; }

# ---- the graph of all files: five vertices and five edges ----

printf '%s\n' '0 1' '1 2' '0 2' '2 3' '3 4' >"$out/graph/pairs"

# ---- edge streams: the preamble is 64 bytes, then provenance, a block, a trailer of 64 bytes ----

s=$out/stream
"$bin/edgeconv" -q -u -o "$s/good-undirected" "$out/graph/pairs"
"$bin/edgeconv" -q -o "$s/good-directed" "$out/graph/pairs"
awk '{ print $1 + 1, $2 + 1 }' "$out/graph/pairs" | "$bin/edgeconv" -q -u --one-based -o "$s/good-one-based"
awk '{ print $1, $2; print $2, $1 }' "$out/graph/pairs" >"$out/both"
"$bin/edgeconv" -q --direction directed -o "$out/arcs" "$out/both"
as_symmetric <"$out/arcs" >"$s/good-symmetric"
"$bin/edgeconv" -q -u --randomize=3 -o "$s/good-randomised" "$out/graph/pairs"
"$bin/edgeconv" -q -u --vertices 9 -o "$s/good-isolated" "$out/graph/pairs"
{ cat "$out/graph/pairs"; echo '2 2'; echo '2 2'; echo '1 0'; } |
    "$bin/edgeconv" -q -u -o "$s/good-multigraph"
printf '%s\n' '0 281474976710655' '7 4294967296' | "$bin/edgeconv" -q -u -o "$s/good-wide"
echo '# nothing' | "$bin/edgeconv" -q -u -f pairs --vertices 3 -o "$s/good-empty"
g=$s/good-undirected
block=$((64 + $(u32 "$g" 20)))
bad_stream() { # NAME OFFSET WIDTH VALUE
    from "$g" "$s/$1"
    poke "$2" "$3" "$4" "$s/$1"
}
bad_stream bad-magic 0 8 0
bad_stream unsupported-version 8 4 3
bad_stream unsupported-direction 12 4 3
bad_stream unsupported-flags 16 4 2
bad_stream bad-provenance-bytes 20 4 12
bad_stream bad-provenance-long 20 4 8192
bad_stream unsupported-bijection-without-flag 24 8 5
bad_stream unsupported-reserved 44 8 1
bad_stream unsupported-base-of-version-1 40 4 1
for base in 0 2; do
    from "$s/good-one-based" "$s/bad-base-$base"
    poke 40 4 $base "$s/bad-base-$base"
done
from "$s/good-randomised" "$s/bad-bijection-beyond-n"
poke 24 8 70000 "$s/bad-bijection-beyond-n"
for field in preamble:60 provenance:66 block:$((block + 20)) payload:$((block + 30)) trailer:-4; do
    from "$g" "$s/bad-${field%:*}-damaged"
    at=${field#*:}
    flip $((at < 0 ? $(size "$g") + at : at)) "$s/bad-${field%:*}-damaged"
done
bad_stream bad-block-magic $block 4 7
bad_stream bad-block-empty $((block + 4)) 4 0
bad_stream bad-block-too-long $((block + 4)) 4 1048577
bad_stream bad-width $((block + 8)) 4 5
bad_stream unsupported-block-reserved $((block + 16)) 4 1
from "$s/good-wide" "$s/bad-id"
poke $(($(u32 "$s/bad-id" 20) + 64 + 24)) 8 281474976710656 "$s/bad-id"
bad_stream unsupported-trailer-reserved -60 4 1
for field in edges:8:8:6 loops:16:8:1 vertices:24:8:4 max-id:32:8:3 checksum:40:8:1; do
    IFS=: read -r name at width value <<<"$field"
    bad_stream "bad-trailer-$name" $((at - 64)) "$width" "$value"
done
for name in preamble:40 provenance:70 block:$((block + 9)) payload:$((block + 30)) trailer:-10; do
    from "$g" "$s/bad-cut-in-${name%:*}"
    cut "${name#*:}" "$s/bad-cut-in-${name%:*}"
done
from "$g" "$s/bad-without-trailer"
cut -64 "$s/bad-without-trailer"
from "$g" "$s/bad-behind-the-trailer"
echo >>"$s/bad-behind-the-trailer"
: >"$s/bad-nothing"

# ---- splits, and the parts of each container: a header of 32 bytes, entries of 48, sections from 4096 on ----

s=$out/split
"$bin/degsplit" -q -t 2 -o "$s/good-given" "$g"
"$bin/degsplit" -q -p 2 -o "$s/good-suggested" "$g"
"$bin/degsplit" -q -t inf -o "$s/good-no-delegates" "$g"
bad_split() { # NAME OFFSET WIDTH VALUE
    from "$s/good-given" "$s/$1"
    poke "$2" "$3" "$4" "$s/$1"
}
bad_split bad-magic 0 8 0
bad_split unsupported-version 8 4 99
bad_split unsupported-old-version 8 4 0
bad_split bad-no-sections 12 4 0
bad_split bad-too-many-sections 12 4 65
bad_split bad-length 16 8 4096
bad_split unsupported-encoding $((32 + 4)) 4 2
bad_split unsupported-packed $((32 + 4)) 4 1
bad_split bad-width $((32 + 8)) 4 4
bad_split bad-place $((32 + 16)) 8 8192
bad_split bad-bytes $((32 + 24)) 8 40
bad_split bad-count $((32 + 32)) 8 13
bad_split unsupported-entry-reserved $((32 + 40)) 8 1
bad_split bad-type-twice $((32 + 48)) 4 1
bad_split bad-type-unknown $((32 + 48)) 4 77
bad_split bad-padding $((4096 - 8)) 8 1
for field in header:28 table:50 section:4100; do
    from "$s/good-given" "$s/bad-${field%:*}-damaged"
    flip "${field#*:}" "$s/bad-${field%:*}-damaged"
done
attribute() { # NAME INDEX VALUE
    from "$s/good-given" "$s/$1"
    "$mutate" set 1 "$2" "$3" "$s/$1"
}
attribute bad-edges 1 7
attribute bad-vertices 3 6
attribute bad-checksum 5 1
attribute bad-threshold 7 1
attribute bad-delegates 9 2
attribute bad-any-delegates 9 18446744073709551615
attribute bad-chooser 10 9
from "$s/good-given" "$s/bad-delegate-id"
"$mutate" set 2 0 4 "$s/bad-delegate-id"
from "$s/good-given" "$s/bad-cut"
cut -100 "$s/bad-cut"
from "$s/good-given" "$s/bad-cut-in-header"
cut 20 "$s/bad-cut-in-header"

# ---- shard directories ----

s=$out/shard
pack() { "$bin/dbfs-pack" -q -@ 1 "$@"; }
pack -p 1 -t 2 --encoding raw --heads dn=1 -o "$s/good-raw" "$g"
pack -p 2 -t 1 --encoding packed --heads nd=1,dd=2 -o "$s/good-packed" "$g"
pack -p 3 -t inf -o "$s/good-no-delegates" "$out/stream/good-multigraph"
pack -p 2 -t 0 -o "$s/good-empty" "$out/stream/good-empty"
pack -p 2 -t 1 --encoding packed -o "$out/other" "$out/stream/good-multigraph"
pack -p 2 -t 1 -o "$s/good-one-based" "$out/stream/good-one-based"
part=part-0000-of-0001.dbfs
bad_part() { # NAME TYPE INDEX VALUE: changes an element of a raw section, and the manifest with it
    from "$s/good-raw" "$s/$1"
    "$mutate" set "$2" "$3" "$4" "$s/$1/$part"
}
bad_part bad-slot 2 0 5
bad_part bad-degree-run 3 1 9
bad_part bad-delegate-id 4 0 5
bad_part bad-nn-offset 16 1 4000000000
bad_part bad-nn-column 17 0 4
bad_part bad-nn-sources 19 0 255
bad_part bad-dn-head 26 0 7
bad_part bad-dn-sources 27 0 6
bad_part bad-attribute-shard 1 0 1
bad_part bad-attribute-locals 1 5 3
bad_part bad-attribute-local-bits 1 6 40
bad_part bad-attribute-edges 1 8 3
bad_part bad-attribute-sources 1 17 18446744073709551615
arcs=$out/stream/good-directed
pack -p 1 -t 2 --encoding raw --heads dn=1 -o "$s/good-directed" "$arcs"
pack -p 2 -t 1 --rows out -o "$s/good-directed-out" "$arcs"
bad_arcs() { # the same in a packed section
    from "$s/good-directed" "$s/$1"
    "$mutate" set "$2" "$3" "$4" "$s/$1/$part"
}
bad_arcs bad-attribute-with-in 1 20 2
bad_arcs bad-in-nn-column 49 0 7
bad_arcs bad-in-nn-offset 48 1 4000000000
from "$s/good-directed" "$s/bad-manifest-rows"
sed -i '/^rows/d' "$s/bad-manifest-rows/manifest"
"$mutate" fit "$s/bad-manifest-rows/manifest"
from "$s/good-directed" "$s/bad-manifest-rows-of-part"
sed -i 's/^rows .*/rows out/' "$s/bad-manifest-rows-of-part/manifest"
"$mutate" fit "$s/bad-manifest-rows-of-part/manifest"
from "$s/good-raw" "$s/unsupported-part"
poke 8 4 99 "$s/unsupported-part/$part"
from "$s/good-raw" "$s/unsupported-old-part"
poke 8 4 1 "$s/unsupported-old-part/$part"
from "$s/good-raw" "$s/bad-part-damaged"
flip 4097 "$s/bad-part-damaged/$part"
from "$s/good-raw" "$s/bad-part-cut"
cut -8 "$s/bad-part-cut/$part"
from "$s/good-raw" "$s/bad-part-is-a-stream"
cp "$g" "$s/bad-part-is-a-stream/$part"
from "$s/good-packed" "$s/bad-part-missing"
rm "$s/bad-part-missing/part-0001-of-0002.dbfs"
from "$s/good-packed" "$s/bad-part-twice"
cp "$s/bad-part-twice"/part-000{0,1}-of-0002.dbfs
from "$s/good-packed" "$s/bad-part-of-another-graph"
cp "$out/other/part-0001-of-0002.dbfs" "$s/bad-part-of-another-graph"
section_end() { # FILE TYPE
    local entry=32
    while [ "$(u32 "$1" $entry)" != "$2" ]; do
        entry=$((entry + 48))
    done
    echo $(($(u64 "$1" $((entry + 16))) + $(u64 "$1" $((entry + 24)))))
}
from "$s/good-packed" "$s/bad-packed-directory"
at=$(($(section_end "$s/good-packed/part-0001-of-0002.dbfs" 31) - 4)) # the entry of the last block of dd-sources
poke $at 4 4294967295 "$s/bad-packed-directory/part-0001-of-0002.dbfs"
bad_manifest() { # NAME SED-SCRIPT
    from "$s/good-raw" "$s/$1"
    sed -i "$2" "$s/$1/manifest"
    "$mutate" fit "$s/$1/manifest"
}
bad_manifest unsupported-manifest '1s/2/99/'
bad_manifest bad-manifest-key '2i surprise 1'
bad_manifest bad-manifest-key-twice '2p'
bad_manifest bad-manifest-number 's/^n .*/n five/'
bad_manifest bad-manifest-vertices 's/^n .*/n 6/'
bad_manifest bad-manifest-edges 's/^edges-nn .*/edges-nn 1000/'
bad_manifest bad-manifest-shards 's/^p .*/p 0/'
bad_manifest bad-manifest-base-of-version-2 '/^input-checksum/a base 1'
bad_manifest bad-manifest-without-base '1s/2/4/'
from "$s/good-one-based" "$s/bad-manifest-base"
sed -i 's/^base 1/base 0/' "$s/bad-manifest-base/manifest"
"$mutate" fit "$s/bad-manifest-base/manifest"
bad_manifest bad-manifest-bijection '/^input-checksum/a randomized-n 70000\nrandomized-seed 1'
bad_manifest bad-manifest-part-size 's/^part 0 [0-9]*/part 0 4096/'
from "$s/good-raw" "$s/bad-manifest-damaged"
sed -i 's/^n 5/n 7/' "$s/bad-manifest-damaged/manifest"
from "$s/good-raw" "$s/bad-manifest-cut"
cut -9 "$s/bad-manifest-cut/manifest"
from "$s/good-raw" "$s/bad-manifest-missing"
rm "$s/bad-manifest-missing/manifest"

# ---- journals, in folders for --resume ----

s=$out/journal
journal() { # NAME LINE...
    mkdir "$s/$1"
    printf '%s\n' "${@:2}" 'crc 00000000' >"$s/$1/packing"
    "$mutate" fit "$s/$1/packing"
}
lines=('dbfs-packing 1' 'note an unfinished packing' 'input x' 'p 2' 'heads nn=auto nd=auto dn=auto dd=auto'
    'encoding auto' 'th 2' 'th-suggested 0')
journal good-begun "${lines[@]}"
journal unsupported-version 'dbfs-packing 9' "${lines[@]:1}"
journal bad-key "${lines[@]}" 'surprise 1'
journal bad-shards "${lines[@]/p 2/p 0}"
journal bad-heads "${lines[@]/nn=auto/nn=99}"
journal bad-encoding "${lines[@]/encoding auto/encoding best}"
journal bad-other-options "${lines[@]/p 2/p 3}"
from "$s/good-begun" "$s/bad-damaged"
sed -i 's/^th 2/th 3/' "$s/bad-damaged/packing"
from "$s/good-begun" "$s/bad-cut"
cut -20 "$s/bad-cut/packing"

# ---- maps for the five vertices ----

s=$out/map
printf '%s\n' a b 'c d' 'http://e.org/' f >"$s/good-names"
printf '\377\n\001\n\\c "\nd\n%s\n' "$(printf %70000s x | tr ' ' y)" >"$s/good-any-bytes"
printf '%s\n' a b c d >"$s/bad-too-few"
printf '%s\n' a b c d e f >"$s/bad-too-many"
printf '%s\n' a b '' d e >"$s/bad-empty-name"
printf 'a\nb\nc\nd\ne' >"$s/bad-cut"
printf '%s\t%d\n' a 0 b 1 c 2 d 3 e 4 >"$s/bad-index"
: >"$s/bad-nothing"

# ---- text ----

s=$out/text
p=$out/graph/pairs
cp "$p" "$s/good-pairs"
sed 's/$/\r/' "$p" >"$s/good-pairs-crlf"
sed 's/ /,/' "$p" >"$s/good-pairs-comma"
{ echo '% a comment'; echo; cat "$p"; } >"$s/good-pairs-comments"
sed 's/$/ 7 0.5/' "$p" >"$s/good-pairs-values"
snap "$p" >"$s/good-snap"
{ echo from,to; tr ' ' , <"$p"; } >"$s/good-csv"
mkdir "$out/friends"
friends "$p" "$out/friends"
cat "$out"/friends/* >"$s/good-adjacency"
matrix general real 5 "$p" >"$s/good-mtx-general"
awk '{ print $2, $1 }' "$p" >"$out/lower"
matrix symmetric pattern 5 "$out/lower" >"$s/good-mtx-symmetric"
printf '%s\n' '% metis' '5 5' '2 3' '1 3' '1 2 4' '3 5' '4' >"$s/good-metis"
road 5 "$p" >"$s/good-gr"
{ echo 'p tw 5 5'; awk '{ print $1 + 1, $2 + 1 }' "$p"; } >"$s/good-pace"
{ echo 5,5,u,five,2,Int64,simplegraph; awk '{ print $1 + 1 "," $2 + 1 }' "$p"; } >"$s/good-lg"
{ cat "$p"; echo '4 x'; } >"$s/bad-pairs-word"
{ cat "$p"; echo 4; } >"$s/bad-pairs-one-id"
{ cat "$p"; echo '4 5 6 7 8'; } >"$s/bad-pairs-columns"
{ cat "$p"; echo '4 281474976710656'; } >"$s/bad-pairs-id"
{ cat "$p"; echo '-1 2'; } >"$s/bad-pairs-negative"
{ cat "$p"; printf '4 \0005\n'; } >"$s/bad-pairs-nul"
sed 's/^3,4$/3;4/' "$s/good-csv" >"$s/bad-csv-separator"
sed '$s/.*/4:1,,2/' "$s/good-adjacency" >"$s/bad-adjacency"
sed 's/^5 5 5$/5 5 6/' "$s/good-mtx-general" >"$s/bad-mtx-too-few"
sed 's/^5 5 5$/5 5 4/' "$s/good-mtx-general" >"$s/bad-mtx-too-many"
sed 's/^5 5 5$/5 4 5/' "$s/good-mtx-general" >"$s/bad-mtx-not-square"
sed 's/^5 5 5$/3 3 5/' "$s/good-mtx-general" >"$s/bad-mtx-index"
sed '1s/coordinate/array/' "$s/good-mtx-general" >"$s/unsupported-mtx-array"
sed '1s/general/odd/' "$s/good-mtx-general" >"$s/bad-mtx-symmetry"
sed '$s/.*/6/' "$s/good-metis" >"$s/bad-metis-neighbour"
sed '$d' "$s/good-metis" >"$s/bad-metis-lines"
sed 's/^5 5$/5 9/' "$s/good-metis" >"$s/bad-metis-edges"
sed 's/^p sp 5 10$/p sp 5 9/' "$s/good-gr" >"$s/bad-gr-count"
sed '$s/.*/a 5 6 1/' "$s/good-gr" >"$s/bad-gr-vertex"
sed '1s/5 5/5 4/' "$s/good-pace" >"$s/bad-pace-count"
sed '1s/5,5/5,4/' "$s/good-lg" >"$s/bad-lg-too-many"
sed '1s/5,5/5,6/' "$s/good-lg" >"$s/bad-lg-too-few"
sed '$s/.*/5,6/' "$s/good-lg" >"$s/bad-lg-vertex"
sed '$s/.*/5 1/' "$s/good-lg" >"$s/bad-lg-comma"
{ cat "$s/good-lg"; cat "$s/good-lg"; } >"$s/bad-lg-several"
: >"$s/bad-nothing"
echo '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">' >"$s/unsupported-graphml"
printf 'graph [\n  node [\n    id 0\n  ]\n]\n' >"$s/unsupported-gml"
printf 'digraph g {\n  0 -> 1;\n}\n' >"$s/unsupported-dot"
printf '*Vertices 2\n*Edges\n1 2\n' >"$s/unsupported-pajek"
printf '{"nodes": [], "links": []}\n' >"$s/unsupported-json"
awk '{ printf "\"%s\" \"%s\"\n", $1, $2 }' "$p" >"$s/good-quotes" # as R and pandas write
tr ' ' ';' <"$p" >"$s/unsupported-semicolons"

# ---- binary: headerless files are read with -f, as their names say ----

s=$out/binary
serialised 1 5 "$p" >"$s/good-sg"
serialised 0 5 "$p" >"$s/good-sg-undirected"
for format in graph500 u32 u64; do
    "$bin/edgeconv" -q -t $format -o "$s/good-$format" "$p"
    from "$s/good-$format" "$s/bad-$format-cut"
    cut -3 "$s/bad-$format-cut"
done
from "$s/good-sg" "$s/bad-sg-cut"
cut -4 "$s/bad-sg-cut"
bytes() { # OFFSET BYTES FILE
    printf "$2" | dd of="$3" bs=1 seek="$1" conv=notrunc status=none
}
from "$s/good-sg" "$s/bad-sg-neighbour"
bytes $((17 + 6 * 8)) '\377\377\377\177' "$s/bad-sg-neighbour"
from "$s/good-sg" "$s/bad-sg-offsets"
bytes $((17 + 8)) '\377' "$s/bad-sg-offsets"
printf '\0\0\0\0\0\0\0\0\377\377\377\377\377\377\377\377' >"$s/bad-u64-id"
# npy FILE TYPE SHAPE: writes standard input as an array of NumPy, whose header has its length before it
npy() {
    local header="{'descr': '$2', 'fortran_order': False, 'shape': $3, }"
    { printf "\\223NUMPY\\1\\0\\$(printf %o ${#header})\\0%s" "$header"; cat; } >"$s/$1"
}
pairs=$(($(wc -c <"$s/good-u64") / 16))
npy good-npy '<u8' "($pairs, 2)" <"$s/good-u64"
npy bad-npy-cut '<u8' "($pairs, 2)" < <(head -c -3 "$s/good-u64")
npy bad-npy-negative '<i2' '(2, 2)' < <(printf '\1\0\2\0\2\0\377\377')
npy bad-npy-shape '<i2' '(4,)' < <(printf '\1\0\2\0\2\0\3\0')
npy unsupported-npy-float '<f4' '(2, 2)' </dev/null
printf '\211HDF\r\n\032\n%100s' x >"$s/unsupported-hdf5"
printf 'PAR1%100s' x >"$s/unsupported-parquet"

# ---- graphs of WebGraph: folders with g.graph and g.properties ----

s=$out/webgraph
as_webgraph() { # NAME OPTION...: the graph
    mkdir "$s/$1"
    "$mkwebgraph" "$s/$1/g" 5 "${@:2}" <"$p"
}
as_webgraph good-offsets
for name in good-usual bad-cut bad-behind bad-arcs bad-nodes bad-successor bad-reference bad-offsets bad-properties-missing unsupported-class \
    unsupported-flag unsupported-version unsupported-endianness unsupported-compressed; do
    as_webgraph $name
    [ $name = bad-offsets ] || rm "$s/$name/g.offsets"
done
as_webgraph good-no-references windowsize=0 minintervallength=0
as_webgraph good-other-codes 'compressionflags=OUTDEGREES_DELTA | REFERENCES_GAMMA | BLOCKS_DELTA | RESIDUALS_NIBBLE'
cut -1 "$s/bad-cut/g.graph"
printf '\001' >>"$s/bad-behind/g.graph"
printf '\300\100' >"$s/bad-offsets/g.offsets"
"$mkwebgraph" bits "$s/bad-successor/g.graph" g1 u0 g0 z9 b1111
"$mkwebgraph" bits "$s/bad-reference/g.graph" g0 g1 u2 b1111111
"$mkwebgraph" bits "$s/bad-properties-missing/g.graph" b00000001 b00000001
rm "$s/bad-properties-missing/g.properties"
gzip -n "$s/unsupported-compressed/g.graph" && mv "$s/unsupported-compressed/g.graph.gz" "$s/unsupported-compressed/g.graph"
for change in bad-arcs:arcs=5:arcs=6 bad-nodes:nodes=5:nodes=99 unsupported-class:BVGraph$:EFGraph unsupported-flag:flags=:flags=RESIDUALS_GOLOMB \
    unsupported-version:version=0:version=1 unsupported-endianness:version=0:endianness=little; do
    IFS=: read -r name before after <<<"$change"
    sed -i "s/$before/$after/" "$s/$name/g.properties"
done

# ---- compressed files and archives of the pairs ----

s=$out/packed
wrapped() { # NAME COMMAND...: makes a good file, a cut one, and one with a changed byte in its middle
    local name=$1
    shift
    "$@" >"$s/good-$name"
    from "$s/good-$name" "$s/bad-$name-cut"
    cut -9 "$s/bad-$name-cut"
    from "$s/good-$name" "$s/bad-$name-damaged"
    flip $(($(size "$s/good-$name") / 2)) "$s/bad-$name-damaged"
}
tar_of() { tar -C "$out/graph" --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner -cf - pairs; }
wrapped gzip gzip -nc "$p"
for tool in bzip2 xz zstd; do
    command -v $tool >/dev/null && wrapped $tool $tool -qc "$p"
done
tar_of >"$s/good-tar"
from "$s/good-tar" "$s/bad-tar-cut"
cut 515 "$s/bad-tar-cut"
tar_of | gzip -n >"$s/good-tar-gzip"
from "$s/good-tar-gzip" "$s/bad-tar-gzip-cut"
cut -20 "$s/bad-tar-gzip-cut"
if command -v zip >/dev/null; then
    (cd "$out/graph" && zip -qX - pairs) >"$s/good-zip"
    from "$s/good-zip" "$s/bad-zip-cut"
    cut 40 "$s/bad-zip-cut"
    from "$s/good-zip" "$s/bad-zip-damaged"
    flip 45 "$s/bad-zip-damaged"
fi
cat "$s/good-gzip" "$s/good-gzip" >"$s/good-gzip-twice"
{ cat "$s/good-gzip"; echo more; } >"$s/bad-gzip-behind"
printf '\004"M\030%60s' x >"$s/unsupported-lz4"
printf '\037\235\220%60s' x >"$s/unsupported-compress"
printf 'LZIP\001%60s' x >"$s/unsupported-lzip"
printf 'Rar!\032\007\000%60s' x >"$s/unsupported-rar"
rm -r "$out"/{both,arcs,other,friends,lower}
