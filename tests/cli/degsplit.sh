#!/bin/bash
# degsplit.sh: the command line of degsplit: choices of TH, outputs, refusals.
set -u
. tests/lib.sh
degsplit=$(realpath "$BIN/degsplit")

same() { cmp -s "$1" "$2"; }
# prints the chosen TH of a table of --sweep, or another column of its row
chosen() { awk -F'\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } NR > 1 && $at["chosen"] == 1 { print $at["'"${2:-th}"'"] }' "$1"; }

"$BIN/rmatgen" -q -s 12 --force -o "$tmp/g.edges"
printf '0 1\n1 2\n2 0\n2 3\n3 3\n' | "$BIN/edgeconv" -q -u --force -o "$tmp/small.edges"

# ---- outputs ----

check 'degsplit reads a file and writes a file' "$degsplit" -q --force -o "$tmp/a.split" "$tmp/g.edges"
check "degsplit writes a file's split to standard output" bash -c '"$1" -q "$2" >"$3"' - "$degsplit" "$tmp/g.edges" \
    "$tmp/b.split"
check 'degsplit to standard output writes the same bytes' same "$tmp/a.split" "$tmp/b.split"
check "degsplit writes a pipe's split to standard output" bash -c 'cat "$2" | "$1" -q -T "$3" - >"$3/c.split"' - \
    "$degsplit" "$tmp/g.edges" "$tmp"
check 'degsplit of a pipe writes the same bytes' same "$tmp/a.split" "$tmp/c.split"
check 'nothing is left in the folder for temporary files' \
    test -z "$(find "$tmp" -name '*dbfs-spill*')"
check 'degsplit reads redirected standard input' bash -c '"$1" -q --force -o "$3" <"$2"' - "$degsplit" "$tmp/g.edges" \
    "$tmp/d.split"
check 'degsplit of redirected input writes the same bytes' same "$tmp/a.split" "$tmp/d.split"
for threads in 1 2 5; do
    "$degsplit" -q -@ $threads --force -o "$tmp/t.split" "$tmp/g.edges"
    check "degsplit -@ $threads writes the same bytes" same "$tmp/a.split" "$tmp/t.split"
done
check_exit 0 'the table goes to standard error' "$degsplit" --force -o "$tmp/e.split" "$tmp/g.edges"
check_says 'Table I bytes'
check_says ' inf '
check_exit 0 'quiet' "$degsplit" -q --force -o "$tmp/e.split" "$tmp/g.edges"
check '-q says nothing' test ! -s "$tmp/err"
check '--sweep writes the table to a file' "$degsplit" -q --sweep "$tmp/s.tsv" --force -o "$tmp/e.split" "$tmp/g.edges"
check 'every line has 15 columns' \
    test "$(awk -F'\t' 'NF != 15' "$tmp/s.tsv" | wc -l)" = 0
check 'classes of each row sum up to all edges' \
    test "$(awk -F'\t' 'NR > 1 { print $3 + $4 + $5 + $6 }' "$tmp/s.tsv" | sort -u | wc -l)" = 1

# ---- TH ----

check 'degsplit takes a given TH' "$degsplit" -q -t 40 --sweep "$tmp/s.tsv" --force -o "$tmp/e.split" "$tmp/g.edges"
check '40 is chosen' test "$(chosen "$tmp/s.tsv")" = 40
check 'degsplit takes infinite TH' "$degsplit" -q -t inf --sweep "$tmp/s.tsv" --force -o "$tmp/e.split" "$tmp/g.edges"
check 'infinite TH has no delegates' test "$(chosen "$tmp/s.tsv" delegates)" = 0
last=-1 grows=1
for p in 1 4 32 256; do
    "$degsplit" -q -p $p --suggest memory --sweep "$tmp/s.tsv" --force -o "$tmp/e.split" "$tmp/g.edges" || grows=0
    th=$(chosen "$tmp/s.tsv")
    [ "$th" = inf ] && th=999999999
    [ "$th" -ge "$last" ] || grows=0
    last=$th
    d=$(chosen "$tmp/s.tsv" delegates)
    check "p $p: delegates are at most 4n/p" test $((d * p)) -le $((4 * 4096))
done
check 'more GPUs never lower TH by memory' test $grows = 1

# ---- the rules ----

