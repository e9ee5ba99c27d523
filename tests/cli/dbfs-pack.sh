#!/bin/bash
# dbfs-pack.sh: the command line of dbfs-pack: folders, splits, pipes, and the damage that --verify finds.
set -u
. tests/lib.sh
pack=$(realpath "$BIN/dbfs-pack")

same_folders() { diff -r "$1" "$2" >&2; }
# compares the manifests without the lines that each packing has of its own
same_graph() {
    diff <(grep -vE '^(encoding|pack-id|part|crc) ' "$1/manifest") \
        <(grep -vE '^(encoding|pack-id|part|crc) ' "$2/manifest") >&2
}
# flips all bits of one byte of a file
flip() {
    local byte
    byte=$(od -An -tu1 -j "$2" -N 1 "$1" | tr -d ' ')
    printf "$(printf '\\x%02x' $((byte ^ 255)))" | dd of="$1" bs=1 seek="$2" conv=notrunc 2>/dev/null
}

"$BIN/rmatgen" -q -s 12 -o "$tmp/g.edges"
"$BIN/rmatgen" -q -s 12 --seed 7 -o "$tmp/other.edges"
{ printf '7 7\n7 7\n30 30\n0 30\n'; "$BIN/rmatgen" -q -s 8 -e 4 -f text; } |
    "$BIN/edgeconv" -q -u --vertices 300 -o "$tmp/loops.edges"
"$BIN/degsplit" -q -p 3 -o "$tmp/g.split" "$tmp/g.edges"

# ---- packing ----

check 'dbfs-pack packs three shards, with the TH suggested' "$pack" -q -p 3 -o "$tmp/a" "$tmp/g.edges"
check 'a packed folder has a manifest and three parts' test "$(ls "$tmp/a" | tr '\n' ' ')" = \
    'manifest part-0000-of-0003.dbfs part-0001-of-0003.dbfs part-0002-of-0003.dbfs '
check_exit 0 '--verify' "$pack" --verify "$tmp/a"
check 'dbfs-pack packs three shards, with the TH of a .split' \
    "$pack" -q -p 3 -s "$tmp/g.split" -o "$tmp/b" "$tmp/g.edges"
check 'dbfs-pack with a .split writes the same bytes' same_folders "$tmp/a" "$tmp/b"
rm -r "$tmp/b"
check 'dbfs-pack reads a pipe' bash -c 'cat "$2" | "$1" -q -p 3 -T "$3" -o "$3/b" -' - "$pack" "$tmp/g.edges" "$tmp"
check 'dbfs-pack of a pipe writes the same bytes' same_folders "$tmp/a" "$tmp/b"
rm -r "$tmp/b"
check 'dbfs-pack reads a .split from a pipe' bash -c \
    '"$1" -q "$3" -p 3 | "$2" -q -p 3 -s - -o "$4" "$3"' - "$BIN/degsplit" "$pack" \
    "$tmp/g.edges" "$tmp/b"
check 'dbfs-pack with a .split of a pipe writes the same bytes' same_folders "$tmp/a" "$tmp/b"
rm -r "$tmp/b"
for threads in 1 2 5; do
    mkdir "$tmp/b"
    check "dbfs-pack -@ $threads packs into an empty folder" "$pack" -q -p 3 -@ $threads -o "$tmp/b" "$tmp/g.edges"
    check "dbfs-pack -@ $threads writes the same bytes" same_folders "$tmp/a" "$tmp/b"
    rm -r "$tmp/b"
done
for p in 1 2 5 8 64; do
    for th in 0 30 inf; do
        check "dbfs-pack packs p $p, TH $th" "$pack" -q -p $p -t $th -o "$tmp/b" "$tmp/loops.edges"
        check "p $p, TH $th: --verify accepts the shards" "$pack" -q --verify "$tmp/b"
        check "p $p, TH $th: the manifest counts the self-loops" \
            grep -qx "input-loops $(awk '/^input-loops/ { print $2 }' "$tmp/loops" 2>/dev/null ||
                echo '[0-9]*')" "$tmp/b/manifest"
        cp "$tmp/b/manifest" "$tmp/loops"
        rm -r "$tmp/b"
    done
