#!/bin/bash
# dbfs-pack-memory.sh: the memory of dbfs-pack. -S limits the process, -T takes edges that do not fit, and the bytes
# written are those of a run with ample memory. --plan tells beforehand the memory and disk of a run.
set -u
. tests/lib.sh
pack=$(realpath "$BIN/dbfs-pack")
degsplit=$(realpath "$BIN/degsplit")
mkdir "$tmp/t1" "$tmp/t2"

same_folders() { diff -r "$1" "$2" >&2; }
# prints the peak of the last run in KiB
peak_kib() {
    awk '/peak memory/ { unit["KiB"] = 1; unit["MiB"] = 1024; unit["GiB"] = 1048576
                         printf "%d", $(NF - 1) * unit[$NF] }' "$tmp/err"
}
# AddressSanitizer adds memory of its own
sanitized=$(grep -c __asan_init "$pack")
small=32 # MiB in which the edges do not fit
[ "$sanitized" = 0 ] || small=38

# within LIMIT-MIB NAME: the last run took less
within() {
    if [ "$sanitized" != 0 ]; then
        skip "$2: AddressSanitizer takes memory of its own"
    else
        check "$2: $(peak_kib) KiB are within $1 MiB" test "$(peak_kib)" -le $(($1 * 1024))
    fi
}
nothing_left() { test -z "$(ls -A "$tmp/t1" "$tmp/t2" | grep -v :)"; }

# spills STREAM P MIB ARGS...: packs with -S, expects spilling, and compares with $tmp/whole
packs_within() {
    local stream=$1 p=$2 mib=$3
    shift 3
    check_exit 0 "p $p, -S ${mib}M $*" "$pack" -v -S "${mib}M" -T "$tmp/t1" -T "$tmp/t2" -p "$p" \
        "$@" --force -o "$tmp/b" "$stream"
    within "$mib" "p $p, -S ${mib}M $*"
    check "p $p, -S ${mib}M $*: bytes are those with ample memory" same_folders "$tmp/whole" "$tmp/b"
    rm -rf "$tmp/b"
}

# ---- many edges ----

"$BIN/rmatgen" -q -s 18 -o "$tmp/s18.edges"
for p in 1 4; do
    "$pack" -q -p $p -o "$tmp/whole" "$tmp/s18.edges"
    for mib in $small 48 100; do
        [ "${TEST_MODE:-short}" = long ] || [ $mib = $small ] || [ $p.$mib = 1.48 ] || [ $p.$mib = 4.100 ] || continue
        packs_within "$tmp/s18.edges" $p $mib -@ 2
        if [ $mib = $small ]; then
            check_says 'spilled [0-9.]* MiB' "p $p: edges spill within -S ${mib}M"
        fi
    done
    packs_within "$tmp/s18.edges" $p $small -@ 1
    packs_within "$tmp/s18.edges" $p 64 -@ 5
    rm -r "$tmp/whole"
done
"$pack" -q -p 4 -t inf -o "$tmp/whole" "$tmp/s18.edges"
packs_within "$tmp/s18.edges" 4 40 -t inf
rm -r "$tmp/whole"
check 'nothing is left in the folders for temporary files' nothing_left

# ---- a large parent ----

# runs the program in a process that held 100 MB before
after_large() (
    big=$(head -c 100000000 /dev/zero | tr '\0' x)
    [ ${#big} = 100000000 ] && exec "$@"
)
"$BIN/rmatgen" -q -s 12 -o "$tmp/s12.edges"
check_exit 0 '-S 64M, started by a process of 100 MB' \
    after_large "$pack" -v -S 64M -T "$tmp/t1" -@ 2 -p 1 -o "$tmp/b" "$tmp/s12.edges"
within 64 'and the memory of that process is not counted'
check_exit 0 'degsplit, started by a process of 100 MB' \
    after_large "$degsplit" -S 64M -T "$tmp/t1" -@ 2 -o "$tmp/s12.split" "$tmp/s12.edges"
rm -rf "$tmp/b"

# ---- many vertices: their values do not fit, and windows of them lie on disk ----

awk 'BEGIN { srand(5); for (i = 0; i < 300000; i++) {
         a = int(rand() * 30000000); b = int(rand() * 30000000)
         if (i % 5 == 0) b = int(rand() * 200) * 149999
         if (i % 1000 == 0) b = a
         print a, b } }' | "$BIN/edgeconv" -q -u --force -o "$tmp/sparse.edges"