# Prints the largest TH of least predicted loss in a column, or in the larger of two columns. These graphs are too
# small for their bytes to count.
expected() { # TABLE COLUMN...
    awk -F'\t' -v columns="${*:2}" '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; count = split(columns, column, " "); next }
        { th[++n] = $1
          for (i = 1; i <= count; i++) {
              ms[n, i] = $at[column[i]]
              if (!(i in least) || ms[n, i] < least[i]) least[i] = ms[n, i] } }
        END {
            for (r = 1; r <= n; r++) {
                for (i = 1; i <= count; i++) if (ms[r, i] / least[i] > loss[r]) loss[r] = ms[r, i] / least[i]
                if (!best || loss[r] <= loss[best]) best = r }
            print th[best] }' "$1"
}
for graph in g small; do
    for machine in gpu cpu; do
        "$degsplit" -q --for $machine --sweep "$tmp/s.tsv" --force -o "$tmp/e.split" "$tmp/$graph.edges"
        check "$graph for $machine: TH is that of the least time predicted there" \
            test "$(chosen "$tmp/s.tsv")" = "$(expected "$tmp/s.tsv" ${machine}_ms)"
    done
    "$degsplit" -q --sweep "$tmp/s.tsv" --force -o "$tmp/e.split" "$tmp/$graph.edges"
    check "$graph for both: TH is that of the smallest larger loss" \
        test "$(chosen "$tmp/s.tsv")" = "$(expected "$tmp/s.tsv" gpu_ms cpu_ms)"
    "$degsplit" -q --suggest time --for both --force -o "$tmp/f.split" "$tmp/$graph.edges"
    check "$graph: the TH for both is the default" same "$tmp/e.split" "$tmp/f.split"
done
check_exit 0 'by time' "$degsplit" -p 64 --force -o "$tmp/e.split" "$tmp/g.edges"
check_says '^degsplit: TH by time: [0-9i][0-9nf]*, predicted .* ms on a GPU .* and .* ms on a CPU'
check_says '^degsplit: TH by memory: [0-9i][0-9nf]*, predicted '
check_says '^degsplit: TH [0-9inf]* is taken: its larger loss'
check_exit 0 'by memory' "$degsplit" -p 64 --suggest memory --force -o "$tmp/f.split" "$tmp/g.edges"
check_says '^degsplit: TH [0-9]* is taken: .*4n/p'
check "$situation: the split differs in the rule alone" test "$(cmp "$tmp/e.split" "$tmp/f.split" | wc -l)" = 1
check_exit 0 'the largest p' "$degsplit" -p 4000000000 --force -o "$tmp/e.split" "$tmp/g.edges"
for how in '-@ 1 -S 32M' '-@ 3'; do
    "$degsplit" -q $how -T "$tmp" --force -o "$tmp/t.split" "$tmp/g.edges"
    check "degsplit $how chooses the same TH" same "$tmp/a.split" "$tmp/t.split"
done
# edges 0-1, 1-2, 2-0, 2-3: degrees are 2 2 3 1, as the self-loop of 3 does not count
"$degsplit" -q -t 1 --sweep "$tmp/s.tsv" --force -o "$tmp/e.split" "$tmp/small.edges"
check 'TH 1 of a small graph gives 3 delegates' test "$(chosen "$tmp/s.tsv" delegates)" = 3
check 'TH 1 of a small graph gives nn 0, nd 1, dn 1, dd 6' test "$(for c in nn nd dn dd; do
    chosen "$tmp/s.tsv" $c; done | tr '\n' ' ')" = '0 1 1 6 '

# ---- refused input ----

check_exit 2 '-t and -p together' "$degsplit" -t 4 -p 2 --force -o "$tmp/x" "$tmp/g.edges"
check_exit 2 '-t and --suggest together' "$degsplit" -t 4 --suggest time --force -o "$tmp/x" "$tmp/g.edges"
check_exit 2 '-t and --for together' "$degsplit" -t 4 --for gpu --force -o "$tmp/x" "$tmp/g.edges"
check_says 'exclude each other'
check_exit 2 'memory for a machine' "$degsplit" --suggest memory --for gpu --force -o "$tmp/x" "$tmp/g.edges"
check_exit 2 'a rule that there is not' "$degsplit" --suggest speed --force -o "$tmp/x" "$tmp/g.edges"
check_says "'speed' is not time or memory"
for links in peer host network; do
    "$degsplit" -q -p 2 --for gpu --links $links --sweep "$tmp/$links.tsv" --force -o "$tmp/$links.split" "$tmp/g.edges"
