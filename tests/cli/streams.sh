#!/bin/bash
# streams.sh: several edge streams are one graph. Programs that read them, in any order and on any ranks, write the
# bytes of the one stream with all their edges. Streams that contradict each other are refused.
set -u
. tests/lib.sh
. tests/layouts.sh
pack=$(realpath "$BIN/dbfs-pack")
degsplit=$(realpath "$BIN/degsplit")
check=$(realpath "$BIN/dbfs-check")
scale=17
[ "${TEST_MODE:-short}" = long ] && scale=20

same() { cmp "$1" "$2" >&2; }
same_folders() { diff -r "$1" "$2" >&2; }
mpi() { local n=$1; shift; timeout 300 "$MPIEXEC" -n "$n" "$@"; }

# makes the graph and its pieces; each of 4 ranks, and of 2, has its own in a folder of its own
"$BIN/rmatgen" -q -s $scale -o "$tmp/g.edges"
edges=$((16 << scale)) ends=(0 100000 1000000 1000001)
for i in 0 1 2 3; do
    next=${ends[i + 1]:-$edges}
    "$BIN/rmatgen" -q -s $scale --first ${ends[i]} --count $((next - ends[i])) -o "$tmp/part-$i.edges"
    mkdir -p "$tmp/host4-$i" "$tmp/host2-$((i / 2))"
    ln "$tmp/part-$i.edges" "$tmp/host4-$i/piece-$i.edges"
    ln "$tmp/part-$i.edges" "$tmp/host2-$((i / 2))/$((i % 2)).edges"
done
pieces=("$tmp"/part-{0,1,2,3}.edges) turned=("$tmp"/part-{2,3,0,1}.edges)
of4="$tmp/host4-%r/piece-%r.edges" of2=("$tmp/host2-%r/"{0,1}.edges)

# ---- the same bytes ----

split_alike() { # NAME COMMAND...: compares with $tmp/ref.split and $tmp/ref.tsv
    local name=$1
    shift
    check_exit 0 "$name" "$@" --force --sweep "$tmp/x.tsv" -o "$tmp/x.split"
    check "$name: the split is that of the whole" same "$tmp/ref.split" "$tmp/x.split"
    check "$name: the sweep is that of the whole" same "$tmp/ref.tsv" "$tmp/x.tsv"
}
for how in '-p 4' '-p 2 --suggest memory' '-t 30'; do
    "$degsplit" -q $how --force --sweep "$tmp/ref.tsv" -o "$tmp/ref.split" "$tmp/g.edges"
    split_alike "degsplit $how" "$degsplit" -q -@ 3 $how "${turned[@]}"
    split_alike "degsplit $how, 2 ranks share" mpi 2 "$degsplit" -q -@ 1 $how "${pieces[@]}"
    split_alike "degsplit $how, 4 ranks have their own" mpi 4 "$degsplit" -q -@ 1 $how "$of4"
done
pack_alike() { # NAME COMMAND...: compares with $tmp/ref
    local name=$1
    shift
    rm -rf "$tmp/x"
    check_exit 0 "$name" "$@" -o "$tmp/x"
    check "$name: bytes are those of the whole" same_folders "$tmp/x" "$tmp/ref"
}
all=('-p 1' '-p 4 --suggest memory' '-p 2 -t inf --encoding raw')
[ "${TEST_MODE:-short}" = short ] || all+=('-p 2' '-p 4 -t 30')
for options in "${all[@]}"; do
    rm -rf "$tmp/ref"
    "$pack" -q $options -o "$tmp/ref" "$tmp/g.edges"
    pack_alike "dbfs-pack $options" "$pack" -q -@ 1 $options "${pieces[@]}"
    pack_alike "dbfs-pack $options, another order" "$pack" -q -@ 3 $options "${turned[@]}"
    pack_alike "dbfs-pack $options, 2 ranks share" mpi 2 "$pack" -q -@ 1 $options "${turned[@]}"
    pack_alike "dbfs-pack $options, 2 ranks with two each" mpi 2 "$pack" -q -@ 2 $options "${of2[@]}"
    pack_alike "dbfs-pack $options, 4 ranks with one each" mpi 4 "$pack" -q -@ 1 $options "$of4"
done
# a piece for each of two ranks, and two pieces that both can read
cp "$tmp/part-1.edges" "$tmp/here-0.edges"
cp "$tmp/part-3.edges" "$tmp/here-1.edges"
rm -rf "$tmp/ref"
"$pack" -q -p 2 -o "$tmp/ref" "$tmp/g.edges"
pack_alike 'some shared and some not' \
    mpi 2 "$pack" -q -@ 1 -p 2 "$tmp/part-2.edges" "$tmp/here-%r.edges" "$tmp/part-0.edges"