for p in 1 3; do
    "$pack" -q -p $p -o "$tmp/whole" "$tmp/sparse.edges"
    for mib in 40 64; do
        # short mode: windows for three shards, none for one
        [ "${TEST_MODE:-short}" = long ] || [ $p.$mib = 1.64 ] || [ $p.$mib = 3.40 ] || continue
        windows=$("$pack" --plan -S ${mib}M -p $p "$tmp/sparse.edges" |
            awk '$1 == "vertex-windows" { print $2 }')
        # with more memory the ids that occur are listed, and their values fit
        least=3
        [ $mib = 40 ] || least=1
        check "p $p, -S ${mib}M: vertices are in $windows windows" test "$windows" -ge $least
        packs_within "$tmp/sparse.edges" $p $mib
    done
    rm -r "$tmp/whole"
done
"$degsplit" -q -p 2 -o "$tmp/whole.split" "$tmp/sparse.edges"
for mib in 34 64; do
    check_exit 0 "degsplit -S ${mib}M, in windows" "$degsplit" -p 2 -S ${mib}M -T "$tmp/t1" \
        --force -o "$tmp/b.split" "$tmp/sparse.edges"
    within $mib "degsplit -S ${mib}M"
    check "degsplit -S ${mib}M writes the bytes of ample memory" cmp "$tmp/whole.split" "$tmp/b.split"
done
"$pack" -q -p 2 -o "$tmp/whole" "$tmp/sparse.edges"
packs_within "$tmp/sparse.edges" 2 64 -s "$tmp/whole.split"
rm -r "$tmp/whole"
check 'nothing is left of windows' nothing_left

# ---- the plan ----

# planned KEY: prints a number of the last plan
planned() { awk -v key="$1" '$1 == key { print $2 }' "$tmp/plan"; }
# near NAME PLANNED TAKEN [TENTHS]: PLANNED is at least TAKEN, and at most TENTHS / 10 of it (default 15)
near() {
    check "$1 takes $3 of $2 planned bytes" test "$3" -le "$2" -a $((10 * $2)) -le $((${4:-15} * $3))
}
"$BIN/rmatgen" -q -s 20 -o "$tmp/s20.edges"
check_exit 0 'scale 20 with the TH that is suggested' "$pack" -@ 2 -o "$tmp/b" "$tmp/s20.edges"
bytes=$("$pack" --list "$tmp/b" | sed -n 's/^bytes per directed edge kept *//p')
check "scale 20 takes at most 1.4 bytes an edge ($bytes)" awk -v bytes="$bytes" 'BEGIN { exit !(bytes > 1 && bytes <= 1.4) }'
rm -r "$tmp/b"
check_exit 0 'a split for four devices is made' "$degsplit" -p 4 -o "$tmp/s20.split" "$tmp/s20.edges"
check_says 'TH [0-9]* is taken: it takes fewer bytes than TH [0-9]*, whose larger loss'
for size in 48M 1G; do
    "$pack" --plan -@ 2 -S $size -p 4 -s "$tmp/s20.split" "$tmp/s20.edges" >"$tmp/plan"
    check_exit 0 "scale 20, -S $size" "$pack" -v -@ 2 -S $size -T "$tmp/t1" -p 4 \
        -s "$tmp/s20.split" -o "$tmp/b" "$tmp/s20.edges"
    [ "$sanitized" != 0 ] || near "scale 20, -S $size: memory" "$(planned memory)" \
        $(($(peak_kib) * 1024))
    spilled=$(awk '/spilled/ { printf "%d", $3 * 1048576 }' "$tmp/err")
    if [ $size = 48M ]; then
        # the spilled amount depends on which thread runs out of memory first
        near "scale 20, -S $size: disk" "$(planned temporary-disk)" "$spilled" 20
    else
        check "scale 20, -S $size: no disk is planned or taken" test "$(planned temporary-disk)$spilled" = 0
    fi
    device=$("$pack" --list "$tmp/b" | awk '/^largest device/ { print $3 }')
    planned=$(planned device-bytes-per-shard)
    check "scale 20: a device takes $device bytes, and $planned are planned" \
        test $((10 * planned)) -gt $((9 * device)) -a $((10 * planned)) -lt $((12 * device))
    "$BIN/dbfs-traverse" -g 4 --plan "$tmp/b" >"$tmp/out"
    packed=$(awk '/^graph, packed/ { print $4 }' "$tmp/out")
    planned=$(planned packed-bytes-per-shard)
    check "scale 20: packed columns take $packed bytes, and $planned are planned" \
        test "$planned" -ge "$packed" -a "$planned" -lt $((device * 9 / 10))
    rm -r "$tmp/b"
