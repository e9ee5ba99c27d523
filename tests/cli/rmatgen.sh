#!/bin/bash
# rmatgen.sh: the command line of rmatgen: output, formats, ranges, threads, refusals.
set -u
. tests/lib.sh
rmatgen=$(realpath "$BIN/rmatgen")

md5_of() { "$@" 2>"$tmp/err" | md5sum | cut -d' ' -f1; }
same() { cmp -s "$1" "$2"; }
differ() { ! cmp -s "$1" "$2"; }

# ---- the Graph500 reference generator ----

for known in 10:7c26a8351ab574842b6305965c0f2f1e 16:f9ed1def5cbdf56fce5ffd1149f4a3c0 \
    20:087fd6896b6284c7ed95c5078184a80b; do
    scale=${known%%:*}
    for threads in 1 2 5; do
        check "--graph500 scale $scale with $threads threads has the reference's MD5" \
            test "$(md5_of "$rmatgen" -s "$scale" --graph500 -f graph500 -@ $threads)" = \
            "${known#*:}"
    done
done
check '--graph500 --seed 2 is the default' test \
    "$(md5_of "$rmatgen" -s 10 --graph500 -f graph500 --seed 2)" = 7c26a8351ab574842b6305965c0f2f1e
check '--graph500 --seed 3 is another graph' test \
    "$(md5_of "$rmatgen" -s 10 --graph500 -f graph500 --seed 3)" != 7c26a8351ab574842b6305965c0f2f1e

# ---- bytes do not depend on threads ----

for format in edges text graph500 u32 u64; do
    for mode in '' --graph500 --no-randomize; do
        "$rmatgen" -s 15 -e 9 $mode -f $format -@ 1 --force -o "$tmp/1"
        identical=1
        for threads in 2 3 8; do
            "$rmatgen" -s 15 -e 9 $mode -f $format -@ $threads >"$tmp/n"
            same "$tmp/1" "$tmp/n" || identical=0
        done
        check "-f $format $mode: bytes are the same with 1, 2, 3 and 8 threads" test $identical = 1
    done
done

# ---- sizes, and the formats against one another ----

for scale in 1 7 12; do
    for factor in 1 16 21; do
        lines=$("$rmatgen" -s $scale -e $factor -f text | wc -l)
        bytes=$("$rmatgen" -s $scale -e $factor -f u64 | wc -c)
        check "-s $scale -e $factor gives $((factor << scale)) edges" \
            test "$lines $bytes" = "$((factor << scale)) $((16 * (factor << scale)))"
    done
done

for mode in '' --graph500; do
    "$rmatgen" -s 11 $mode -f text --force -o "$tmp/text"
    "$rmatgen" -s 11 $mode -f u32 --force -o "$tmp/u32"
    "$rmatgen" -s 11 $mode -f u64 --force -o "$tmp/u64"
    "$rmatgen" -s 11 $mode -f graph500 --force -o "$tmp/graph500"
    "$rmatgen" -s 11 $mode -f edges --force -o "$tmp/edges"
    od -An -v -tu4 -w8 "$tmp/u32" | awk '{print $1 "\t" $2}' >"$tmp/from-u32"
    od -An -v -tu8 -w16 "$tmp/u64" | awk '{print $1 "\t" $2}' >"$tmp/from-u64"
    od -An -v -tu4 -w12 "$tmp/graph500" | awk '$3 == 0 {print $1 "\t" $2}' >"$tmp/from-graph500"
    # a block of 32,768 edges with 4-byte ids stands before the trailer of 64 bytes
    head -c -64 "$tmp/edges" | tail -c $((8 << 15)) >"$tmp/from-edges"
    check "text and u32 agree $mode" same "$tmp/text" "$tmp/from-u32"
    check "text and u64 agree $mode" same "$tmp/text" "$tmp/from-u64"
    check "text and graph500 agree $mode" same "$tmp/text" "$tmp/from-graph500"
    check "edges and u32 agree $mode" same "$tmp/u32" "$tmp/from-edges"
    check "ids are below 2^11 $mode" \
        awk '$1 >= 2048 || $2 >= 2048 || NF != 2 {bad = 1} END {exit bad}' "$tmp/text"
done

