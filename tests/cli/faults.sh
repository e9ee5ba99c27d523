#!/bin/bash
# faults.sh: what happens to a program while it runs: a part that is cut, a rank that is killed or stopped,
# SIGINT and SIGTERM in every phase. Each ends with a message and the right exit code, leaves nothing partial
# behind, and no process.
set -u
. tests/lib.sh
traverse=$(realpath "$BIN/dbfs-traverse")
pack=$(realpath "$BIN/dbfs-pack")

"$BIN/rmatgen" -q -s 12 -o "$tmp/g.edges"
"$pack" -q -p 1 --encoding raw -o "$tmp/p1" "$tmp/g.edges"
"$pack" -q -p 2 --encoding raw -o "$tmp/p2" "$tmp/g.edges"

# start NAME COMMAND...: in the background, until it has printed the line of a root; its process is $pid
start() {
    "$@" >"$tmp/out" 2>"$tmp/err" </dev/null &
    pid=$!
    for _ in $(seq 300); do
        grep -q '^root ' "$tmp/out" && return
        sleep 0.1
    done
    fail "no search was done within 30 s: $*"
}
# ended CODE NAME: $pid ends by itself within a minute, with this exit code
ended() {
    local got=0
    (sleep 60; kill -KILL $pid 2>/dev/null) &
    local watchman=$!
    wait $pid 2>/dev/null || got=$?
    kill $watchman 2>/dev/null
    wait $watchman 2>/dev/null
    check "$2 (exit $got)" test $got = "$1"
}

# ---- a part is cut during a search ----

cp -r "$tmp/p1" "$tmp/cut"
start "$traverse" --backend cpu -@ 1 -n 1000000 --depths "$tmp/depths-%d.npy" "$tmp/cut"
check 'it has its own name' grep -qx dbfs-traverse "/proc/$pid/comm"
truncate -s 4096 "$tmp/cut/part-0000-of-0001.dbfs"
ended 1 'a part is cut during a search'
check_says 'dbfs-traverse: .*/cut/part-0000-of-0001.dbfs: cannot read: the file became shorter' 'and is named'
check 'no temporary file is left' test -z "$(find "$tmp" -maxdepth 1 -name '.depths*')"
rm -f "$tmp"/depths-*

cp -r "$tmp/p2" "$tmp/cut2"
start "$MPIEXEC" -n 2 "$traverse" --backend cpu -@ 1 -n 1000000 "$tmp/cut2"
truncate -s 4096 "$tmp/cut2/part-0001-of-0002.dbfs"
ended 1 'a part of one rank is cut'
check_says 'part-0001-of-0002.dbfs: cannot read' 'and is named'
check 'no rank is left' test -z "$(pgrep -f "$tmp/cut2")"
finish
