#!/bin/bash
# bench-batch.sh: the benchmark of batches: its rows, ratios, other builds; closeness beside a peer, and that it sees wrong
# values and wrong distances.
set -u
. tests/lib.sh
run=scripts/bench-batch.sh
bench() { env BACKEND=cpu THREADS=1 ROUNDS=1 WORK="$tmp" "$@"; }
program() { printf '#!/bin/sh\n%s\n' "$2" >"$tmp/$1" && chmod +x "$tmp/$1"; }
batch=$(realpath "$BIN/dbfs-batch")

check_exit 0 'graphs of two shapes' bench CLOSENESS=0 BATCHES='1 70' $run rmat8 grid20
check "$situation: each graph, size and program has a row" test "$(grep -cE '^(rmat8|grid20) .* same$' "$tmp/out")" = 8
check 'a batch is so many times as fast as one by one' awk '
    $2 == "single" { alone = $4 }
    $2 == "batch" { n++; off = $4 / alone - $5; bad += (off < 0 ? -off : off) > .02 * $5 + .006 } # it has two decimals
    END { exit n != 4 || bad }' "$tmp/out"
check 'CLOSENESS=0 leaves out closeness' sh -c '! grep -q closeness "$1"' - "$tmp/out"

mkdir "$tmp/before"
program before/dbfs-batch "\"$batch\" \"\$@\" | sed \"s/^distance_checksum: .*/distance_checksum: \$SUM/\""
check_exit 4 'a build whose distances differ' bench CLOSENESS=0 BATCHES=5 SUM=17 BEFORE="$tmp/before" $run rmat8
check "$situation: the row says differ" grep -q '^rmat8  *before 5 .* differ$' "$tmp/out"

# closeness by the oracle's distances, of every STEP-th vertex, times FACTOR
program peer "echo seconds 7; i=0; while [ \$i -lt \$2 ]; do
    \"$(realpath "$TESTS/oracle")\" \"\$1\" \$i | awk -v root=\$i -v factor=\$FACTOR '\$2 > 0 { n++; sum += \$2 } END { printf \"%d %.17g\\n\", root, (sum ? n / sum : 0) * factor }'
    i=\$((i + \$3)); done"
printf '%s\n' '0 1' '1 2' '2 3' '3 4' '1 4' '5 6' >"$tmp/small.txt"
check_exit 0 'a peer' bench FACTOR=1 BATCHES=3 $run "$tmp/small.txt" "all=$tmp/peer {text} {n} 1" "some=$tmp/peer {text} {n} 2"
check "$situation: the row has values of all vertices" grep -qE '^small.txt  *all  *7  .* closeness of 7 vertices, largest difference [0-9e.-]+$' "$tmp/out"
check "$situation: the row has values of some, and a reckoned time for all" grep -qE '^small.txt  *some  *~12.25 .* closeness of 4 vertices, ' "$tmp/out"
check "$situation: the row of searches one by one is reckoned" grep -qE '^small.txt  *one by one  *~[0-9.e-]+  *-  *~[0-9.]+ ' "$tmp/out"
check_exit 4 'a peer with other values' bench FACTOR=1.00001 BATCHES=3 $run "$tmp/small.txt" "all=$tmp/peer {text} {n} 1"
check "$situation: the row says differ" grep -q ' differ of 7 vertices' "$tmp/out"
check_exit 0 'a peer that fails' bench BATCHES=3 $run "$tmp/small.txt" 'bad=echo no device >&2; exit 3'
check "$situation: the row has the reason" grep -qE ' bad  *failed .*no device$' "$tmp/out"
check_exit 1 'a graph that is not there' bench $run "$tmp/nothing.txt"
finish