pack_alike 'one process is rank 0' "$pack" -q -p 2 "$tmp/host2-%r/0.edges" "$tmp/host2-%r/1.edges" "${pieces[@]:2}"
"$degsplit" -q -p 2 --force -o "$tmp/g.split" "${turned[@]}"
pack_alike 'with a split of the pieces' "$pack" -q -p 2 -s "$tmp/g.split" "$tmp/g.edges"
# a bucket of a larger graph needs more, and AddressSanitizer adds memory of its own
budget=40
[ "${TEST_MODE:-short}" = long ] && budget=56
grep -q __asan_init "$pack" && budget=$((budget + 8))
mv "$tmp/ref" "$tmp/suggested"
"$pack" -q -p 2 -t inf -o "$tmp/ref" "$tmp/g.edges" # nn edges between shards are placed twice
pack_alike 'edges that spill' "$pack" -v -@ 1 -S ${budget}M -T "$tmp" -p 2 -t inf "${pieces[@]}"
check_says 'spilled' 'dbfs-pack of streams within -S spills'
pack_alike 'edges that spill, 2 ranks' mpi 2 "$pack" -v -@ 1 -S ${budget}M -T "$tmp" -p 2 -t inf "${of2[@]}"
check_says 'spilled' 'dbfs-pack of streams within -S spills on two ranks'
rm -r "$tmp/ref"
mv "$tmp/suggested" "$tmp/ref"
check_exit 0 '--plan of pieces' "$pack" --plan -p 2 "${pieces[@]}"
cp "$tmp/out" "$tmp/plan"
"$pack" --plan -p 2 "$tmp/g.edges" >"$tmp/plan.one"
check "$situation: is that of the whole, except bytes to read" \
    test -z "$(diff "$tmp/plan" "$tmp/plan.one" | grep '^[<>]' | grep -v 'stream-bytes-read\|memory')"
check_exit 0 '--verify' "$pack" --verify "$tmp/x"

# ---- pipes ----

check 'two pipes and a file are packed' bash -c '"$1" -q -p 2 --force -o "$2/x" <(cat "$2/part-0.edges") \
    "$2/part-1.edges" <(cat "$2/part-2.edges") - <"$2/part-3.edges"' - "$pack" "$tmp"
check 'two pipes and a file give the bytes of the whole' same_folders "$tmp/x" "$tmp/ref"
mkfifo "$tmp/fifo-0" "$tmp/fifo-1"
cat "$tmp/part-0.edges" >"$tmp/fifo-0" &
cat "$tmp/part-1.edges" >"$tmp/fifo-1" &
pack_alike 'a pipe for each rank' mpi 2 "$pack" -q -@ 1 -p 2 "$tmp/fifo-%r" "${pieces[@]:2}"
wait

# ---- hosts without a common file system ----

rm -rf "$tmp/ref" "$tmp/x"
"$pack" -q -p 5 -o "$tmp/ref" "$tmp/g.edges"
cat >"$tmp/apart" <<'SCRIPT'
#!/bin/bash
cd "$1-${PMI_RANK:-${OMPI_COMM_WORLD_RANK:-0}}" && exec "${@:2}"
SCRIPT
chmod +x "$tmp/apart"
check_exit 0 'each rank in a folder of its own' \
    mpi 2 "$tmp/apart" "$tmp/host2" "$pack" -q -@ 1 -p 5 -o shards "${of2[@]}"
check_says 'warning: shards: 2 of 5 parts are in the folder of this name on other hosts'
check 'the manifest is that of rank 0' test -e "$tmp/host2-0/shards/manifest" -a ! -e "$tmp/host2-1/shards/manifest"
mv "$tmp/host2-1/shards/"part-* "$tmp/host2-0/shards/"
check 'together they are the same bytes' same_folders "$tmp/host2-0/shards" "$tmp/ref"
rm -r "$tmp"/host2-?/shards
mkdir "$tmp/host2-1/full" "$tmp/host2-0/full"
touch "$tmp/host2-0/full/file"
check_exit 1 'one host refuses' mpi 2 "$tmp/apart" "$tmp/host2" "$pack" -q -@ 1 -p 5 -o full "${of2[@]}"
printf '0 1\n' | "$BIN/edgeconv" -q -u -f pairs - | "$degsplit" -q -t 1 -o "$tmp/b.split" -
check_exit 3 'a split of another graph' mpi 2 "$tmp/apart" "$tmp/host2" "$pack" -q -@ 1 -p 5 -o shards -s "$tmp/b.split" "${of2[@]}"
check "$situation: nothing is left on any host" test ! -e "$tmp/host2-0/shards" -a ! -e "$tmp/host2-1/shards"