done
check 'dbfs-pack packs p 1000' "$pack" -q -p 1000 -o "$tmp/b" "$tmp/loops.edges"
check 'p 1000: --verify accepts the shards' "$pack" -q --verify "$tmp/b"
rm -r "$tmp/b"
for heads in nn=2,nd=3,dn=1,dd=8 nd=0,dd=0 dd=auto; do
    check "dbfs-pack takes --heads $heads" "$pack" -q -p 2 --heads $heads -o "$tmp/b" "$tmp/g.edges"
    check "--heads $heads: --verify accepts the shards" "$pack" -q --verify "$tmp/b"
    rm -r "$tmp/b"
done

"$pack" -q -p 2 -o "$tmp/b" "$tmp/g.edges"
"$pack" -q -p 2 --heads nd=0,dd=8 --heads auto -o "$tmp/c" "$tmp/g.edges"
"$pack" -q -p 2 --heads nd=0,dd=8 -o "$tmp/d" "$tmp/g.edges"
check '--heads auto gives the parts of the default' cmp "$tmp/b/part-0000-of-0002.dbfs" "$tmp/c/part-0000-of-0002.dbfs"
check_exit 1 "--heads nd=0,dd=8: others" cmp "$tmp/b/part-0000-of-0002.dbfs" "$tmp/d/part-0000-of-0002.dbfs"
rm -r "$tmp/b" "$tmp/c" "$tmp/d"

# ---- encodings ----

"$pack" -q -p 2 --encoding raw -o "$tmp/raw" "$tmp/g.edges"
for encoding in packed auto; do
    for threads in 1 2 5; do
        "$pack" -q -p 2 -@ $threads --encoding $encoding -o "$tmp/b.$threads" "$tmp/g.edges"
    done
    check "$encoding: bytes are the same with -@ 1 and 2" same_folders "$tmp/b.1" "$tmp/b.2"
    check "$encoding: bytes are the same with -@ 1 and 5" same_folders "$tmp/b.1" "$tmp/b.5"
    check "$encoding: --verify accepts the shards" "$pack" -q --verify "$tmp/b.1"
    check_exit 5 "$encoding: --verify within a budget too small" "$pack" -q -S 64K --verify "$tmp/b.1"
    check_says 'memory budget'
    check "$encoding: the manifest names it" grep -qx "encoding $encoding" "$tmp/b.1/manifest"
    check "$encoding: shards take under half of the bytes of raw ones" test \
        $((2 * $(cat "$tmp/b.1"/part* | wc -c))) -lt "$(cat "$tmp/raw"/part* | wc -c)"
    check "$encoding: the graph is that of raw shards" same_graph "$tmp/b.1" "$tmp/raw"
    check "$encoding: pack-id is not that of raw shards" test "$(grep ^pack-id "$tmp/b.1/manifest")" != \
        "$(grep ^pack-id "$tmp/raw/manifest")"
    rm -r "$tmp"/b.*
done
"$pack" -q -p 2 -o "$tmp/b" "$tmp/g.edges"
check 'auto is the default' grep -qx 'encoding auto' "$tmp/b/manifest"
rm -r "$tmp/b"

check_exit 0 'the summary' "$pack" -p 2 -o "$tmp/b" "$tmp/g.edges"
check_says 'M edges/s, peak memory'
check_says '^dbfs-pack: TH by time: .* on a GPU .* on a CPU'
check_says '^dbfs-pack: TH by memory: '
check_says '^dbfs-pack: TH [0-9inf]* is taken: its larger loss'
rm -r "$tmp/b"
th_of() { awk '$1 == "th" { print $2 }' "$1/manifest"; }
for rule in '--for gpu' '--for cpu' '--suggest memory'; do
    "$pack" -q -p 2 $rule -o "$tmp/b" "$tmp/g.edges"
    "$BIN/degsplit" -q -p 2 $rule --force --sweep "$tmp/sweep" -o "$tmp/x.split" "$tmp/g.edges"
    check "$rule: dbfs-pack chooses the TH of degsplit" \
        test "$(th_of "$tmp/b")" = "$(awk -F'\t' '$NF == 1 { print $1 }' "$tmp/sweep")"
    mv "$tmp/b" "$tmp/by${rule##* }"
done
check 'the rules differ' test "$(th_of "$tmp/bycpu")" != "$(th_of "$tmp/bymemory")"
rm -r "$tmp/bygpu" "$tmp/bycpu" "$tmp/x.split"

for look in --list --verify; do
    for option in -p2 -t5 -sx --heads=nn=1 --encoding=raw --rows=out --suggest=time --for=cpu --links=host --layout=2d=1x1 -ox --resume --force; do
        check_exit 2 "$look $option" "$pack" $look "$option" "$tmp/bymemory"
        check_says "$look only reads: leave out $(grep -o '^--[a-z]*\|^-.' <<<"$option")"
    done
