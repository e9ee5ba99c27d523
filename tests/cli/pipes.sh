#!/bin/bash
# pipes.sh: the bytes of a pipe stay in memory if there is room, and go to disk otherwise; a terminal is no input.
set -u
. tests/lib.sh
bin=$(realpath "$BIN")
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
check 'nothing is left' test -z "$(ls -A disk)"
check 'a folder that is missing is an error then' bash -c 'cat g.edges | "$1/dbfs-pack" -q -S 32M -T none -p 2 -o x.dbfs - 2>said; [ $? = 1 ]' - "$bin"
check 'a missing folder for a pipe on disk is named' grep -q 'none: cannot create a temporary file' said

# ---- a pipe that says its size at the beginning is not kept ----

"$bin/dbfs-pack" -q -p 2 -o whole.dbfs r.edges
check 'dbfs-pack of a pipe in 64 MiB needs no folder' \
    bash -c '"$1/rmatgen" -q -s 16 | "$1/dbfs-pack" -v -@ 1 -S 64M -T none -p 2 -o once.dbfs - 2>said' - "$bin"
check 'a pipe is not read before it is used' bash -c '! grep -q "reading the pipe" said'
check 'a pipe that is read once gives the shards of the file' diff -r whole.dbfs once.dbfs
check 'what does not fit as tiles is kept' \
    bash -c '"$1/rmatgen" -q -s 18 | "$1/dbfs-pack" -v -S 32M -T disk -p 2 -o kept.dbfs - 2>said' - "$bin"
check 'dbfs-pack says that a pipe that does not fit is on disk' grep -q "the pipe does not fit the memory: [0-9]* bytes are in disk" said
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
