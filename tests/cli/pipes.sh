#!/bin/bash
# pipes.sh: what comes out of a pipe stays in memory where that has room, and goes to disk where not; a terminal
# is no input.
set -u
. tests/lib.sh
bin=$(realpath "$BIN")
cd "$tmp" || exit 1
mkdir disk
"$bin/rmatgen" -q -s 16 -o g.edges
"$bin/dbfs-pack" -q -p 2 -o file.dbfs g.edges
"$bin/degsplit" -q -p 2 -o file.split g.edges

check 'a pipe in memory needs no folder' bash -c 'cat g.edges | "$1/dbfs-pack" -q -T none -p 2 -o pipe.dbfs -' - "$bin"
check 'the same shards' diff -r file.dbfs pipe.dbfs
check 'degsplit: likewise' bash -c 'cat g.edges | "$1/degsplit" -q -T none -p 2 -o pipe.split -' - "$bin"
check 'the same split' cmp file.split pipe.split
check 'one that does not fit goes to disk' bash -c 'cat g.edges | "$1/dbfs-pack" -v -S 32M -T disk -p 2 -o small.dbfs - 2>said' - "$bin"
check 'which -v tells' grep -q "the pipe does not fit the memory: $(stat -c %s g.edges) bytes are in disk" said
check 'the same shards from there' diff -r file.dbfs small.dbfs
check 'nothing is left' test -z "$(ls -A disk)"
check 'a folder that is missing is an error then' bash -c 'cat g.edges | "$1/dbfs-pack" -q -S 32M -T none -p 2 -o x.dbfs - 2>said; [ $? = 1 ]' - "$bin"
check 'which is named' grep -q 'none: cannot create a temporary file' said
if script -qec true /dev/null >/dev/null 2>&1; then # a terminal can be had
    for command in "dbfs-pack -p 1 -o x.dbfs" "degsplit -o x.split" "edgeconv -o x.edges"; do
        check_exit 2 "$command at a terminal" timeout 20 script -qec "'$bin/${command%% *}' ${command#* }" /dev/null
        check 'says that it is one' grep -q 'standard input: is a terminal' out
    done
    check 'and nothing is made' test ! -e x.dbfs -a ! -e x.split -a ! -e x.edges
else
    skip 'a terminal as input: none can be had'
fi
finish
