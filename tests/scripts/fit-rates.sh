#!/bin/bash
# fit-rates.sh: scripts/fit-rates finds rates that are known, gives the same output twice, and refuses lines that are
# no rows.
set -u
. tests/lib.sh
fit=$PWD/scripts/fit-rates
if ! command -v python3 >/dev/null 2>&1; then
    skip 'fits of rates: no python3'
    finish
fi
fitted() { awk -F '\t' -v name="$1" '$1 == name { print $4 }' "$tmp/out"; }

# ---- known rates ----

# rows of 300 levels whose times follow from rates
awk 'BEGIN { srand(7); print "#fit STEP cpu\ngraph\tat\ttime\tmasks\tword\tpush_row\tpush_edge\tpull_row\tpull_probe\tfar"
    for (i = 0; i < 300; i++) {
        m = i % 2; w = int(rand() * 1e5) * m; r = int(rand() * 1e5); e = r * int(1 + rand() * 20); p = int(rand() * 1e5) * m; q = p * int(rand() * 9)
        printf "g%d\t%d\t%.0f\t%d\t%d\t%d\t%d\t%d\t%d\t0\n", i % 5, i, 7e6 * m + 350 * w + 4100 * r + 1700 * e + 2200 * p + 900 * q + 1, m, w, r, e, p, q } }' >"$tmp/rows"
check_exit 0 'rows made from rates' "$fit" "$tmp/rows"
for known in masks=7e+06 word=350 push_row=4.1e+03 push_edge=1.7e+03 pull_row=2.2e+03 pull_probe=900 far=- mark_edge=-; do
    check "fit-rates gives ${known%=*} back: $(fitted ${known%=*})" test "$(fitted ${known%=*})" = "${known#*=}"
done
check 'fit-rates predicts the times of known rates' grep -q '^fitted: off by 1.000 (median), 1.000 (9 of 10)$' "$tmp/out"
check 'the rates of today do not predict the times of known rates' grep -qE '^today: off by 1\.[0-9]*[1-9]' "$tmp/out"

# ---- kept rows ----

for rows in 24-c2-levels 26-h100-levels 26-c16-crew-levels 24-c2-th-steps 24-h200-th-steps; do
    check_exit 0 "kept: $rows" "$fit" scripts/results/2026-11-$rows.tsv
    cp "$tmp/out" "$tmp/once"
    "$fit" scripts/results/2026-11-$rows.tsv >"$tmp/again"
    check "$situation: the numbers are the same twice" cmp "$tmp/once" "$tmp/again"
done
check 'the suggested TH of a GPU are the best of their sweeps, as decision 22 has it' grep -q '^today: .*loss 1.000 (mean), 1.000 (worst)$' "$tmp/out"

# ---- a trace, and a sweep ----

"$BIN/rmatgen" -q -s 14 -o "$tmp/edges"
"$BIN/dbfs-pack" -q -p 1 -t 16 -o "$tmp/graph" "$tmp/edges"
"$BIN/dbfs-traverse" -q --backend cpu -@ 1 --direction push -n 4 --json "$tmp/run" --trace "$tmp/trace" "$tmp/graph" >/dev/null
check_exit 0 'levels of a trace' "$fit" levels "$tmp/run" "$tmp/trace"
cp "$tmp/out" "$tmp/levels"
check "$situation: levels become rows" test "$(grep -vc '^#' "$tmp/levels")" -gt 4
check 'all edges of a level by lists are pushed, as the trace has them' python3 - "$tmp/levels" "$tmp/trace" <<'END'
import json, sys
rows = [line.rstrip("\n").split("\t") for line in open(sys.argv[1]) if line[0] != "#"]
at = {name: i for i, name in enumerate(rows[0])}
want = {f'push:{l["root"]}:{l["level"]}': sum(g["fv"] for g in l["subgraphs"].values()) for l in map(json.loads, open(sys.argv[2]))}
for row in rows[1:]:
    assert float(row[at["push_edge"]]) + float(row[at["mark_edge"]]) == want[row[1]], row
