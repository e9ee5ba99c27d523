#!/bin/bash
# dbfs-pack-ranks.sh: degsplit and dbfs-pack under mpiexec. 1 to 4 ranks write the bytes of one process. If one rank
# fails, all end, with one message.
set -u
. tests/lib.sh
pack=$(realpath "$BIN/dbfs-pack")
degsplit=$(realpath "$BIN/degsplit")

same() { cmp "$1" "$2" >&2; }
same_folders() { diff -r "$1" "$2" >&2; }
# a rank that waits for a dead one would wait forever, hence the timeout
mpi() { local n=$1; shift; timeout 120 "$MPIEXEC" -n "$n" "$@"; }
said_once() { # PATTERN NAME
    check "$2 ($(grep -c -e "$1" "$tmp/err") times)" test "$(grep -c -e "$1" "$tmp/err")" = 1
}

"$BIN/rmatgen" -q -s 14 -o "$tmp/g.edges"
{ printf '7 7\n7 7\n30 30\n0 30\n'; "$BIN/rmatgen" -q -s 8 -e 4 -f text; } |
    "$BIN/edgeconv" -q -u --vertices 300 --force -o "$tmp/loops.edges"
# self-loops lie in several blocks
awk 'BEGIN { for (i = 0; i < 120000; i++) print i % 1000, i % 3 == 0 ? i % 1000 : i * 7 % 5003 }' |
    "$BIN/edgeconv" -q -u --force -o "$tmp/many.edges"
awk 'BEGIN { for (i = 0; i < 50000; i++) { print i % 999, i * 7 % 5003; print i * 7 % 5003, i % 999 } }' |
    "$BIN/edgeconv" -q --direction symmetric --force -o "$tmp/both.edges"
printf '3 3\n' | "$BIN/edgeconv" -q -u --vertices 5 -o "$tmp/none.edges"

# ---- the same bytes ----

for graph in g loops many both none; do
    ranks='1 2 3 4'
    [ $graph = g ] || ranks=3
    for how in '-p 3' '-t 9'; do
        "$degsplit" -q $how --force -o "$tmp/a.split" "$tmp/$graph.edges"
        for n in $ranks; do
            check_exit 0 "degsplit $how of $graph, $n ranks" \
                mpi $n "$degsplit" -q -@ 1 $how --force -o "$tmp/b.split" "$tmp/$graph.edges"
            check "degsplit $how of $graph, $n ranks: bytes are those of one process" same "$tmp/a.split" "$tmp/b.split"
        done
    done
done
# NAME RANKS OPTIONS...: packs and compares with $tmp/ref, which one process made
pack_alike() {
    local name=$1 n=$2
    shift 2
    rm -rf "$tmp/x"
    check_exit 0 "$name, $n ranks" mpi $n "$pack" -q -@ 1 -o "$tmp/x" "$@"
    check "$name, $n ranks: bytes are those of one process" same_folders "$tmp/x" "$tmp/ref"
}
for p in 1 2 4 5 8; do
    rm -rf "$tmp/ref"
    "$pack" -q -p $p -o "$tmp/ref" "$tmp/g.edges"
    for n in 2 3 4; do
        [ "${TEST_MODE:-short}" = long ] || [ $(((n + p) % 3)) != 0 ] || continue # short mode: two numbers of ranks
        pack_alike "p $p" $n -p $p "$tmp/g.edges"
    done
done
for graph in loops many both none; do
    for options in '-p 1 -t 0' '-p 3 -t inf' '-p 4 --encoding raw --heads nd=1,nn=2'; do
        rm -rf "$tmp/ref"
        "$pack" -q $options -o "$tmp/ref" "$tmp/$graph.edges"
        pack_alike "$graph $options" 3 $options "$tmp/$graph.edges"
    done
done
rm -rf "$tmp/ref"
"$pack" -q -p 5 -o "$tmp/ref" "$tmp/g.edges"
"$degsplit" -q -p 5 -o "$tmp/g.split" "$tmp/g.edges"
pack_alike 'with a .split' 2 -p 5 -s "$tmp/g.split" "$tmp/g.edges"
rm -rf "$tmp/x"
check_exit 0 'threads and ranks' mpi 2 "$pack" -q -@ 3 -p 5 -o "$tmp/x" "$tmp/g.edges"
check "$situation: bytes are those of one process" same_folders "$tmp/x" "$tmp/ref"
rm -rf "$tmp/x"
check_exit 0 'the summary' mpi 3 "$pack" -p 5 -o "$tmp/x" "$tmp/g.edges"
said_once 'M edges/s, peak memory' 'is said by one rank'
check_exit 0 '--list' mpi 2 "$pack" --list "$tmp/x"
check "$situation: is printed by one rank" test "$(grep -c '^pack id' "$tmp/out")" = 1
check_exit 0 '--verify' mpi 2 "$pack" --verify "$tmp/x"

