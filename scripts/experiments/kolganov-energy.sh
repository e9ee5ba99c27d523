#!/bin/bash
# kolganov-energy.sh: MTEPS a watt, at SCALES scales from SCALE on, every second one. Ours needs a machine that counts energy
# (NVML or RAPL); elsewhere the row says so.
. scripts/experiments/lib.sh

{
    row source device scale mteps_a_watt counted
    awk -F '\t' -v OFS='\t' '$1 == "kolganov-energy" { print "published", $2, $3, $4, "the device" }' scripts/experiments/published.tsv
    for s in $(seq "$scale" 2 $((scale + 2 * ${SCALES:-2} - 2))); do
        packed graph 1 - < <(rmat "$s")
        heard "$bin/dbfs-graph500" --backend "$backend" -n "$roots" "$work/graph" >"$work/block"
        row ours "$(machine)" "$s" "$(sed -n 's/^MTEPS.W: *//p' "$work/block")" "$(sed -n 's/^energy_of: *//p' "$work/block")"
    done | sed 's/\tNA\t$/\tNaN\tno counter of energy/'
} | keep kolganov-energy 'Kolganov: MTEPS a watt by scale' "dbfs-graph500, $backend"