for mode in '' --graph500 --no-randomize; do
    "$rmatgen" -s 47 --first 123456789012 --count 3000 $mode -f text --force -o "$tmp/text"
    "$rmatgen" -s 47 --first 123456789012 --count 3000 $mode -f u64 |
        od -An -v -tu8 -w16 | awk '{print $1 "\t" $2}' >"$tmp/from-u64"
    "$rmatgen" -s 47 --first 123456789012 --count 3000 $mode -f graph500 |
        od -An -v -tu4 -w12 |
        awk '{printf "%.0f\t%.0f\n", $1 + $3 % 65536 * 4294967296,
              $2 + int($3 / 65536) * 4294967296}' >"$tmp/from-graph500"
    check "scale 47: text and u64 agree $mode" same "$tmp/text" "$tmp/from-u64"
    check "scale 47: text and graph500 agree $mode" same "$tmp/text" "$tmp/from-graph500"
done

# ---- ranges, seeds, parameters ----

for mode in '' --graph500; do
    "$rmatgen" -s 14 $mode -f text --force -o "$tmp/whole"
    for range in 0:1 1:99999 100000:162143 262143:1; do
        "$rmatgen" -s 14 $mode -f text --first ${range%:*} --count ${range#*:}
    done >"$tmp/pieces"
    "$rmatgen" -s 14 $mode -f text --first 200000 --force -o "$tmp/rest"
    tail -n +200001 "$tmp/whole" >"$tmp/tail"
    check "ranges put together are the graph $mode" same "$tmp/whole" "$tmp/pieces"
    check "--first alone makes the rest $mode" same "$tmp/tail" "$tmp/rest"
done
check '--count 0 makes an empty list' \
    test "$("$rmatgen" -s 10 --count 0 -f text | wc -c)" = 0
check '--count 0 makes a stream with a trailer' \
    test "$("$rmatgen" -s 10 --count 0 | tail -c 64 | head -c 4)" = END1

"$rmatgen" -s 12 -f text -o "$tmp/seed-default"
"$rmatgen" -s 12 -f text --seed 1 -o "$tmp/seed-1"
"$rmatgen" -s 12 -f text --seed 2 -o "$tmp/seed-2"
"$rmatgen" -s 12 -f text --no-randomize -o "$tmp/plain"
"$rmatgen" -s 12 -f text --params .57,.19,.19 -o "$tmp/params"
"$rmatgen" -s 12 -f text -A .25 -B .25 -C .25 -o "$tmp/uniform"
check '--seed 1 is the default' same "$tmp/seed-default" "$tmp/seed-1"
check '--seed 2 is another graph' differ "$tmp/seed-1" "$tmp/seed-2"
check '--params .57,.19,.19 is the default' same "$tmp/seed-default" "$tmp/params"

# prints the edge ends of each vertex, largest first
degrees() { awk '{d[$1]++; d[$2]++} END {for (v in d) print d[v]}' "$1" | sort -rn; }
degrees "$tmp/seed-1" >"$tmp/degrees-randomized"
degrees "$tmp/plain" >"$tmp/degrees-plain"
check 'randomising changes the ids' differ "$tmp/seed-1" "$tmp/plain"
check 'randomising keeps the degrees' same "$tmp/degrees-randomized" "$tmp/degrees-plain"
check 'vertex 0 is the hub without randomising' test \
    "$(awk '{d[$1]++; d[$2]++} END {print d[0]}' "$tmp/plain")" = \
    "$(head -1 "$tmp/degrees-plain")"
check 'RMAT has hubs: over 20 times the mean degree' \
    test "$(head -1 "$tmp/degrees-plain")" -gt 640
check 'A=B=C=.25 has none: under twice the mean degree' \
    test "$(degrees "$tmp/uniform" | head -1)" -lt 64
check 'A=B=C=.25 leaves no vertex out' test "$(degrees "$tmp/uniform" | wc -l)" = 4096

# ---- provenance ----

"$rmatgen" -s 10 -@ 2 --seed 77 -o "$tmp/a.edges"
mkdir "$tmp/elsewhere"
(cd "$tmp/elsewhere" && "$rmatgen" -s 10 -@ 1 --seed 77 >"$tmp/b.edges")
check 'streams do not tell threads or place' same "$tmp/a.edges" "$tmp/b.edges"
check 'provenance names generator, scale, parameters and seed' \
    test "$(grep -aoE 'generator rmat|^(scale 10|edgefactor 16|A 0.57|seed 77|randomized yes)$' \
        "$tmp/a.edges" | wc -l)" = 6

# ---- refusals ----

wrote=0
for arguments in '' '-s 0' '-s 49' '-s ten' '-s 1e1' '-s -1' '-s' '-s 10 -e 0' '-s 10 -e 1.5' \
    '-s 48 -e 99999' '-s 10 -A .9' '-s 10 -A -.1' '-s 10 -B nan' '-s 10 -C inf' \
    '-s 10 --params .5,.2' '-s 10 --params .5,.2,.1,.2' '-s 10 --params .5,,.2' \
    '-s 10 --seed -1' '-s 10 --seed 18446744073709551616' '-s 10 -f csv' '-s 10 -f' \
    '-s 33 -f u32' '-s 10 --first 16385' '-s 10 --first 1 --count 16384' '-s 10 input.txt' \
    '-s 10 --graph500 -A .5' '-s 10 --graph500 --params .5,.2,.2' \
    '-s 10 --graph500 --no-randomize' '-s 10 -@ x' '-s 10 -@ -1' '-s 10 --bogus'; do
    check_exit 2 "'rmatgen $arguments' is a usage error" "$rmatgen" $arguments
    [ ! -s "$tmp/out" ] || wrote=$((wrote + 1))
    check_says '^[^ ]*rmatgen: '
done
check 'usage errors write nothing to standard output' test $wrote = 0
check_exit 2 'u32 of ids of 33 bits' "$rmatgen" -s 33 -f u32
check_says 'u32.*scale 33'
check '-s 32 -f u32 fits' test "$("$rmatgen" -s 32 --count 10 -f u32 | wc -c)" = 80

check_exit 0 '--help' "$rmatgen" --help
cp "$tmp/out" "$tmp/help"
check '--help is on standard output' grep -q '^usage: rmatgen' "$tmp/help"
check_exit 0 '--version' "$rmatgen" --version
cp "$tmp/out" "$tmp/version"
check '--version is on standard output' grep -q '^rmatgen .*[0-9]' "$tmp/version"

# ---- outputs that fail ----

full_disk() { "$rmatgen" "$@" >/dev/full; }
check_exit 5 'a full device, small output' full_disk -s 4
check_exit 5 'a full device, large output' full_disk -s 16
check_says 'standard output: .*No space'
check_exit 5 'a full device named by -o' "$rmatgen" -s 4 -o /dev/full
check_exit 1 'a folder that is not there' "$rmatgen" -s 4 -o "$tmp/none/x"
check_exit 1 'a folder as the output' "$rmatgen" -s 4 -o "$tmp"
check '/dev/null is written, not replaced' "$rmatgen" -s 12 -o /dev/null
check '/dev/null is still a device' test -c /dev/null

for scale in 4 20; do
    "$rmatgen" -s $scale -f text 2>"$tmp/err" | true
    check "a closed pipe ends it quietly, scale $scale" test ! -s "$tmp/err"
done

if script -qec true /dev/null >/dev/null 2>&1; then # script(1) makes a terminal
    check_exit 2 'binary to a terminal is refused' script -qec "$rmatgen -s 4" /dev/null
    check_exit 0 'text to a terminal is not' script -qec "$rmatgen -s 4 -f text" /dev/null
else
    skip 'terminals: script(1) is not installed'
fi

# ---- regular files ----

mkdir "$tmp/folder"
echo old >"$tmp/folder/graph"
ln "$tmp/folder/graph" "$tmp/linked"
"$rmatgen" -s 10 -f text --force -o "$tmp/folder/graph"
check 'an existing file is replaced' test "$(wc -l <"$tmp/folder/graph")" = 16384
check 'an existing file is replaced by rename' test "$(cat "$tmp/linked")" = old
rm "$tmp/folder/graph"
"$rmatgen" -s 28 --force -o "$tmp/folder/graph" 2>/dev/null &
pid=$!
writes() { ls -l "/proc/$pid/fd" 2>/dev/null | grep -qF "$tmp/folder/"; }
check 'a program that will be killed writes its file' wait_until writes
kill -TERM $pid
wait $pid 2>/dev/null
check 'killed: no file is left, nor a temporary one' test -z "$(ls -A "$tmp/folder")"
finish
