#!/bin/bash
# kolganov-energy.sh: MTEPS a watt by scale. Ours needs a machine that counts energy (NVML or RAPL); on others the row
# says so.
. scripts/experiments/lib.sh

{
    row source device scale mteps_a_watt
    awk -F '\t' -v OFS='\t' '$1 == "kolganov-energy" { print "published", $2, $3, $4 }' scripts/experiments/published.tsv
    for s in $scale $((scale + 2)); do
        packed graph 1 - < <(rmat "$s")
        "$bin/dbfs-graph500" -q --backend "$backend" -n "$roots" --energy --force --json "$work/energy.json" "$work/graph" \
            >"$work/said" 2>&1 || true
        row ours "$(machine)" "$s" "$(grep -oE '"[a-z_]*teps_(per|a)_watt[a-z_]*": *[0-9.e+]+' "$work/energy.json" "$work/said" 2>/dev/null |
            head -n 1 | sed 's/.*: *//' | awk '{ print $1 / 1e6 } END { if (NR == 0) print "no counter of energy" }')"
    done
} | keep kolganov-energy 'Kolganov: MTEPS a watt by scale' 'dbfs-graph500 --energy'
