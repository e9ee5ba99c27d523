#!/bin/bash
# pipes.sh: the bytes of a pipe stay in memory if there is room, and go to disk otherwise; a terminal is no input.
set -u
. tests/lib.sh
. tests/layouts.sh
bin=$(realpath "$BIN") pretend=$(realpath "$TESTS/pretend.so")
cd "$tmp" || exit 1
mkdir disk
"$bin/rmatgen" -q -s 16 -o r.edges
"$bin/edgeconv" -q -o g.edges r.edges # its provenance does not tell the size
"$bin/dbfs-pack" -q -p 2 -o file.dbfs g.edges
"$bin/degsplit" -q -p 2 -o file.split g.edges

check 'a pipe in memory needs no folder' bash -c 'cat g.edges | "$1/dbfs-pack" -q -T none -p 2 -o pipe.dbfs -' - "$bin"
check 'a pipe in memory gives the shards of the file' diff -r file.dbfs pipe.dbfs
check 'degsplit of a pipe in memory needs no folder' bash -c 'cat g.edges | "$1/degsplit" -q -T none -p 2 -o pipe.split -' - "$bin"
check 'degsplit of a pipe in memory gives the split of the file' cmp file.split pipe.split
# from 2^20 vertices on, a tool looks at the size of a stream to see whether its ids are few
"$bin/rmatgen" -q -s 20 -e 1 -o many.edges
"$bin/degsplit" -q -p 2 -o file.split --force many.edges
for folder in none disk; do
    [ $folder = none ] && memory= || memory='-S 40M'
    check "degsplit of a pipe of 2^20 vertices ends, with -T $folder" \
        bash -c 'cat many.edges | "$1/degsplit" -q $3 -T $2 -p 2 --force -o pipe.split -' - "$bin" $folder "$memory"
    check 'degsplit of a pipe gives the split of the file, in memory and on disk' cmp file.split pipe.split
done
check 'one that does not fit goes to disk' bash -c 'cat g.edges | "$1/dbfs-pack" -v -S 32M -T disk -p 2 -o small.dbfs - 2>said' - "$bin"
check 'dbfs-pack -v says that a pipe is on disk' grep -q "the pipe does not fit the memory: $(stat -c %s g.edges) bytes are in disk" said
check 'a pipe on disk gives the shards of the file' diff -r file.dbfs small.dbfs
check 'a pipe goes to disk where the system has no files in memory' bash -c 'cat g.edges | PRETENDED_LACK=memfd_create LD_PRELOAD=$2 "$1/dbfs-pack" -v \
    -S 256M -T disk -p 2 --force -o small.dbfs - 2>said' - "$bin" "$pretend"
check 'dbfs-pack counts a pipe that goes to disk at once as bytes on disk' grep -q "$(stat -c %s g.edges) bytes are in disk" said
check 'nothing is left' test -z "$(ls -A disk)"
check 'a folder that is missing is an error then' bash -c 'cat g.edges | "$1/dbfs-pack" -q -S 32M -T none -p 2 -o x.dbfs - 2>said; [ $? = 1 ]' - "$bin"
check 'a missing folder for a pipe on disk is named' grep -q 'none: cannot create a temporary file' said

# ---- a pipe that does not say its size is not kept either, unless it comes too far ----

# LIMIT FILE OPTION...: packs the file from a pipe, while no file, one in memory either, may have more than LIMIT KiB
packed_within() { (ulimit -f "$1" && cat "$2" | "$bin/dbfs-pack" -q -T none --force -o pipe.dbfs "${@:3}" - 2>said); }
kib=$(($(stat -c %s g.edges) / 2048))
check 'a pipe is not kept where there is memory for its edges' packed_within $kib g.edges -p 2
check 'a pipe that is not kept gives the shards of the file' diff -r file.dbfs pipe.dbfs
check_exit 1 'a pipe that is kept, as there is less memory, and cannot be' packed_within $kib g.edges -p 2 -S 256M
check "$situation: the message says why" grep -q 'cannot write a temporary copy of the edge stream: File too large' said
awk 'BEGIN { for (i = 0; i < 80000; i++) print i % 40000, i * 7 % 50000; print 3, 3; print 3, 3; print 8388608, 1; print 8388607, 2; print 9000000, 9000000 }' |
    tee far.txt | "$bin/edgeconv" -q --direction directed -o far.edges - # an id of 2^23 in the third block
"$bin/edgeconv" -q -u -o once.edges far.txt
awk '{ print $1 "\t" $2; if ($1 != $2) print $2 "\t" $1 }' far.txt | "$bin/edgeconv" -q --direction directed - | as_symmetric >symmetric.edges
for stream in far once symmetric; do
    "$bin/dbfs-pack" -q -p 3 --force -o file.dbfs $stream.edges
    check_exit 1 "a pipe whose ids come too far ($stream) and that cannot be kept" packed_within 64 $stream.edges -p 3
    for threads in 1 5; do
        check "the edges that came before it was kept are not lost ($stream, $threads threads)" \
            bash -c 'cat $2.edges | "$1/dbfs-pack" -q -@ $3 -p 3 --force -o pipe.dbfs - && diff -r file.dbfs pipe.dbfs' - "$bin" $stream $threads
    done
