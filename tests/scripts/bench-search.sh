#!/bin/bash
# bench-search.sh: scripts/bench-search.sh prints the right rows, both clocks, options and peers, and notices wrong
# distances.
set -u
. tests/lib.sh
run=scripts/bench-search.sh
bench() { env BACKEND=cpu THREADS=1 ROOTS=4 ROUNDS=1 WORK="$tmp" "$@"; }
# checks that column N is VALUE in the row of a graph, a program and a number of threads
has() { # GRAPH PROGRAM N VALUE [THREADS]
    awk -v graph="$1" -v program="$2" -v n="$3" -v value="$4" -v threads="${5:-1}" '
        $1 == graph && $4 == program && $3 == threads && $n == value { found = 1 } END { exit !found }' "$tmp/out"
}
program() { printf '#!/bin/sh\n%s\n' "$2" >"$tmp/$1" && chmod +x "$tmp/$1"; }

check_exit 0 'graphs of each shape' bench CHECK=1 TH='suggested inf' $run \
    rmat8 uniform8 path100 grid12 datasets/wordnet-3.0.txt
for program in dbfs push pull cost; do
    check "each graph and TH has a row: $program" test "$(grep -c " $program-cpu " "$tmp/out")" = 10
done
check 'all directions find the same' test "$(grep -c ' same$' "$tmp/out")" = 30
check 'levels of a path from its ends and its middle' has path100 dbfs-cpu 6 83.67
check 'roots of a grid are two corners and its middle' has grid12 dbfs-cpu 6 19.67
check 'the thresholds that were asked for, and suggested' \
    sh -c "grep -q '^wordnet-3.0.txt  *([0-9]*)  *1 dbfs-cpu' '$tmp/out' && grep -q '^wordnet-3.0.txt  *inf  *1 dbfs-cpu' '$tmp/out'"
check 'an answer comes after its search' \
    awk '$4 == "dbfs-cpu" { n++; bad += $8 < $7 || $10 < $9 } END { exit n != 10 || bad }' "$tmp/out"

check_exit 0 'numbers of threads, rounds' bench THREADS='1 2' ROUNDS=2 $run rmat8
check "$situation: each number of threads has a row" test "$(grep -c '^rmat8 ' "$tmp/out")" = 2
check "$situation: each row has as many processes as were asked for" has rmat8 dbfs-cpu 5 2 2
check_exit 0 'a row without time for a second round' bench ROUNDS=2 EACH=0 $run rmat8
check "$situation: has one process" has rmat8 dbfs-cpu 5 1

check_exit 0 'a very deep graph' bench CHECK=1 PACK='-t 7' $run path20001
check "$situation: is not searched in one direction alone" test "$(grep -c '^path20001' "$tmp/out")" = 1
check 'options for packing are in the row' has path20001 dbfs-cpu 2 '(7)'
printf '%s\n' '7 3' '3 9' '9 1' '1 4' '4 8' '8 2' '2 6' '6 5' >"$tmp/shuffled.txt"
check_exit 0 'the ends of a graph as roots' bench ROOTS=ends $run "$tmp/shuffled.txt"
check 'levels from two ends and the middle' has shuffled.txt dbfs-cpu 6 7.667

# ---- sweeps of TH ----

check_exit 0 'a sweep' bench TH=sweep SWEEP="$tmp/sweep" $run rmat8
check "$situation: each TH that makes a difference has a row" test "$(grep -c '^rmat8 ' "$tmp/out")" -ge 8
check "$situation: prints what is fastest, and what the suggested ones take" \
    grep -qE '^rmat8: TH [0-9inf]+ is the fastest.*suggested for cpu, takes [0-9.]+ of that' "$tmp/out"
check "$situation: lines are those of all rows, with edges by class" awk -F'\t' -v rows="$(grep -c '^rmat8 ' "$tmp/out")" '
    { n++; edges[$5 + $6 + $7 + $8]; bad += NF != 12 || $3 + $4 != 240 || $9 <= 0 }
    END { for (e in edges) sums++; exit n != rows || bad || sums != 1 }' "$tmp/sweep"