done
for th in $([ "${TEST_MODE:-short}" = short ] || echo 16) inf; do # all of one shard is in memory
    "$degsplit" -q -t $th --force -o "$tmp/one.split" "$tmp/s20.edges"
    "$pack" --plan -@ 2 -p 1 -s "$tmp/one.split" "$tmp/s20.edges" >"$tmp/plan"
    check_exit 0 "one shard, TH $th" "$pack" -@ 2 -p 1 -s "$tmp/one.split" -o "$tmp/b" "$tmp/s20.edges"
    [ "$sanitized" != 0 ] || near "one shard, TH $th: memory" "$(planned memory)" $(($(peak_kib) * 1024))
    rm -r "$tmp/b"
done
check_exit 0 'a plan makes no folder' "$pack" --plan -p 4 -o "$tmp/none" "$tmp/s20.edges"
check 'a plan makes no folder, nor a file' test ! -e "$tmp/none"
# a pipe from rmatgen is planned at once, and the message says what the host lacks
plan_pipe() {
    timeout 60 "$BIN/rmatgen" -q -s "$1" -e "$2" | timeout 20 "$pack" --plan -p 1 -t 16 "${@:3}"
}
check_exit 0 'a plan for a pipe of 2^33 edges' plan_pipe 29 16 -@ 16 -S 96G
cp "$tmp/out" "$tmp/plan"
check "$situation: edges stay in memory, in 12 bytes each or fewer" \
    test "$(planned place-passes)" = 0 -a "$(planned memory)" -lt $((12 << 33))
check 'labels alone go to the disk' test "$(planned temporary-disk)" -le $((4 << 29))
check_exit 0 'a plan for a pipe of 2^38 edges' plan_pipe 32 64 -@ 2 -S 32T -T "$tmp/t1"
cp "$tmp/out" "$tmp/plan"
check 'a plan for a pipe says how much memory lacks' test "$(planned memory-lacking)" -gt 0
check "$situation: lacks no more memory than all of it" test "$(planned memory-lacking)" -lt "$(planned memory)"
check_says 'of memory, .* more than is available'
check_exit 0 'a plan for a pipe of 2^32 edges with -S 512G' plan_pipe 32 64 -@ 2 -S 512G -T "$tmp/t1" -o "$tmp/none/none"
cp "$tmp/out" "$tmp/plan"
lacking=$(planned disk-lacking)
check "a plan for a pipe says that $lacking bytes of disk lack" test "$lacking" -gt 0 -a \
    "$lacking" -lt $(($(planned temporary-disk) + $(planned written-bytes)))
check_says 'of disk for temporary files and .* more than is free'
check_exit 0 'raw shards' plan_pipe 32 64 -@ 2 -S 512G -T "$tmp/t1" -o "$tmp/none" --encoding raw
cp "$tmp/out" "$tmp/plan"
check 'a plan for a pipe of raw shards takes more of the disk' test "$(planned disk-lacking)" -gt "$lacking"
check "$situation: have no packed columns" \
    test "$(planned packed-bytes-per-shard)" = "$(planned device-bytes-per-shard)"