# ---- restart ----

rm "$tmp/x/manifest" "$tmp/x/part-0001-of-0005.dbfs" "$tmp/x/part-0004-of-0005.dbfs"
check_exit 1 'an unfinished folder without journal' mpi 2 "$pack" --resume -p 5 -o "$tmp/x" "$tmp/g.edges"
said_once 'is not empty' 'is refused once'
# kill the whole job as soon as one part is there
rm -rf "$tmp/x"
set -m
"$MPIEXEC" -n 3 "$pack" -q -@ 1 -p 5 -o "$tmp/x" "$tmp/g.edges" >/dev/null 2>&1 </dev/null &
job=$!
set +m
until ls "$tmp/x"/part-* >/dev/null 2>&1 || ! kill -0 $job 2>/dev/null; do :; done
{ kill -KILL -- -$job; wait $job; } 2>/dev/null
wait_until flock -n "$tmp/x" true # the last rank has ended when the lock is free
check 'killed ranks leave a journal or a graph' test -e "$tmp/x/packing" -o -e "$tmp/x/manifest"
check_exit 0 '--resume with another number of ranks' \
    mpi 2 "$pack" --resume -@ 1 -p 5 -o "$tmp/x" "$tmp/g.edges"
check_says 'parts were finished: proven\|was complete already'
check "$situation: bytes are those of one process" same_folders "$tmp/x" "$tmp/ref"
check_exit 0 '--resume of a complete folder' mpi 3 "$pack" --resume -p 5 -o "$tmp/x" "$tmp/g.edges"
said_once 'was complete already' 'says so once'

# ---- edges that spill ----

rm -rf "$tmp/x" "$tmp/ref"
"$BIN/rmatgen" -q -s 18 -o "$tmp/large.edges"
"$pack" -q -p 2 -o "$tmp/ref" "$tmp/large.edges"
budget=40M
grep -q __asan_init "$pack" && budget=48M # AddressSanitizer adds memory of its own
check_exit 0 'a small memory budget' \
    mpi 3 "$pack" -v -@ 1 -S $budget -T "$tmp" -p 2 -o "$tmp/x" "$tmp/large.edges"
check_says 'spill'
check "$situation: bytes are those of one process" same_folders "$tmp/x" "$tmp/ref"
rm -r "$tmp/x"

# ids so far apart that values of vertices are kept in windows
awk 'BEGIN { srand(1); for (i = 0; i < 100000; i++) print int(rand() * 20000000), int(rand() * 20000000) }' |
    "$BIN/edgeconv" -q -u --force -o "$tmp/sparse.edges"
rm -rf "$tmp/x" "$tmp/ref"
"$pack" -q -p 2 -t 3 -o "$tmp/ref" "$tmp/sparse.edges"
"$degsplit" -q --force -o "$tmp/a.split" "$tmp/sparse.edges"
check_exit 0 'windows of vertices, 2 ranks' \
    mpi 2 "$pack" -q -@ 1 -S 48M -T "$tmp" -p 2 -t 3 -o "$tmp/x" "$tmp/sparse.edges"
check "$situation: bytes are those of one process" same_folders "$tmp/x" "$tmp/ref"
check_exit 0 'degsplit: windows of vertices, 3 ranks' \
    mpi 3 "$degsplit" -q -@ 1 -S 48M -T "$tmp" --force -o "$tmp/b.split" "$tmp/sparse.edges"
check "$situation: bytes are those of one process" same "$tmp/a.split" "$tmp/b.split"
rm -r "$tmp/x"

# ---- refused input ----

refuses() { # CODE RANKS NAME PATTERN COMMAND...
    local code=$1 n=$2 name=$3 pattern=$4
    shift 4
    check_exit "$code" "$name" mpi "$n" "$@"
    said_once "$pattern" "$name: said once"
    check "$name: leaves nothing" test ! -e "$tmp/x"
}
refuses 2 3 'a wrong option' 'dbfs-pack --help' "$pack" --wrong
refuses 2 3 'no folder' 'o DIR is required' "$pack" -p 2 "$tmp/g.edges"
refuses 2 2 'edges from standard input' 'give a file that all ranks can read' "$pack" -p 2 -o "$tmp/x" -
refuses 2 2 'degsplit: edges from standard input' 'give a file that all ranks can read' \
    "$degsplit" --force -o "$tmp/x" -
refuses 2 2 'a split from standard input' 'give a file that all ranks can read' \
    "$pack" -p 2 -s - -o "$tmp/x" "$tmp/g.edges"