# ---- folders ----

mkdir "$tmp/folder" "$tmp/right" "$tmp/wrong"
echo '0 1' >"$tmp/folder/one.txt"
printf '\001\002' >"$tmp/folder/two.bin"
check_exit 0 'a folder' bench $run "$tmp/folder"
check "$situation: the graph has a row" grep -q '^one.txt .* dbfs-cpu ' "$tmp/out"
check_says 'left out: '

# ---- other builds and options ----

traverse=$(realpath "$BIN")/dbfs-traverse
ln -s "$traverse" "$tmp/right/dbfs-traverse"
program wrong/dbfs-traverse "exec '$traverse' --seed 99 \"\$@\""
check_exit 0 'another build that agrees' bench BEFORE="$tmp/right" $run rmat8
check "$situation: the build has a row of its own" has rmat8 before 16 same
check 'how many times as fast dbfs was is in it' \
    awk '$4 == "dbfs-cpu" { ms = $7 } $4 == "before" { r = $7 / ms; d = r - $13; exit d * d > .011 ^ 2 }' "$tmp/out"
mkdir "$tmp/packs"
program packs/dbfs-pack "touch '$tmp/packed'; exec '$(realpath "$BIN")/dbfs-pack' \"\$@\""
ln -s "$traverse" "$tmp/packs/dbfs-traverse"
check_exit 0 'another build with a dbfs-pack' bench BEFORE="$tmp/packs" $run rmat8
check 'the shards are packed by the other build, which may not read newer ones' test -e "$tmp/packed"
check_exit 4 'another build that finds other distances' bench BEFORE="$tmp/wrong" $run rmat8
check "$situation: the row says differ" grep -q ' before .* differ$' "$tmp/out"
program wrong/dbfs-traverse "echo \"\$@\" >>'$tmp/options'; exec '$traverse' \"\$@\""
check_exit 0 'options that are compared' bench BEFORE="$tmp/wrong" OPTIONS='--resident packed;--direction push' $run rmat8
check "$situation: each option has a row" sh -c "grep -q ' packed-cpu .* same$' '$tmp/out' && grep -q ' push-cpu .* same$' '$tmp/out'"
check "$situation: both clocks are asked of another build" test "$(grep -c -e '--answer depths' -e '--answer parents' "$tmp/options")" = 2
check_exit 1 'dbfs that fails' bench BACKEND=none $run rmat8

# ---- peers: this one checks its arguments and takes half a second a search ----

program slow 'echo "$OMP_NUM_THREADS" >>'"'$tmp/threads'"'; test "$(($(wc -c <"$1") / 8))" = "$(wc -l <"$2")" && test -s "$3" &&
    test -s "$4" && test "$5 $6 $7" = "256 4 $OMP_NUM_THREADS" && shift 7 && for root; do echo "$root 0.5"; done'
check_exit 0 'a peer' bench THREADS='1 2' ROUNDS=2 $run rmat8 \
    "slow=$tmp/slow {pairs} {text} {edges} {sg} {n} {count} {threads} {roots}"
check "$situation: the mean is in the table" has rmat8 slow 7 500 2
check "$situation: the row says not compared" grep -q ' slow .* not compared$' "$tmp/out"
check "$situation: each round has the threads of its row" test "$(sort "$tmp/threads" | tr '\n' ' ')" = '1 1 2 2 '
check 'dbfs is so many times as fast by search, answer and parents' awk '
    $4 == "dbfs-cpu" { split("7 8 10", of, " "); for (i in of) ms[$3, i] = $of[i] }
    $4 == "slow" { n++; for (i = 1; i < 4; i++) { r = 500 / ms[$3, i] / $(12 + i); bad += r < .99 || r > 1.01 } }
    END { exit n != 2 || bad }' "$tmp/out"
