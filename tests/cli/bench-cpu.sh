#!/bin/bash
# bench-cpu.sh: the benchmark of both clocks by numbers of threads: its rows, peers; that it sees wrong distances.
set -u
. tests/lib.sh
cpu() { env THREADS='1 2' ROOTS=3 ROUNDS=2 WORK="$tmp" "$@"; }
run=scripts/bench-cpu.sh
# column N of the row of a graph with so many threads is VALUE
has() { # GRAPH THREADS N VALUE
    awk -v graph="$1" -v threads="$2" -v n="$3" -v value="$4" '
        $1 == graph && $2 == threads && $n == value { found = 1 } END { exit !found }' "$tmp/out"
}
peer() { printf '#!/bin/sh\n%s\n' "$2" >"$tmp/$1" && chmod +x "$tmp/$1"; }

check_exit 0 'two graphs, no peer' cpu $run rmat8 grid12
check 'a row for each number of threads' test "$(grep -c '^rmat8 \|^grid12 ' "$tmp/out")" = 4
check 'of as many rounds as were asked for' has rmat8 2 3 2
check 'an answer comes after its search' \
    awk '/^rmat8/ && ($5 < $4 || $7 < $6) { bad = 1 } END { exit bad }' "$tmp/out"
check_exit 0 'a row without time for a second round' cpu EACH=0 $run rmat8
check 'has one' has rmat8 1 3 1

# This peer takes half a second for each search, with as many threads as it is told.
peer slow 'echo "$OMP_NUM_THREADS" >>threads; shift 2; for root; do echo "$root 0.5"; done'
check_exit 0 'a peer that says no distances' cpu $run rmat8 "slow=cd '$tmp' && ./slow {pairs} {n} {roots}"
check 'its time is in the row' has rmat8 1 9 500
check 'and that nothing was compared' grep -q '^rmat8 .* not compared$' "$tmp/out"
check 'it had the threads of each row' test "$(sort -u "$tmp/threads" | tr '\n' ' ')" = '1 2 '
check 'and was asked in each round' test "$(wc -l <"$tmp/threads")" = 4
check 'dbfs is so many times as fast' \
    awk '/^rmat8/ { r = 500 / $4; bad += r < .99 * $10 || r > 1.01 * $10 } END { exit bad > 0 }' "$tmp/out"

peer dbfs "rm -rf '$tmp/packed'; '$BIN/dbfs-pack' -q -p 1 -o '$tmp/packed' \"\$1\" && shift &&
    '$BIN/dbfs-traverse' --backend cpu -r \$(echo \"\$@\" | tr ' ' ,) '$tmp/packed' |
    awk -v more=\$MORE '\$1 == \"root\" { print \$2, \$4, \$8 + more, \$6, \$16 }'"
check_exit 0 'a peer that finds the same' cpu MORE=0 $run rmat8 "mine=$tmp/dbfs {edges} {roots}"
check 'is compared' grep -q '^rmat8 .* same$' "$tmp/out"
check_exit 4 'a peer that finds more' cpu MORE=1 $run rmat8 "mine=$tmp/dbfs {edges} {roots}"
check 'its searches that differ are counted' grep -q '^rmat8 .* 3 differ$' "$tmp/out"
check_exit 1 'a graph that is not there' cpu $run "$tmp/nothing.txt" rmat8
check 'and the next has its rows' grep -q '^rmat8 ' "$tmp/out"
check_exit 0 'kept results' cpu REVISION=r17 RESULTS="$tmp/kept" RUN='nice -n 1' $run rmat8
check 'say how they came about' \
    grep -q "^command: THREADS='1 2' ROOTS=3 ROUNDS=2 RUN='nice -n 1' $run rmat8$" "$tmp/kept"
finish