done

# ---- --list ----

check_exit 0 '--list' "$pack" --list "$tmp/bymemory"
cp "$tmp/out" "$tmp/list"
rm -r "$tmp/bymemory"
for line in '^vertices  *4096$' '^shards (p)  *2$' '^these shards' '^Table I' '^64-bit CSR' \
    '^edge list: 16m' '^dd-columns  *packed .*device$' '^local-slots' '^encoding  *auto$' \
    '^attributes  *raw' '^all files of the directory  *[0-9]' \
    '^bytes per directed edge kept  *[0-9]'; do
    check "--list has '$line'" grep -q "$line" "$tmp/list"
done

# ---- folders ----

check_exit 1 'a folder with a manifest' "$pack" -p 3 -o "$tmp/a" "$tmp/g.edges"
check_says 'force'
check '--force packs over it' "$pack" -q --force -p 2 -o "$tmp/a" "$tmp/other.edges"
check 'dbfs-pack --force leaves nothing of the graph before' test "$(ls "$tmp/a" | wc -l)" = 3
check 'dbfs-pack --force packs the first graph again' "$pack" -q --force -p 3 -o "$tmp/a" "$tmp/g.edges"
mkdir "$tmp/full"
touch "$tmp/full/notes"
check_exit 1 'a folder with other files' "$pack" -p 3 -o "$tmp/full" "$tmp/g.edges"
check '--force writes beside them' "$pack" -q --force -p 3 -o "$tmp/full" "$tmp/g.edges"
check 'dbfs-pack --force leaves other files of the folder alone' test -e "$tmp/full/notes"
check_exit 1 'a file as the folder' "$pack" -p 3 -o "$tmp/full/notes" "$tmp/g.edges"
check_exit 1 'a folder in a missing one' "$pack" -p 3 -o "$tmp/none/x" "$tmp/g.edges"

# ---- refused input, which leaves nothing ----

refuses() {
    local code=$1 name=$2
    shift 2
    check_exit "$code" "$name" "$@"
    if [ -e "$tmp/x" ]; then
        fail "$name: leaves no folder"
        rm -rf "$tmp/x"
    fi
}
refuses 2 'p 0' "$pack" -p 0 -o "$tmp/x" "$tmp/g.edges"
refuses 2 'p 4097' "$pack" -p 4097 -o "$tmp/x" "$tmp/g.edges"
refuses 2 'no folder' "$pack" -p 1 "$tmp/g.edges"
refuses 2 '-s and -t' "$pack" -p 1 -s "$tmp/g.split" -t 3 -o "$tmp/x" "$tmp/g.edges"
refuses 2 '-s and the edges from standard input' "$pack" -p 1 -s - -o "$tmp/x"
for heads in nd nd= nd=9 xx=1 nd=1x, nd=1,,dd=1; do
    refuses 2 "--heads $heads" "$pack" -p 1 --heads "$heads" -o "$tmp/x" "$tmp/g.edges"
done
for encoding in '' gzip Raw packed,raw; do
    refuses 2 "--encoding '$encoding'" \
        "$pack" -p 1 --encoding "$encoding" -o "$tmp/x" "$tmp/g.edges"
done
refuses 1 'a missing stream' "$pack" -p 1 -o "$tmp/x" "$tmp/none.edges"
refuses 2 '--rows in' "$pack" --rows in -o "$tmp/x" "$tmp/g.edges"
refuses 2 '--rows out of undirected edges' "$pack" --rows out -o "$tmp/x" "$tmp/g.edges"
check_says 'undirected edges'
refuses 3 'a .split of another stream' "$pack" -p 1 -s "$tmp/g.split" -o "$tmp/x" "$tmp/other.edges"
check_says 'g.split: was made from another edge stream'
refuses 3 'a stream as .split' "$pack" -p 1 -s "$tmp/g.edges" -o "$tmp/x" "$tmp/g.edges"
refuses 3 'a .split as stream' "$pack" -p 1 -o "$tmp/x" "$tmp/g.split"
refuses 5 'not enough memory for the vertices' "$pack" -S 1K -p 1 -o "$tmp/x" "$tmp/g.edges"
refuses 5 'not enough memory for the edges' "$pack" -S 512K -p 1 -o "$tmp/x" "$tmp/g.edges"
check_says 'memory budget'