program dbfs "rm -rf '$tmp/packed'; '$BIN/dbfs-pack' -q -p 1 -o '$tmp/packed' \"\$1\" && shift &&
    '$traverse' --backend cpu -r \$(echo \"\$@\" | tr ' ' ,) '$tmp/packed' |
    awk -v more=\$MORE '\$1 == \"root\" {
        print \$2, \$4, \$8, \$6 + (more == \"levels\"), \$16 (more == \"sum\" ? 0 : \"\") }'"
check_exit 0 'a peer that says what it found' bench $run rmat8 "mine=$tmp/dbfs {edges} {roots}"
check "$situation: the row says same" has rmat8 mine 16 same
for wrong in levels sum; do
    check_exit 4 "a peer with wrong $wrong" bench MORE=$wrong $run rmat8 "mine=$tmp/dbfs {edges} {roots}"
    check 'the row counts its searches that differ' grep -q ' mine .* 4 differ$' "$tmp/out"
done
check_exit 0 'a peer that prints as GAPBS does' bench $run rmat8 'G=printf "Trial Time: %s\n" 0.25 0.75'
check "$situation: the trials are in the table" has rmat8 G 7 500
check_exit 0 'a peer that fails, one that does not end' bench LIMIT=4 $run rmat8 \
    'bad=echo no such device >&2; exit 3' 'late=echo 1 0.5; sleep 60'
check "$situation: both have their rows" \
    sh -c "grep -q ' bad .* failed$' '$tmp/out' && grep -q ' late  *1  .* not compared$' '$tmp/out'"
check_says 'exit status 3: no such device'
check_exit 1 'a graph that is not there' bench $run "$tmp/nothing.txt" rmat8
check_says "left out: .*nothing.txt"
check "$situation: the next graph has its row" grep -q '^rmat8' "$tmp/out"

# ---- kept results ----

check_exit 0 'kept results' bench REVISION=r17 RUN='nice -n 1' RESULTS="$tmp/kept" $run path100 'G=echo "Trial Time: 1"'
check "$situation: are what was printed" cmp "$tmp/out" "$tmp/kept"
check "$situation: have the command" \
    grep -q "^command: BACKEND=cpu THREADS=1 ROOTS=4 ROUNDS=1 RUN='nice -n 1' $run path100 'G=echo " "$tmp/kept"
check "$situation: have the revision and the date" grep -q "^revision: r17; 20[0-9-]*$" "$tmp/kept"

# ---- names with signs of the shell ----

folder="$tmp/it's \$(touch ran) & \\t \"x\""
mkdir -p "$folder/path1"
printf '0 1\n1 2\n' >"$folder/-u.txt"
program peer 'wc -c "$1" "$2" >"'"$tmp"'/sizes"; echo "- 1"'
check_exit 0 'a folder for graphs with quotes, blanks and signs of the shell' \
    env BACKEND=cpu THREADS=1 ROOTS=2 ROUNDS=1 WORK="$folder" $run "$folder/-u.txt" "peer=$tmp/peer {text} {edges}"
check 'peers get its files' awk '$1 > 0 { n++ } END { exit n != 3 }' "$tmp/sizes"
(
    work=$tmp bin=$(realpath "$BIN") tests=$TESTS
    eval "$(sed -n '/^convert() {/,/^}/p; /^make_graph() {/,/^}/p' scripts/bench-lib.sh)"
    cd "$folder" && make_graph 'path1/X[$(>RAN)]'
) >"$tmp/said" 2>&1
for graph in rmat14e8 grid5x10 path010 rmat8x uniform8e0; do
    check_exit 1 "$graph is no shape and no file" bench $run $graph
    check_says "$graph: cannot open"
done
check 'a file whose name begins as that of a shape computes nothing' test -z "$(find . "$tmp" -maxdepth 2 -iname ran)"
finish