done
printf '%s\n' '1 8000000' '8000000 7' >sparse.txt
"$bin/edgeconv" -q -u -o sparse.edges sparse.txt
"$bin/dbfs-pack" -q --force -o file.dbfs sparse.edges
check_exit 1 'a pipe whose ids are to be dense and that cannot be kept' packed_within 0 sparse.edges
check 'a pipe whose ids are to be dense gives the shards of the file' \
    bash -c 'cat sparse.edges | "$1/dbfs-pack" -q --force -o pipe.dbfs - && diff -r file.dbfs pipe.dbfs' - "$bin"
wide() { awk -v edges="$1" 'BEGIN { for (i = 0; i < edges; i++) print i % 1000, 9000000 - i % 997 }' | "$bin/edgeconv" -q -u -o "$2" -; }
wide 600000 wide.edges
"$bin/dbfs-pack" -q --force -o file.dbfs wide.edges
check 'a pipe whose first block has ids of 2^23 and more is not kept' packed_within 4000 wide.edges
check 'a pipe with ids of 2^23 and more gives the shards of the file' diff -r file.dbfs pipe.dbfs
mib=840 # the least memory in which 2^20 edges of 2^24 vertices fit
until packed_within 4000 wide.edges -@ 1 -S ${mib}M || [ $mib -gt 900 ]; do mib=$((mib + 5)); done
check "2^20 edges of 2^24 vertices fit into 900 MiB ($mib)" test $mib -le 900
wide 1200000 more.edges
check_exit 1 'a pipe with more edges than the memory may have and that cannot be kept' packed_within 4000 more.edges -@ 1 -S ${mib}M
"$bin/dbfs-pack" -q --force -o file.dbfs more.edges
check 'a pipe with more edges than the memory may have gives the shards of the file' \
    bash -c 'cat more.edges | "$1/dbfs-pack" -q -@ 1 -S $2M --force -o pipe.dbfs - && diff -r file.dbfs pipe.dbfs' - "$bin" $mib

# ---- a pipe that says its size at the beginning is not kept ----

"$bin/dbfs-pack" -q -p 2 -o whole.dbfs r.edges
check 'dbfs-pack of a pipe in 64 MiB needs no folder' \
    bash -c '"$1/rmatgen" -q -s 16 | "$1/dbfs-pack" -v -@ 1 -S 64M -T none -p 2 -o once.dbfs - 2>said' - "$bin"
check 'a pipe is not read before it is used' bash -c '! grep -q "reading the pipe" said'
check 'a pipe that is read once gives the shards of the file' diff -r whole.dbfs once.dbfs
check 'what does not fit as tiles is kept' \
    bash -c '"$1/rmatgen" -q -s 18 | "$1/dbfs-pack" -v -S 32M -T disk -p 2 -o kept.dbfs - 2>said' - "$bin"
check 'dbfs-pack says that a pipe that does not fit is on disk' grep -q "the pipe does not fit the memory: [0-9]* bytes are in disk" said
check 'dbfs-pack counts degrees while it keeps such a pipe' bash -c '! grep -q "reading the pipe" said && grep -q "counting degrees" said'
"$bin/rmatgen" -q -s 18 | "$bin/dbfs-pack" -q -p 2 -o once18.dbfs -
check 'a pipe on disk gives the shards of one in memory' diff -r kept.dbfs once18.dbfs
{ head -c 4000000 r.edges; } >cut.edges
check_exit 3 'a cut pipe' bash -c 'cat cut.edges | "$1/dbfs-pack" -q -p 2 -o x.dbfs -' - "$bin"
cp r.edges bad.edges
printf '\377' | dd of=bad.edges bs=1 seek=3000 conv=notrunc 2>/dev/null
check_exit 3 'a damaged pipe' bash -c 'cat bad.edges | "$1/dbfs-pack" -q -p 2 -o x.dbfs -' - "$bin"
check_says 'standard input: block 0 at byte .*corrupt'
# the preamble says another scale than the trailer
preamble() { echo $((64 + $(od -An -tu4 -j 20 -N 4 "$1"))); }
"$bin/rmatgen" -q -s 15 --count 9 -o small.edges
{ head -c "$(preamble r.edges)" r.edges; tail -c +$(($(preamble small.edges) + 1)) small.edges; } >other.edges
check_exit 3 'a preamble of another stream' bash -c 'cat other.edges | "$1/dbfs-pack" -q -p 2 -o x.dbfs -' - "$bin"
check "$situation: no shards are left" test ! -e x.dbfs
if script -qec true /dev/null >/dev/null 2>&1; then # script(1) makes a terminal
    for command in "dbfs-pack -p 1 -o x.dbfs" "degsplit -o x.split" "edgeconv -o x.edges"; do
        check_exit 2 "$command at a terminal" timeout 20 script -qec "'$bin/${command%% *}' ${command#* }" /dev/null
        check "$situation: the message says that standard input is a terminal" grep -q 'standard input: is a terminal' out
    done
    check 'programs at a terminal make nothing' test ! -e x.dbfs -a ! -e x.split -a ! -e x.edges
else
    skip 'a terminal as input: none can be had'
fi
finish