head -c $(($(stat -c %s "$tmp/g.split") - 100)) "$tmp/g.split" >"$tmp/cut.split"
refuses 3 'a truncated .split' "$pack" -p 1 -s "$tmp/cut.split" -o "$tmp/x" "$tmp/g.edges"
"$BIN/degsplit" -q -t 8 -o "$tmp/eight.split" "$tmp/g.edges"
# the sections of a split: attributes, delegate-ids, delegate-degrees, histogram, sweep
for i in 0 1 2 3 4; do
    name=$(echo attributes delegate-ids delegate-degrees histogram sweep | cut -d' ' -f$((i + 1)))
    cp "$tmp/eight.split" "$tmp/bad.split"
    at=$(od -An -tu8 -j $((32 + 48 * i + 16)) -N 8 "$tmp/eight.split" | tr -d ' ')
    flip "$tmp/bad.split" $((at + 9))
    refuses 3 "a .split with a flipped byte in $name" \
        "$pack" -p 1 -s "$tmp/bad.split" -o "$tmp/x" "$tmp/g.edges"
    check_says "bad.split: .*$name"
done
for cut in 10 100 5000 60000 $(($(stat -c %s "$tmp/g.edges") - 1)); do
    head -c "$cut" "$tmp/g.edges" >"$tmp/cut.edges"
    refuses 3 "a stream cut after $cut bytes" "$pack" -p 2 -o "$tmp/x" "$tmp/cut.edges"
done
cp "$tmp/g.edges" "$tmp/bad.edges"
flip "$tmp/bad.edges" 150000
refuses 3 'a stream with a flipped byte' "$pack" -p 2 -o "$tmp/x" "$tmp/bad.edges"
check_says 'block [0-9]* at byte [0-9]*.*corrupt'

# a writer that is killed in the middle of a pipe
killed_writer() {
    bash -c 'head -c 200000 "$1"; kill -9 $$' - "$tmp/g.edges" |
        "$pack" -q -p 2 -T "$tmp" -o "$tmp/x" -
}
refuses 3 'a writer killed in mid-pipe' killed_writer
check_says 'standard input: .*trailer'

# a write that fails halfway
no_room() { (trap '' XFSZ; ulimit -f 100; "$pack" -q -p 1 -o "$tmp/x" "$tmp/g.edges"); }
refuses 1 'a write that fails' no_room
mkdir "$tmp/kept"
no_room_kept() { (trap '' XFSZ; ulimit -f 100; "$pack" -q -p 4 --encoding raw -o "$tmp/kept" "$tmp/g.edges"); }
check_exit 1 'a write that fails in a folder of the user' no_room_kept
check "$situation: the folder stays, empty" test -d "$tmp/kept" -a -z "$(ls -A "$tmp/kept")"

# ---- corruption of a packed graph ----

# sections of shards, as type:name, that --verify must name
sections='1:attributes 2:local-slots 3:local-degrees 4:delegate-ids 5:delegate-degrees 6:loops
16:nn-offsets 17:nn-columns 19:nn-sources 20:nd-offsets 21:nd-columns 22:nd-heads 23:nd-sources
24:dn-offsets 25:dn-columns 27:dn-sources 28:dd-offsets 29:dd-columns 30:dd-heads 31:dd-sources'
for encoding in raw packed; do
    "$pack" -q --force -p 2 -t 8 --encoding $encoding -o "$tmp/v" "$tmp/loops.edges"
    part=$tmp/v/part-0001-of-0002.dbfs
    cp "$part" "$tmp/good"
    count=$(od -An -tu4 -j 12 -N 4 "$part" | tr -d ' ')
    found=0
    for section in $sections; do
        for ((i = 0; i < count; i++)); do
            entry=$((32 + 48 * i))
            type=$(od -An -tu4 -j $entry -N 4 "$part" | tr -d ' ')
            [ "$type" = "${section%%:*}" ] || continue
            at=$(od -An -tu8 -j $((entry + 16)) -N 8 "$part" | tr -d ' ')
            size=$(od -An -tu8 -j $((entry + 24)) -N 8 "$part" | tr -d ' ')
            [ "$size" -gt 0 ] || continue
            found=$((found + 1))
            flip "$part" $((at + size / 2))
            check_exit 3 "$encoding: a flipped byte in ${section#*:}" "$pack" --verify "$tmp/v"
            check_says "part-0001-of-0002.dbfs: .*${section#*:}"
            cp "$tmp/good" "$part"
        done
    done
    check "$encoding: every section was there to be flipped" test $found = 20