mkfifo "$tmp/fifo"
refuses 2 2 'a pipe' 'give a file that all ranks can read' "$pack" -p 2 -o "$tmp/x" "$tmp/fifo"
refuses 1 3 'a missing stream' 'missing.edges: cannot open' "$pack" -p 2 -o "$tmp/x" "$tmp/missing.edges"
refuses 3 2 'a text' 'not an edge stream' "$pack" -p 2 -o "$tmp/x" tests/lib.sh
refuses 5 2 'too little memory' 'memory budget' "$pack" -S 1K -p 2 -o "$tmp/x" "$tmp/g.edges"
head -c 100000 "$tmp/g.edges" >"$tmp/cut.edges"
refuses 3 3 'a cut stream' 'without its trailer' "$pack" -p 2 -o "$tmp/x" "$tmp/cut.edges"
# a damaged block that one rank alone reads, of 8 blocks of 32768 edges, 8 bytes each
cp "$tmp/g.edges" "$tmp/bad.edges"
printf '\377' | dd of="$tmp/bad.edges" bs=1 seek=400000 conv=notrunc 2>/dev/null
refuses 3 3 'a corrupt block' 'rank 1 on .*block 1 at byte .*corrupt' \
    "$pack" -p 2 -o "$tmp/x" "$tmp/bad.edges"
refuses 3 3 'degsplit: a corrupt block' 'rank 1 on .*block 1 at byte .*corrupt' \
    "$degsplit" --force -o "$tmp/x" "$tmp/bad.edges"
rm -rf "$tmp/x"
mkdir "$tmp/x"
check_exit 0 'into an empty folder' mpi 2 "$pack" -q -p 2 -o "$tmp/x" "$tmp/g.edges"
check_exit 1 'a folder with a graph' mpi 3 "$pack" -p 2 -o "$tmp/x" "$tmp/g.edges"
said_once 'holds a packed graph already' 'said once'
rm -r "$tmp/x"

# ---- one rank fails ----

# on_rank RANK COMMAND FILE...: a script for mpiexec, in which one rank runs COMMAND before it packs
cat >"$tmp/on_rank" <<'SCRIPT'
#!/bin/bash
rank=${PMI_RANK:-${OMPI_COMM_WORLD_RANK:-0}}
want=$1 first=$2
shift 2
[ "$rank" != "$want" ] || eval "$first"
exec "$@"
SCRIPT
chmod +x "$tmp/on_rank"
ln -s g.edges "$tmp/here.edges"
refuses 1 3 'a file that one rank cannot see' 'rank 2 on .*: .*elsewhere.edges: cannot open' \
    "$tmp/on_rank" 2 "set -- \"\${@/here/elsewhere}\"" "$pack" -p 2 -o "$tmp/x" "$tmp/here.edges"
refuses 3 2 'another file of the same name on one rank' 'rank 1 on .*another edge stream here' \
    "$tmp/on_rank" 1 "set -- \"\${@/here/many}\"" "$pack" -p 2 -o "$tmp/x" "$tmp/here.edges"
# Some MPI libraries share memory between ranks through files, which the limit concerns, too. UCX does so by SysV
# segments, which end with the ranks. With TCP alone a rank may wait forever in MPI_Finalize for one that has ended.
alone() { env UCX_TLS=self,sysv timeout 120 "$MPIEXEC" -n 2 "$tmp/on_rank" 1 "trap '' XFSZ; ulimit -f 40" "$@"; }
if alone "$pack" --version >/dev/null 2>&1; then
    "$pack" -q -p 2 -o "$tmp/ref2" "$tmp/g.edges"
    check_exit 1 'one rank cannot write its part' alone "$pack" -p 2 -o "$tmp/x" "$tmp/g.edges"
    said_once 'rank 1 on .*cannot write: File too large' 'said once, with rank and host'
    check_says '1 of 2 parts are finished and stay: --resume'
    check "$situation: no manifest is left" test ! -e "$tmp/x/manifest"
    check_exit 0 '--resume' mpi 2 "$pack" -q --resume -p 2 -o "$tmp/x" "$tmp/g.edges"
    check "$situation: bytes are those of an uninterrupted packing" same_folders "$tmp/x" "$tmp/ref2"
    rm -r "$tmp/x"
else
    skip 'one rank cannot write its part: MPI does not start where files cannot grow'
fi
refuses 5 3 'one rank has too little memory' 'rank 1 on .*memory' \
    "$tmp/on_rank" 1 'set -- "$1" -S 1K "${@:2}"' "$pack" -p 2 -o "$tmp/x" "$tmp/g.edges"
check_exit 1 'a launcher of another MPI' \
    env OMPI_COMM_WORLD_SIZE=2 PMIX_RANK= "$pack" -p 2 -o "$tmp/x" "$tmp/g.edges"
check_says 'launcher'
finish
