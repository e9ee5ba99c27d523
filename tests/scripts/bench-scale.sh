#!/bin/bash
# bench-scale.sh: scripts/bench-scale.sh prints the right rows and ratios, and notices wrong distances.
set -u
. tests/lib.sh
scale() {
    env BACKEND=cpu SCALE=7 UNIFORM=8 GRID=9 FOUR=8 CPU=8 TH_SCALES=8 TH='0 inf' ROOTS=2 ROUNDS=1 WORK="$tmp" "$@"
}
run=scripts/bench-scale.sh
row() { awk -v stage="$1" -v name="$2" -v n="$3" '$1 == stage && $3 == name { print $n }' "$tmp/out"; } # STAGE SET-UP COLUMN
rows() { awk -v stage="$1" '$1 == stage && NF > 10 { print $3 }' "$tmp/out" | tr '\n' ' '; }
both() { [ "$(row "$1" "$2" "$3") $(row "$1" "$4" "$3")" = "$5" ]; } # STAGE SET-UP COLUMN OTHER VALUES
# checks that the ratio of a line is that of the GTEPS of two rows
ratio_is() { # TEXT STAGE SET-UP OVER
    awk -v text="$1 " -v want="$(row "$2" "$3" 11) $(row "$2" "$4" 11)" '
        index($0, text) == 1 { split(substr($0, length(text)), said, " ") }
        END { split(want, teps, " "); d = said[1] - teps[1] / teps[2]; exit !(teps[2] > 0 && d * d < .002 ^ 2) }' "$tmp/out"
}

check_exit 0 'RMAT, two rounds' scale ROUNDS=2 SETUPS='weak-1x1|1x1|1x2|2x1' RAW="$tmp/raw" $run rmat
check "$situation: each set-up and round has a row" test "$(rows rmat)" = 'weak-1x1 1x1 1x2 2x1 weak-1x1 1x1 1x2 2x1 '
check "$situation: reports of runs are kept" sh -c "grep -q '\"shards_per_rank\": 2' '$tmp/raw/rmat-1x2-2.json'"
check "$situation: ratios of rounds are printed" grep -q '^RMAT 8, 2 GPUs over 1 GPU .* rounds [0-9.]* to [0-9.]*  by medians [0-9.]*  must be 1.5$' "$tmp/out"
check 'what did not run has none' grep -q '^RMAT 8, 2x1 by host messages over 1x2  *-$' "$tmp/out"
check_exit 0 'RMAT with messages' scale SETUPS='1x2|2x1.*' $run rmat
check "$situation: each option of the exchange has its row" test "$(rows rmat)" = \
    '1x2 2x1 2x1-u 2x1-host 2x1-host-stepped 2x1-host-u 2x1-host-ir 2x1-list 2x1-list-u '
check 'peers and messages are what they are called' both rmat 2x1 14 2x1-host 'peer host'
check "$situation: each row has its options" test "$(grep -c 'memory host --stepped$\|memory host --uniquify$\|--exchange-form list --uniquify$\|--reduction nonblocking$' \
    "$tmp/out")" = 4
check 'the ratio of messages is that of its rows' ratio_is 'RMAT 8, 2x1 by host messages over 1x2' rmat 2x1-host 1x2
check_exit 0 'four GPUs' scale GPUS=4 SETUPS='weak-1x1|1x1|1x4|2x2|2x2-host' $run rmat
check "$situation: search four times the graph" test "$(row rmat weak-1x1 4) $(row rmat 2x2-host 4)" = 'rmat7 rmat9'
check 'their ratio is that of their rows' ratio_is 'RMAT 9 on 4 over RMAT 7 on 1 (weak)' rmat 1x4 weak-1x1

check_exit 0 'the other stages' scale SETUPS='1x1|(inf-)?1x2|1x4|2x2-host.*|1x2-th.*' REVISION=r17 RESULTS="$tmp/kept" \
    $run uniform grid four th cpu
check "$situation: rows are without delegates and with the TH suggested" test "$(row uniform inf-1x2 5)" = inf
check "$situation: roots of a grid are its corners and its middle" both grid 1x1 7 1x2 '3 3'
check "$situation: us a level are those of the row" \
    grep -q "^grid 9, us a level, 1x2  *$(row grid 1x2 12)  must be 20$" "$tmp/out"