done
for at in 3 9 13 20 25 29 40 100; do
    flip "$part" $at
    check_exit 3 "a flipped byte at $at, in header or table" "$pack" --verify "$tmp/v"
    cp "$tmp/good" "$part"
done
size=$(stat -c %s "$part")
for cut in 0 7 31 4000 $((size / 2)) $((size - 1)); do
    head -c "$cut" "$tmp/good" >"$part"
    check_exit 3 "a part cut after $cut bytes" "$pack" --verify "$tmp/v"
    check_says 'part-0001-of-0002.dbfs'
done
cp "$tmp/good" "$part"
cp "$tmp/v/part-0000-of-0002.dbfs" "$part"
check_exit 3 'a part in place of another' "$pack" --verify "$tmp/v"
rm "$part"
check_exit 1 'a missing part' "$pack" --verify "$tmp/v"
cp "$tmp/good" "$part"
check_exit 0 'whole again' "$pack" --verify "$tmp/v"
sed -i 's/^edges-nn .*/edges-nn 1/' "$tmp/v/manifest"
check_exit 3 'an edited manifest' "$pack" --verify "$tmp/v"
check_says 'manifest: .*corrupt'
check_exit 3 '--list of an edited manifest' "$pack" --list "$tmp/v"
rm "$tmp/v/manifest"
check_exit 1 'a folder without manifest' "$pack" --verify "$tmp/v"
check_exit 1 'a missing folder' "$pack" --list "$tmp/none"
check_exit 2 '--verify of nothing' "$pack" --verify
check_exit 2 '-t and --suggest' "$pack" -p 1 -t 4 --suggest memory -o "$tmp/x" "$tmp/g.edges"
check_exit 2 '-s and --for' "$pack" -p 1 -s "$tmp/g.split" --for gpu -o "$tmp/x" "$tmp/g.edges"
check_says '^dbfs-pack: -s and --for exclude each other'
check_exit 2 'a rule that there is not' "$pack" -p 1 --suggest speed -o "$tmp/x" "$tmp/g.edges"

# a packing that waits for its stream has a journal, but for the script dbfs, which resumes none
for mode in alone within; do
    mkfifo "$tmp/$mode.pipe"
    { head -c 4096 "$tmp/g.edges" && exec sleep 60; } >"$tmp/$mode.pipe" &
    writer=$!
    (
        [ $mode = alone ] || export DBFS_NAMES=
        exec "$pack" -q -p 1 -t 9 -o "$tmp/$mode" - <"$tmp/$mode.pipe" 2>/dev/null
    ) &
    packer=$!
    check "a packing $mode has its folder" wait_until test -d "$tmp/$mode"
    [ $mode = within ] || check 'a packing has a journal' wait_until test -e "$tmp/$mode/packing"
    [ $mode = alone ] || check 'a packing within dbfs has no journal' test ! -e "$tmp/$mode/packing"
    kill $packer $writer
    wait $packer $writer
done

# libgomp prints a line for each thread of a team
teams() { OMP_DISPLAY_AFFINITY=true "$@" 2>&1 >/dev/null | grep -c 'affinity'; }
if [ "$(teams "$pack" -q -@ 2 -o "$tmp/teams" "$tmp/g.edges")" = 2 ]; then
    for words in "dbfs-pack -q --force -o $tmp/teams" 'degsplit -q -o /dev/null' 'dbfs-components -q -o /dev/null'; do
        check "${words%% *} does a small graph with one thread" test "$(teams "$BIN"/$words "$tmp/g.edges")" = 0
        check "${words%% *} -@ 2 starts a thread for it" test "$(teams "$BIN"/$words -@ 2 "$tmp/g.edges")" = 2
    done
    check 'dbfs-pack does a small graph from a pipe with one thread' \
        test "$(cat "$tmp/g.edges" | teams "$pack" -q --force -o "$tmp/teams" -)" = 0
    "$BIN/rmatgen" -q -s 14 | "$BIN/edgeconv" -q -o "$tmp/larger.edges" -
    check 'dbfs-pack starts a thread for a larger graph from a pipe' \
        test "$(cat "$tmp/larger.edges" | teams "$pack" -q --force -o "$tmp/teams" -)" -ge 2
else
    skip 'threads by the size of the graph: this OpenMP is not libgomp'
fi

check_exit 0 '--help' "$pack" --help
cp "$tmp/out" "$tmp/help"
check '--help goes to standard output' grep -q '^usage: dbfs-pack' "$tmp/help"
check_exit 0 '--version' "$pack" --version
finish