END
"$BIN/dbfs-traverse" -q --backend cpu -@ 2 --direction push -n 4 --json "$tmp/region" --trace "$tmp/region.trace" "$tmp/graph" >/dev/null
check_exit 0 'levels of two threads' "$fit" levels "$tmp/region" "$tmp/region.trace"
check "$situation: rows are of regions" grep -q '^#fit REGION value$' "$tmp/out"
sed 's/"way": "region"/"way": "crew"/' "$tmp/region.trace" >"$tmp/old.trace"
cp "$tmp/out" "$tmp/new"
check_exit 0 'levels of two threads as traces called them before' "$fit" levels "$tmp/region" "$tmp/old.trace"
check "$situation: rows are the same" cmp "$tmp/new" "$tmp/out"
check_exit 3 'one thread and two are not of one table' "$fit" levels "$tmp/run" "$tmp/trace" "$tmp/region" "$tmp/region.trace"
# a GPU's levels: the CPU's trace as a GPU would have written it, which needs none
sed 's/"backend": "cpu"/"backend": "cuda"/' "$tmp/run" >"$tmp/gpu"
check_exit 0 'levels of a GPU' "$fit" levels "$tmp/gpu" "$tmp/trace"
check "$situation: rows are of steps" grep -q '^#fit STEP h200$' "$tmp/out"
check 'a list of edges costs more in a larger graph' awk -F '\t' 'header { if ($at["list_edge"] > 0) { n++; r = $at["list_vertex"] / $at["list_edge"] / vertices; wrong += r < .9999 || r > 1.0001 } }
    /^graph\t/ { header = 1; for (i = 1; i <= NF; i++) at[$i] = i } END { exit n == 0 || wrong }' \
    vertices="$(grep -o '"vertices": [0-9]*' "$tmp/run" | grep -o "[0-9]*" | head -1)" "$tmp/out"
"$TESTS/th_steps" "$tmp/edges" g >"$tmp/steps"
# times are those of the prediction that degsplit chooses by
"$BIN/degsplit" -q --sweep "$tmp/sweep.tsv" -o /dev/null "$tmp/edges"
awk -F '\t' -v OFS='\t' 'NR > 1 { print "g", $1, $2, 0, $3, $4, $5, $6, $14, $14, 0, 0 }' "$tmp/sweep.tsv" >"$tmp/sweep"
check_exit 0 'a sweep and its steps' "$fit" sweeps cpu "$tmp/sweep" "$tmp/steps"
cp "$tmp/out" "$tmp/rows"
check_exit 0 'their fit' "$fit" "$tmp/rows"
check 'steps by rates of today are what degsplit predicts' grep -q '^today: off by 1.000 (median), 1.000 (9 of 10); loss 1.000' "$tmp/out"

# ---- refused input ----

check_exit 0 '--help' "$fit" --help
check_exit 2 'nothing' "$fit"
check_exit 2 'a run without a trace' "$fit" levels "$tmp/run"
check_exit 1 'no such file' "$fit" "$tmp/none"
check_exit 3 'no rows' "$fit" "$tmp/edges"
check_exit 3 'a trace for a run' "$fit" levels "$tmp/trace" "$tmp/run"
printf '#fit STEP cpu\ngraph\tat\ttime\tword\ng\t1\t0\t5\n' >"$tmp/bad"
check_exit 3 'a time of 0' "$fit" "$tmp/bad"
check_says "$tmp/bad:3: "
printf '#fit STEP tpu\ngraph\tat\ttime\tword\ng\t1\t2\t5\n' >"$tmp/bad"
check_exit 3 'an unknown column' "$fit" "$tmp/bad"
check_says 'no column tpu of a table STEP'

if [ -w /dev/full ]; then
    check_exit 5 'standard output on a full disk' sh -c '"$1" --help >/dev/full' - "$fit"
    check_says 'fit-rates: standard output: cannot write: No space left on device'
fi
check_exit 1 'standard output closed' sh -c '"$1" --help >&-' - "$fit"
check_says 'fit-rates: standard output: cannot write: Bad file descriptor'
printf '#fit (a+)+$ cpu\ngraph\tat\ttime\tword\ng\t1\t1\t1\n' >"$tmp/hostile"
check_exit 3 'a table whose name is a pattern' "$fit" "$tmp/hostile"
check_says 'no table (a+)+'
finish