check "$situation: the stage of four GPUs has its rows" test "$(rows four)" = '1x4 2x2-host 2x2-host-stepped 2x2-host-l '
check "$situation: the ratio of --local-all2all is that of its rows" ratio_is 'RMAT 8, 2x2 by host messages, stepped, --local-all2all over without' four \
    2x2-host-l 2x2-host-stepped
check "$situation: the stage of thresholds has TH 0 and infinite TH" both th 1x2-th0 5 1x2-thinf '0 inf'
best=$(for th in '' -th0 -thinf; do row th 1x2$th 9; done | sort -g | head -1)
check "$situation: the ratio of the TH suggested to the best one is printed" grep -q "^RMAT 8, 1x2, mean .* $(awk -v a="$(row th 1x2 9)" -v b="$best" \
    'BEGIN { printf "%.3f", a / b }')  TH .*; the best is TH .*  must be below 1.1$" "$tmp/out"
check "$situation: kept results are what was printed" cmp "$tmp/out" "$tmp/kept"
check "$situation: kept results have the command" grep -q "^command: BACKEND=cpu SCALE=7 .* $run uniform grid four th cpu$" "$tmp/kept"
check "$situation: kept results have the revision" grep -q "^revision: r17; 20" "$tmp/kept"

check_exit 0 'combinations of options' scale SETUPS='br|ir-l-u' $run figure8
check "$situation: each combination has a row" test "$(rows figure8)" = 'br ir-l-u '
row='list	host	2	4	2	'
check "$situation: rows of times have their options" test "$(grep -c "^br	blocking	false	false	$row" "$tmp/out") $(grep -c \
    "^ir-l-u	nonblocking	true	true	$row" "$tmp/out")" = '1 1'
check "$situation: rows of levels have counts before and after" awk -F'\t' '$1 == "ir-l-u" && $3 == "list" { all += $4; sent += $5; bytes += $7 }
    END { exit !(sent > 0 && sent < all && bytes == 4 * sent) }' "$tmp/out"

printf '#!/bin/sh\necho "$*" >>"%s"\nexec "%s" "$@"\n' "$tmp/launched" "$MPIEXEC" >"$tmp/mpiexec"
chmod +x "$tmp/mpiexec"
check_exit 0 'with a host named' scale MPIEXEC="$tmp/mpiexec" HOSTS=localhost SETUPS='1x2|2x1-host' $run rmat
check 'ranks are started there' grep -qE -e '-hosts? localhost( -ppn 1)? -n 2 .*dbfs-traverse' "$tmp/launched"
check_exit 0 'without time' scale BUDGET=4 SETUPS=1x1 $run rmat
check 'what is left out is said' grep -q '^left out, no time: rmat$' "$tmp/out"
check_exit 2 'a stage that there is not' scale $run rmat walk
check_says "no stage 'walk'"

# Builds that search from other roots by messages, and builds that fail
mkdir -p "$tmp/build/bin"
ln -s "$(realpath "$TESTS")" "$tmp/build/tests"
for program in "$(realpath "$BIN")"/*; do ln -s "$program" "$tmp/build/bin/"; done
program() { rm -f "$tmp/build/bin/dbfs-traverse" && printf '#!/bin/sh\n%s\n' "$1" >"$tmp/build/bin/dbfs-traverse" &&
    chmod +x "$tmp/build/bin/dbfs-traverse"; }
program "case \"\$*\" in *'memory host'*) set -- --seed 99 \"\$@\" ;; esac; exec '$(realpath "$BIN")/dbfs-traverse' \"\$@\""
check_exit 4 'a set-up that finds other distances' scale BUILD="$tmp/build" SETUPS='1x2|2x1-host' $run rmat
check "$situation: the graph is named" grep -q '^not ok - set-ups find other distances of: rmat8$' "$tmp/out"
# a launcher may end a job before it has read the last lines of another rank
program "case \"\$*\" in *'memory peer'*) echo no such memory >&2; sleep 1; exit 5 ;; esac; exec '$(realpath "$BIN")/dbfs-traverse' \"\$@\""
check_exit 1 'a set-up that fails' scale BUILD="$tmp/build" SETUPS='1x2|2x1' $run rmat
# launchers add lines of their own, before or after
check "$situation: the row has the reason" sh -c "sed -n '/^not ok - rmat 2x1: exit status 5: /,\$p' '$tmp/out' | grep -q 'no such memory'"
check 'the others have their rows' test "$(rows rmat)" = '1x2 '
finish