# ---- restart ----

rm -rf "$tmp/x"
"$pack" -q -@ 1 -p 5 -o "$tmp/x" "${turned[@]}" &
job=$!
until ls "$tmp/x"/part-* >/dev/null 2>&1 || ! kill -0 $job 2>/dev/null; do :; done
{ kill -KILL $job; wait $job; } 2>/dev/null
if [ -e "$tmp/x/packing" ]; then
    check 'the journal names all streams' test "$(grep '^input ' "$tmp/x/packing" | cut -d' ' -f2 | tr '\n' ' ')" = "${turned[*]} "
fi
check_exit 0 '--resume with ranks of their own' mpi 4 "$pack" --resume -@ 1 -p 5 -o "$tmp/x" "$of4"
check_says 'parts were finished: proven\|was complete already'
check "$situation: bytes are those of the whole" same_folders "$tmp/x" "$tmp/ref"
check_exit 0 '--resume with the whole' "$pack" --resume -p 5 -o "$tmp/x" "$tmp/g.edges"
check_says 'was complete already'
check_exit 1 '--resume without a piece' "$pack" --resume -p 5 -o "$tmp/x" "${pieces[@]:1}"
check_says 'other edges'

# ---- searches and proofs ----

check_exit 0 'a search' "$BIN/dbfs-traverse" -q --backend cpu -r 1 --depths "$tmp/d.npy" --parents "$tmp/p.npy" "$tmp/x"
check_exit 0 'dbfs-check against all pieces' "$check" --depths "$tmp/d.npy" --parents "$tmp/p.npy" "${turned[@]}"
cp "$tmp/out" "$tmp/proof"
check_exit 0 'by four ranks' mpi 4 "$check" -@ 1 --depths "$tmp/d.npy" --parents "$tmp/p.npy" "$of4"
check "$situation: the proof is that of one process" same "$tmp/proof" "$tmp/out"
check_exit 4 'results without the last piece of the graph are refused' "$check" --depths "$tmp/d.npy" --parents "$tmp/p.npy" "${pieces[@]:0:3}"
check_exit 2 'a stream and a folder' "$check" --depths "$tmp/d.npy" "$tmp/g.edges" "$tmp/x"
check_says 'more than one graph'
check_exit 0 'dbfs takes pieces' "$BIN/dbfs" -q --no-cache --backend cpu -r 1 -o "$tmp/dd.npy" "${pieces[@]}"
check "$situation: distances are the same" same "$tmp/d.npy" "$tmp/dd.npy"

# ---- streams that other programs made ----

rm -rf "$tmp/ref"
printf '0 1\n1 2\n5 5\n' >"$tmp/a.txt"
printf '2 0\n7 1\n' >"$tmp/b.txt"
for name in a b; do "$BIN/edgeconv" -q -u -o "$tmp/$name.edges" "$tmp/$name.txt"; done
"$BIN/edgeconv" -q -u -o "$tmp/ab.edges" "$tmp/a.txt" "$tmp/b.txt"
"$pack" -q -p 2 -o "$tmp/ref" "$tmp/ab.edges"
pack_alike 'n is the largest' "$pack" -q -p 2 "$tmp/b.edges" "$tmp/a.edges"
pack_alike 'n is the largest, 2 ranks' mpi 2 "$pack" -q -@ 1 -p 2 "$tmp/b.edges" "$tmp/a.edges"
# no program of ours writes symmetric streams, so arcs become one
arcs() { "$BIN/edgeconv" -q -f pairs --direction directed -o - - | as_symmetric; }
printf '0 1\n4 2\n' | arcs >"$tmp/sym.edges"
printf '2 4\n1 0\n' | arcs >"$tmp/sym-back.edges"
printf '0 1\n4 2\n2 4\n1 0\n' | arcs >"$tmp/sym-both.edges"
rm -rf "$tmp/ref"
"$pack" -q -p 2 -o "$tmp/ref" "$tmp/sym-both.edges"
pack_alike 'symmetric together' "$pack" -q -p 2 "$tmp/sym.edges" "$tmp/sym-back.edges"
pack_alike 'symmetric together, 2 ranks' mpi 2 "$pack" -q -@ 1 -p 2 "$tmp/sym.edges" "$tmp/sym-back.edges"
printf '0 3\n' | "$BIN/edgeconv" -q -f pairs -o "$tmp/directed.edges" -
for seed in 1 2; do "$BIN/edgeconv" -q -u --randomize=$seed --vertices 9 -o "$tmp/r$seed.edges" "$tmp/a.txt"; done
for name in a b; do "$BIN/edgeconv" -q -u --compact="$tmp/$name.map" -o "$tmp/$name.dense.edges" "$tmp/$name.txt"; done

