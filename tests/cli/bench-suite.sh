#!/bin/bash
# bench-suite.sh: the benchmark over many shapes: its rows, its peers, and that it sees wrong distances.
set -u
. tests/lib.sh
suite() { BACKEND=cpu THREADS=1 ROOTS=4 WORK=$tmp "$@"; }

check_exit 0 'graphs of each shape' suite env CHECK=1 TH='suggested inf' scripts/bench-suite.sh \
    rmat8 uniform8 path100 grid12 datasets/wordnet-3.0.txt
rows=$(grep -c ' same$' "$tmp/out")
check "a row for each graph and TH ($rows)" test "$rows" = 10
check 'levels of a path from its ends and its middle' \
    awk '$1 == "path100" && $3 == "83.7" { found = 1 } END { exit !found }' "$tmp/out"
check 'levels of a grid from two corners and its middle' \
    awk '$1 == "grid12" && $3 == "19.7" { found = 1 } END { exit !found }' "$tmp/out"

mkdir "$tmp/folder" "$tmp/right" "$tmp/wrong"
echo '0 1' >"$tmp/folder/one.txt"
printf '\001\002' >"$tmp/folder/two.bin"
check_exit 0 'a folder' suite scripts/bench-suite.sh "$tmp/folder"
check 'its graph has a row' grep -q '^one.txt .* same$' "$tmp/out"
check_says 'left out: ' 'what is no graph is left out, with the reason'

program=$(realpath "$BIN")/dbfs-traverse
ln -s "$program" "$tmp/right/dbfs-traverse"
printf '#!/bin/sh\nexec "%s" --seed 99 "$@"\n' "$program" >"$tmp/wrong/dbfs-traverse"
chmod +x "$tmp/wrong/dbfs-traverse"
check_exit 0 'another build that agrees' suite env BEFORE="$tmp/right" scripts/bench-suite.sh rmat8
check 'it has columns of its own' grep -q '^graph .* before  *ratio distances$' "$tmp/out"
check_exit 4 'another build that finds other distances' suite env BEFORE="$tmp/wrong" scripts/bench-suite.sh rmat8
check 'the row says so' grep -q ' before differs$' "$tmp/out"

printf '#!/bin/sh\nshift 2\nfor root; do echo "$root 0.5"; done\n' >"$tmp/peer"
chmod +x "$tmp/peer"
check_exit 0 'a peer' suite env PEERS="slow=$tmp/peer" scripts/bench-suite.sh rmat8
check 'its mean is in the table' awk '$1 == "rmat8" && $7 == "500.0000" { found = 1 } END { exit !found }' "$tmp/out"
finish
