#!/bin/bash
# bench-suite.sh: the benchmark over many shapes: its rows, options, peers; that it sees wrong distances.
set -u
. tests/lib.sh
suite() { env BACKEND=cpu THREADS=1 ROOTS=4 WORK="$tmp" "$@"; }
run=scripts/bench-suite.sh
# column N of the row of a graph and a program is VALUE
has() { # GRAPH PROGRAM N VALUE
    awk -v graph="$1" -v program="$2" -v n="$3" -v value="$4" '
        $1 == graph && $3 == program && $n == value { found = 1 } END { exit !found }' "$tmp/out"
}
program() { printf '#!/bin/sh\n%s\n' "$2" >"$tmp/$1" && chmod +x "$tmp/$1"; }

check_exit 0 'graphs of each shape' suite CHECK=1 TH='suggested inf' $run \
    rmat8 uniform8 path100 grid12 datasets/wordnet-3.0.txt
for program in dbfs push pull cost; do
    check "a row for each graph and TH: $program" test "$(grep -c " $program-cpu " "$tmp/out")" = 10
done
check 'all directions find the same' test "$(grep -c ' same$' "$tmp/out")" = 30
check 'levels of a path from its ends and its middle' has path100 dbfs-cpu 5 83.7
check 'levels of a grid from two corners and its middle' has grid12 dbfs-cpu 5 19.7
check 'the thresholds that were asked for, and suggested' \
    sh -c "grep -q '^wordnet-3.0.txt  *([0-9]*) dbfs-cpu' '$tmp/out' && grep -q '^wordnet-3.0.txt  *inf dbfs-cpu' '$tmp/out'"

check_exit 0 'a very deep graph' suite CHECK=1 PACK='-t 7' $run path20001
check 'is not searched in one direction alone' test "$(grep -c '^path20001' "$tmp/out")" = 1
check 'options for packing' has path20001 dbfs-cpu 2 '(7)'
printf '%s\n' '7 3' '3 9' '9 1' '1 4' '4 8' '8 2' '2 6' '6 5' >"$tmp/shuffled.txt"
check_exit 0 'the ends of a graph as roots' suite ROOTS=ends $run "$tmp/shuffled.txt"
check 'levels from two ends and the middle' has shuffled.txt dbfs-cpu 5 7.7

mkdir "$tmp/folder" "$tmp/right" "$tmp/wrong"
echo '0 1' >"$tmp/folder/one.txt"
printf '\001\002' >"$tmp/folder/two.bin"
check_exit 0 'a folder' suite $run "$tmp/folder"
check 'its graph has a row' grep -q '^one.txt .* dbfs-cpu ' "$tmp/out"
check_says 'left out: ' 'what is no graph is left out, with the reason'
check_exit 0 'a folder of the environment' suite FOLDER="$tmp/folder" $run rmat8
check 'its rows are beside those of the arguments' \
    sh -c "grep -q '^one.txt' '$tmp/out' && grep -q '^rmat8' '$tmp/out'"

traverse=$(realpath "$BIN")/dbfs-traverse
ln -s "$traverse" "$tmp/right/dbfs-traverse"
program wrong/dbfs-traverse "exec '$traverse' --seed 99 \"\$@\""
check_exit 0 'another build that agrees' suite BEFORE="$tmp/right" $run rmat8
check 'it has a row of its own' has rmat8 before 10 same
check_exit 4 'another build that finds other distances' suite BEFORE="$tmp/wrong" $run rmat8
check 'the row says so' grep -q ' before .* differ$' "$tmp/out"

# Peers. This one checks what it is given, and takes half a second for each search.
program slow 'test "$(($(wc -c <"$1") / 8))" = "$(wc -l <"$2")" && test -s "$3" && test -s "$4" &&
    test "$5 $6 $7 $OMP_NUM_THREADS" = "256 4 1 1" && shift 7 && for root; do echo "$root 0.5"; done'
check_exit 0 'a peer' suite $run rmat8 \
    "slow=$tmp/slow {pairs} {text} {edges} {sg} {n} {count} {threads} {roots}"
check 'its mean is in the table' has rmat8 slow 6 500.0000
check 'it said no distances' grep -q ' slow .* not compared$' "$tmp/out"
program dbfs "rm -rf '$tmp/packed'; '$BIN/dbfs-pack' -q -p 1 -o '$tmp/packed' \"\$1\" && shift &&
    '$traverse' --backend cpu -r \$(echo \"\$@\" | tr ' ' ,) '$tmp/packed' |
    awk -v more=\$MORE '\$1 == \"root\" {
        print \$2, \$4, \$8, \$6 + (more == \"levels\"), \$16 (more == \"sum\" ? 0 : \"\") }'"
check_exit 0 'a peer that says what it found' suite $run rmat8 "mine=$tmp/dbfs {edges} {roots}"
check 'is compared' has rmat8 mine 10 same
for wrong in levels sum; do
    check_exit 4 "a peer with wrong $wrong" suite MORE=$wrong $run rmat8 "mine=$tmp/dbfs {edges} {roots}"
    check 'the row counts its searches that differ' grep -q ' mine .* 4 differ$' "$tmp/out"
done
check_exit 0 'a peer that prints as GAPBS does' suite $run rmat8 'G=printf "Trial Time: %s\n" 0.25 0.75'
check 'its trials are in the table' has rmat8 G 6 500.0000
check_exit 0 'a peer that fails, one that does not end' suite LIMIT=4 $run rmat8 \
    'bad=echo no such device >&2; exit 3' 'late=echo 1 0.5; sleep 60'
check 'both have their rows' \
    sh -c "grep -q ' bad .* failed$' '$tmp/out' && grep -q ' late  *1  .* not compared$' '$tmp/out'"
check_says 'exit status 3: no such device' 'the reason is told'
check_exit 1 'dbfs that fails' suite BACKEND=none $run rmat8
check_exit 1 'a graph that is not there' suite $run "$tmp/nothing.txt" rmat8
check_says "left out: .*nothing.txt" 'is named'
check 'and the next has its row' grep -q '^rmat8' "$tmp/out"

check_exit 0 'kept results' suite REVISION=r17 RESULTS="$tmp/kept" $run path100 'G=echo "Trial Time: 1"'
check 'are what was printed' cmp "$tmp/out" "$tmp/kept"
check 'and say how they came about' \
    grep -q "^command: BACKEND=cpu THREADS=1 ROOTS=4 $run path100 'G=echo " "$tmp/kept"
check 'of which revision, when' grep -q "^revision: r17; 20[0-9-]*$" "$tmp/kept"
finish