done
"$degsplit" -q -p 2 --for gpu --sweep "$tmp/auto.tsv" --force -o "$tmp/auto.split" "$tmp/g.edges"
check 'two shards are peers' cmp "$tmp/auto.tsv" "$tmp/peer.tsv"
gpu_ms() { awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "gpu_ms") at = i } NR == 2 { print $at }' "$tmp/$1.tsv"; }
check "messages take longer: $(gpu_ms peer), $(gpu_ms host) ms" awk "BEGIN { exit !($(gpu_ms peer) < $(gpu_ms host)) }"
"$degsplit" -q -p 9 --for gpu --sweep "$tmp/auto9.tsv" --force -o "$tmp/auto.split" "$tmp/g.edges"
"$degsplit" -q -p 9 --for gpu --links peer --sweep "$tmp/peer9.tsv" --force -o "$tmp/auto.split" "$tmp/g.edges"
check 'nine shards are not' awk "BEGIN { exit !($(gpu_ms peer9) < $(gpu_ms auto9)) }"
check_exit 2 '-t and --links together' "$degsplit" -t 4 --links host --force -o "$tmp/x" "$tmp/g.edges"
check_says '--links'
check_exit 2 'memory and links' "$degsplit" --suggest memory --links host --force -o "$tmp/x" "$tmp/g.edges"
check_says 'suggest memory and --links'
check_exit 2 'links that there are not' "$degsplit" --links rope --force -o "$tmp/x" "$tmp/g.edges"
check_says "'rope' is not auto, peer, host or network"
check_exit 2 'a machine that there is not' "$degsplit" --for tpu --force -o "$tmp/x" "$tmp/g.edges"
check_says "'tpu' is not both, gpu or cpu"
check_exit 2 'TH that is no number' "$degsplit" -t many --force -o "$tmp/x" "$tmp/g.edges"
check_exit 2 'negative TH' "$degsplit" -t -1 --force -o "$tmp/x" "$tmp/g.edges"
check_exit 2 'p 0' "$degsplit" -p 0 --force -o "$tmp/x" "$tmp/g.edges"
check_exit 2 'two inputs' "$degsplit" --force -o "$tmp/x" "$tmp/g.edges" "$tmp/g.edges"
check_exit 2 'both outputs to standard output' "$degsplit" --sweep - "$tmp/g.edges"
check_exit 1 'a missing file' "$degsplit" --force -o "$tmp/x" "$tmp/none.edges"
check_exit 3 'text' "$degsplit" --force -o "$tmp/x" tests/lib.sh
check_exit 3 'an empty file' "$degsplit" --force -o "$tmp/x" /dev/null
head -c 100000 "$tmp/g.edges" >"$tmp/cut.edges"
check_exit 3 'a truncated stream' "$degsplit" --force -o "$tmp/x" "$tmp/cut.edges"
check_says 'trailer'
check_exit 3 'a folder' "$degsplit" --force -o "$tmp/x" "$tmp"
printf '0 1\n1 99999999999\n' | "$BIN/edgeconv" -q -u --force -o "$tmp/outlier.edges"
check_exit 0 'an outlier takes no memory' "$degsplit" -q -S 64M -o "$tmp/outlier.split" "$tmp/outlier.edges"
awk 'BEGIN { srand(3); for (i = 0; i < 400000; i++) print int(rand() * 99999), int(rand() * 99999)
             print "1 99999999999" }' | "$BIN/edgeconv" -q -u --force -o "$tmp/many-outlier.edges"
budget=32M
grep -q __asan_init "$degsplit" && budget=38M # AddressSanitizer adds memory of its own
check_exit 5 'not enough memory, with two ranks' \
    "$MPIEXEC" -n 2 "$degsplit" -@ 1 -S $budget --force -o "$tmp/x" "$tmp/many-outlier.edges"
check_says 'largest id is [0-9]* *, in the block at byte [0-9]'
check_exit 5 'a full device' "$degsplit" -q -o /dev/full "$tmp/g.edges"
check 'errors of degsplit leave no output' test ! -e "$tmp/x"
if script -qec true /dev/null >/dev/null 2>&1; then # script(1) makes a terminal
    check_exit 2 'a terminal' script -qec "$degsplit $tmp/g.edges" /dev/null
else
    skip 'a terminal: no script(1)'
fi
"$degsplit" -q "$tmp/g.edges" 2>"$tmp/err" | true
check 'a closed pipe ends it quietly' test ! -s "$tmp/err"

check_exit 0 '--help' "$degsplit" --help
cp "$tmp/out" "$tmp/help"
check '--help goes to standard output' grep -q '^usage: degsplit' "$tmp/help"
check_exit 0 '--version' "$degsplit" --version
finish