# ---- refused input ----

refuses() { # CODE NAME PATTERN COMMAND...
    local code=$1 name=$2 pattern=$3
    shift 3
    rm -rf "$tmp/x"
    check_exit "$code" "$name" "$@"
    check "$name: said once" test "$(grep -c -e "$pattern" "$tmp/err")" = 1
    check "$name: leaves nothing" test ! -e "$tmp/x"
}
to=(-q -p 2 -o "$tmp/x")
refuses 3 'half of a symmetric graph' 'sym.edges: says it is symmetric, but some edges lack' "$pack" "${to[@]}" "$tmp/sym.edges"
refuses 3 'one symmetric' 'sym.edges: is symmetric, and .*a.edges is undirected-once' "$pack" "${to[@]}" "$tmp/a.edges" "$tmp/sym.edges"
refuses 3 'one directed' 'directed.edges: is directed, and .*a.edges' "$degsplit" -q -o "$tmp/x" "$tmp/a.edges" "$tmp/directed.edges"
refuses 3 'other randomisations' 'r2.edges: its ids are randomised otherwise than those of .*r1.edges' "$pack" "${to[@]}" "$tmp/r1.edges" "$tmp/r2.edges"
refuses 3 'one randomised' 'a.edges: its ids are randomised otherwise' mpi 2 "$pack" "${to[@]}" "$tmp/r1.edges" "$tmp/a.edges"
refuses 3 'ids made dense file by file' "b.dense.edges: its ids were numbered by themselves, as were those of .*a.dense.edges" \
    "$pack" "${to[@]}" "$tmp/a.dense.edges" "$tmp/b.dense.edges"
"$BIN/edgeconv" -q -u --one-based -o "$tmp/one.edges" <(printf '1 2\n2 3\n')
"$BIN/edgeconv" -q -u -o "$tmp/zero.edges" <(printf '2 3\n')
refuses 3 'ids from 1 and from 0' "zero.edges: its ids begin at 0, and those of .*one.edges at 1: .*--base 0 (or 1)" \
    "$pack" "${to[@]}" "$tmp/one.edges" "$tmp/zero.edges"
refuses 3 'ids from 0 and from 1, 2 ranks' "one.edges: its ids begin at 1, and those of .*zero.edges at 0" \
    mpi 2 "$degsplit" -q -o "$tmp/x" "$tmp/zero.edges" "$tmp/one.edges"
for base in 0 1; do
    check_exit 0 "ids from 0 and from 1, --base $base" "$pack" "${to[@]}" --base $base "$tmp/zero.edges" "$tmp/one.edges"
    check "--base $base: --list says where ids begin" bash -c '"$1" --list "$2" | grep -qx "ids  *begin at $3"' - "$pack" "$tmp/x" $base
    check "--base $base: --list --json says where ids begin" bash -c '"$1" --list --json "$2" | grep -q "\"base\": $3,"' - "$pack" "$tmp/x" $base
    rm -rf "$tmp/x"
done
check_exit 0 'a split of ids from 0 and from 1' "$degsplit" -q -t 1 --base 1 -o "$tmp/x" "$tmp/zero.edges" "$tmp/one.edges"
rm "$tmp/x"
check_exit 0 'ids from 1 alone' "$pack" "${to[@]}" "$tmp/one.edges"
check 'shards of ids from 1 are of a manifest of version 4' test "$(sed -n '1p;/^base/p' "$tmp/x/manifest" | tr '\n' ' ')" = 'dbfs-manifest 4 base 1 '
check_exit 0 'ids from 1 are proven' "$pack" --verify "$tmp/x"
cp -r "$tmp/x" "$tmp/based"
check_exit 0 'shards of the same edges with ids from 0' "$pack" "${to[@]}" --force --base 0 "$tmp/one.edges"
check 'shards with ids from 0 are of a manifest of version 2' test "$(head -1 "$tmp/x/manifest")" = 'dbfs-manifest 2'
check 'the pack id tells both apart' test "$(grep ^pack-id "$tmp/x/manifest")" != "$(grep ^pack-id "$tmp/based/manifest")"
rm -r "$tmp/x" "$tmp/based"
cp "$tmp/part-1.edges" "$tmp/copy.edges"
refuses 3 'a piece twice' 'copy.edges: has edges of the generated graph that .*part-1.edges has, too' \
    "$pack" "${to[@]}" "${pieces[@]}" "$tmp/copy.edges"
