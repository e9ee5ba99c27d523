#!/bin/bash
# bench-host.sh: the benchmark of columns in memory of the host: its rows, and the bytes of the link that it reckons.
set -u
. tests/lib.sh
export TMPDIR=$tmp BACKEND=cpu ROOTS=2
"$BIN/rmatgen" -q -s 10 -o "$tmp/edges"
"$BIN/dbfs-pack" -q -p 1 -t 0 --heads dd=1 -o "$tmp/g" "$tmp/edges"
"$BIN/dbfs-pack" -q -p 1 -t inf -o "$tmp/classes" "$tmp/edges"

shares() { awk '$1 ~ /^[0-9]+$/ { n++; bytes += $5; share += $7 } END { print n, (bytes > 0), int(1000 * share) }' "$tmp/out"; }
LINK=1000000 check_exit 0 'a link that costs nothing' scripts/bench-host.sh "$tmp/g"
read -r rows bytes _ < <(shares)
check "two roots, which read over it ($rows, $bytes)" test "$rows-$bytes" = 2-1
check "$situation: head columns are counted" grep -q 'head columns of dd: 1$' "$tmp/out"
check "$situation: a median share is printed" grep -q '^median share: [0-9]' "$tmp/out"
# On the CPU nothing is read over a link, so a slow one leaves nothing of what was possible.
LINK=0.000001 check_exit 0 'a slow link' scripts/bench-host.sh "$tmp/g"
read -r _ _ share < <(shares)
check "more was possible than by it ($share)" test "$share" -gt 10000
check_exit 3 'a graph with classes' env LINK=1 scripts/bench-host.sh "$tmp/classes"
check_says 'not one shard, packed with -t 0'
check_exit 2 'no graph' scripts/bench-host.sh
finish
