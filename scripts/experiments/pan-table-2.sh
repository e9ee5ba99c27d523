#!/bin/bash
# pan-table-2.sh: Table II, comparison with previous works: the paper's values, and dbfs here and, by the model, on
# its machine.
. scripts/experiments/lib.sh

packed graph 1 - < <(rmat $((scale + 3)))
searched graph 1
model=$("$bin/dbfs-model" paper | awk -F '\t' 'NR > 1 && NF > 10 && $4 == 33 { print $NF; exit }')
{
    row source scale who hardware gteps
    row published 24-26 'Pan (Gunrock)' '1x1x{1,2,4} P100' '31.6, 42.9, 46.1'
    row published 24-26 'this system' '1x1x{1,2,4} P100' '22.9, 32.5, 39.8'
    row published 33 Bernaschi '4096 K20X' 828.39
    row published 29 Krajecki '64 K20Xm' 13.7
    row published 29 'this system' '2x1x4 P100' 53.13
    row published 33 Yasui '128 E5-4650 v2' 174.7
    row published 33 Buluc '1204 E5-2695 v2' 240
    row published 33 'this system' '31x2x2 P100' 259.8
    row model 33 "$model_design" '31x2x2 P100' "$model"
    row ours $((scale + 3)) dbfs "$(machine)" "$(gteps graph)"
} | keep pan-table-2 'Pan, Table II: comparison with previous works' "$own; $model_words"