refuses 3 'the whole and a piece' 'part-3.edges: has edges of the generated graph that .*g.edges has' \
    mpi 2 "$degsplit" -q -o "$tmp/x" "$tmp/g.edges" "$tmp/part-3.edges"
"$BIN/rmatgen" -q -s $scale --seed 2 --count 9 -o "$tmp/other.edges"
refuses 3 'a piece of another graph' 'other.edges: is of another generated graph than .*part-1.edges' \
    "$pack" "${to[@]}" "$tmp/part-1.edges" "$tmp/other.edges"
"$BIN/rmatgen" -q -s $((scale + 1)) --first 4 --count 9 -o "$tmp/larger.edges"
refuses 3 'another n' 'larger.edges: is of another generated graph' \
    mpi 2 "$pack" "${to[@]}" "$tmp/part-1.edges" "$tmp/larger.edges"
ln -s part-1.edges "$tmp/link.edges"
refuses 2 'a file twice' 'link.edges: is given twice, before as .*part-1.edges' \
    "$pack" "${to[@]}" "$tmp/part-1.edges" "$tmp/link.edges"
refuses 2 'standard input twice' 'standard input: is given twice' "$pack" "${to[@]}" - -
refuses 2 'an output that is an input' 'part-1.edges' "$degsplit" -q --force -o "$tmp/part-1.edges" "${pieces[@]}"
refuses 2 'standard input and a piece, 2 ranks' 'standard input: under mpiexec' mpi 2 "$pack" "${to[@]}" "$tmp/part-1.edges" -
refuses 2 'a pipe that is not a rank' 'fifo-0: under mpiexec, give a file .* %r in the name' mpi 2 "$pack" "${to[@]}" "$tmp/fifo-0"
refuses 1 'a rank without its piece' 'rank 2 on .*here-2.edges: cannot open' mpi 3 "$pack" "${to[@]}" "$tmp/here-%r.edges"
head -c 200000 "$tmp/part-3.edges" >"$tmp/cut-1.edges"
cp "$tmp/part-0.edges" "$tmp/cut-0.edges"
refuses 3 'a piece that was cut' 'cut-1.edges: .*without its trailer' "$pack" "${to[@]}" "$tmp/part-1.edges" "$tmp/cut-1.edges"
refuses 3 'a piece that was cut, on a rank' 'rank 1 on .*cut-1.edges: .*without its trailer' mpi 2 "$pack" "${to[@]}" "$tmp/cut-%r.edges"
cp "$tmp/part-3.edges" "$tmp/bad-1.edges"
cp "$tmp/part-0.edges" "$tmp/bad-0.edges"
printf '\377' | dd of="$tmp/bad-1.edges" bs=1 seek=2000 conv=notrunc 2>/dev/null
refuses 3 'a damaged piece' 'bad-1.edges: block 0 at byte .*corrupt' "$pack" "${to[@]}" "$tmp/part-1.edges" "$tmp/bad-1.edges"
refuses 3 'a damaged piece of a rank' 'rank 1 on .*bad-1.edges: block 0 at byte .*corrupt' mpi 2 "$pack" "${to[@]}" "$tmp/bad-%r.edges"
# ids exceed the n of this stream, but not that of the other
{ head -c -64 "$tmp/a.edges"; tail -c 64 "$tmp/b.edges"; } >"$tmp/swapped.edges"
refuses 3 'the trailer of another stream' 'swapped.edges: trailer does not match the blocks' "$pack" "${to[@]}" "$tmp/g.edges" "$tmp/swapped.edges"
cat >"$tmp/fewer" <<'SCRIPT'
#!/bin/bash
rank=${PMI_RANK:-${OMPI_COMM_WORLD_RANK:-0}}
[ "$rank" = 0 ] || set -- "${@:1:$#-1}"
exec "$@"
SCRIPT
chmod +x "$tmp/fewer"
refuses 2 'fewer streams on a rank' 'the ranks are given different numbers' \
    mpi 2 "$tmp/fewer" "$pack" "${to[@]}" "$tmp/part-0.edges" "$tmp/part-1.edges"
check_exit 2 'more than one folder to look at' "$pack" --list "$tmp/ref" "$tmp/ref"
rm -rf "$tmp/x"
check_exit 0 'pieces with a gap' "$pack" -p 2 -o "$tmp/x" "$tmp/part-3.edges" "$tmp/part-0.edges" "$tmp/part-1.edges"
check_says 'warning: .*part-3.edges and 2 more: 1 edges of the generated graph are in none'
check 'the manifest tells which' test "$(grep -c '^provenance \(first\|count\)' "$tmp/x/manifest")" = 4
finish
