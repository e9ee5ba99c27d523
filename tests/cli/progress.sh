#!/bin/bash
# progress.sh: long steps show stage, share done and time left on a terminal, and nothing elsewhere; -v prints the
# time of each stage when it ends.
set -u
. tests/lib.sh
bin=$(realpath "$BIN")
cd "$tmp" || exit 1
"$bin/rmatgen" -q -s 20 -o g.edges
"$bin/dbfs-pack" -q -@ 1 -p 2 -o g.dbfs g.edges

# shows NAME COMMAND STAGE...: runs on a terminal and expects the stages
shows() {
    local stage
    script -qec "$2" /dev/null 2>&1 | tr '\r' '\n' >screen
    for stage in "${@:3}"; do
        check "$1: a terminal shows share and time left of $stage" grep -qE "^[a-z-]*: $stage:( [0-9.]+ [KMG]?i?B, [0-9.]+ [KMG]?i?B/s,)? [0-9]+%, [0-9]+ s left" screen
    done
    check "$1: the line is cleared at the end" test "$(tail -c 4 screen | tr '\033' '^')" != 'left'
}
# hides NAME COMMAND: runs with standard error in a file and expects nothing
hides() {
    bash -c "$2" >/dev/null 2>err
    check "$1: a file shows no progress" test "$(grep -c -e ' left' -e "$(printf '\r')" err)" = 0
}
if script -qec true /dev/null >/dev/null 2>&1; then # script(1) makes a terminal
    shows rmatgen "'$bin/rmatgen' -@ 1 -s 21 -o /dev/null --force" 'making edges'
    shows edgeconv "'$bin/edgeconv' -@ 1 --compact=g.map -o /dev/null g.edges" converting
    shows degsplit "'$bin/degsplit' -@ 1 -S 64M -o /dev/null g.edges" 'counting degrees'
    shows dbfs-pack "'$bin/dbfs-pack' -@ 1 -S 96M --force -p 2 -o x.dbfs g.edges" 'placing edges' 'building shards'
    shows dbfs-traverse "'$bin/dbfs-traverse' -@ 1 -n 64 g.dbfs >/dev/null" searching
    shows dbfs-batch "'$bin/dbfs-batch' -@ 1 -n 1000 g.dbfs >/dev/null" searching
    script -qec "'$bin/dbfs-pack' -q -@ 1 --force -p 2 -o x.dbfs g.edges" /dev/null >screen 2>&1
    check 'dbfs-pack -q shows no progress' test ! -s screen
else
    skip 'progress: no terminal can be had'
fi
hides rmatgen "'$bin/rmatgen' -@ 1 -s 21 -o /dev/null"
hides dbfs-pack "'$bin/dbfs-pack' -@ 1 -S 96M --force -p 2 -o x.dbfs g.edges"
hides dbfs-traverse "'$bin/dbfs-traverse' -@ 1 -n 64 g.dbfs"

# ---- -v: each stage is told when it ends, however short it was ----

"$bin/rmatgen" -q -s 14 --force -o g.edges
check_exit 0 'dbfs-pack -v' "$bin/dbfs-pack" -v --force -p 2 -o x.dbfs g.edges
stages=$(sed -n 's/^dbfs-pack: \([a-z ]*\): [0-9.]* s$/\1/p' err | tr '\n' ',')
check "$situation: prints its stages ($stages)" test "$stages" = 'counting degrees,counting edges by thresholds,placing edges,building shards,'
"$bin/dbfs-traverse" -v -@ 1 -r 1 g.dbfs >/dev/null 2>err
stages=$(sed -n 's/^dbfs-traverse: \([a-z ]*\): [0-9.]* s$/\1/p' err | tr '\n' ',')
check "dbfs-traverse tells those of loading ($stages)" test "$stages" = 'checking shards,loading shards,checking ranges,'
"$bin/dbfs-traverse" -v --no-check --trust -@ 1 -r 1 g.dbfs 2>&1 >/dev/null |
    sed -n 's/^dbfs-traverse: \([a-z ]*\): [0-9.]* s$/\1/p' | tr '\n' ',' >stages
check 'dbfs-traverse -v prints one stage, of loading' test "$(cat stages)" = 'loading shards,'
"$bin/edgeconv" -q -t text -o e.txt g.edges # a stream that does not say its size at the start
"$bin/edgeconv" -q --force -o e.edges e.txt
"$bin/dbfs-pack" -v --force -p 2 -o x.dbfs - < <(cat e.edges; until [ -e go ]; do sleep 0.05; done) 2>pipe &
sleep 0.7
check 'nothing is told before it has ended' test ! -s pipe
touch go
wait
check 'a pipe is a stage of its own' grep -q '^dbfs-pack: reading the pipe: [0-9.]* s$' pipe
finish