check_exit 0 'a plan that fits' "$pack" --plan -p 1 -T "$tmp/t1" -o "$tmp/none" "$tmp/s20.edges"
cp "$tmp/out" "$tmp/plan"
check 'a plan that fits lacks nothing' test "$(planned memory-lacking)$(planned disk-lacking)" = 00
check_exit 0 'degsplit --plan' "$degsplit" --plan -t inf -@ 2 "$tmp/s20.edges"
cp "$tmp/out" "$tmp/plan"
check_exit 0 'degsplit as planned' "$degsplit" -@ 2 -t inf -o "$tmp/inf.split" "$tmp/s20.edges"
[ "$sanitized" != 0 ] || check "degsplit takes $(peak_kib) KiB of $(planned memory) planned bytes" \
    test $(($(peak_kib) * 1024)) -le "$(planned memory)"
head -c 100000 "$tmp/s20.edges" >"$tmp/cut.edges"
check_exit 3 'a plan for a stream that was cut' "$pack" --plan -p 1 "$tmp/cut.edges"
check_says 'trailer'
check_exit 3 'a plan with the split of another stream' \
    "$pack" --plan -p 1 -s "$tmp/s20.split" "$tmp/s18.edges"

# ---- refusals ----

refuses() {
    local code=$1 name=$2
    shift 2
    check_exit "$code" "$name" "$@"
    check "$name: leaves no folder" test ! -e "$tmp/x"
    check "$name: leaves no temporary file" nothing_left
}
refuses 5 'less than the least' "$pack" -S 31M -p 1 -o "$tmp/x" "$tmp/s18.edges"
check_says '32.0 MiB'
refuses 5 'less than the input needs' "$pack" -S 32M -p 4096 -T "$tmp/t1" -o "$tmp/x" \
    "$tmp/s20.edges"
check_says 'needs [0-9.]* MiB, and [0-9.]* MiB of the memory budget'
refuses 1 'a folder for temporary files that is not there' \
    "$pack" -S ${small}M -T "$tmp/nowhere" -p 1 -o "$tmp/x" "$tmp/s18.edges"
check_says 'nowhere: cannot create a temporary file'
no_room() {
    (trap '' XFSZ; ulimit -f 4000; "$pack" -q -S ${small}M -T "$tmp/t1" -p 1 -o "$tmp/x" "$tmp/s18.edges")
}
refuses 1 'a temporary file that cannot grow' no_room
check_says 't1: cannot write a temporary file'
"$pack" -q -S 48M -T "$tmp/t1" -p 1 -o "$tmp/killed" "$tmp/s20.edges" 2>"$tmp/err" &
spilling=0
while [ $spilling = 0 ] && kill -0 $! 2>/dev/null; do
    ls -l "/proc/$!/fd" 2>/dev/null | grep -q "$tmp/t1" && spilling=1
done
kill -9 $! 2>/dev/null
wait $! 2>/dev/null
check 'a run that is killed while it spills' test $spilling = 1
check 'a kill leaves no temporary file' nothing_left
printf '0 1\n1 99999999999\n' | "$BIN/edgeconv" -q -u -o "$tmp/outlier.edges"
refuses 5 'an id beyond all windows' "$pack" -S 1G -p 1 -o "$tmp/x" "$tmp/outlier.edges"
check_says 'vertices in 1 shards: at most 2^31 a shard.*edgeconv --compact'
# ---- what would do ----

"$BIN/rmatgen" -q -s 20 -e 4 -o "$tmp/many.edges"
check_exit 0 'a plan whose bounds do not fit, while the packing does' "$BIN/dbfs-pack" --plan -S 32M -p 4 "$tmp/many.edges"
check_says 'fits the memory budget (-S) with up to [0-9]* vertices with edges, of them [0-9]* delegates: .* with -s'
check_exit 0 'a packing of many vertices fits the memory that the plan names' "$BIN/dbfs-pack" -q -@ 1 -S 32M -p 4 -o "$tmp/many" "$tmp/many.edges"
"$BIN/rmatgen" -q -s 20 --force -o "$tmp/many.edges"
check_exit 5 'too little memory for one shard is an error' "$BIN/dbfs-pack" -q -@ 4 -S 32M -p 1 -o "$tmp/one" "$tmp/many.edges"
would=$(sed -n 's/.*(-S) are left: -S \([0-9]*M\) would do, and more shards (-p) need less$/\1/p' "$tmp/err")
check_exit 0 "-S $would is said to do, and does" "$BIN/dbfs-pack" -q -@ 4 -S "${would:-32M}" -p 1 -o "$tmp/one" "$tmp/many.edges"
finish
