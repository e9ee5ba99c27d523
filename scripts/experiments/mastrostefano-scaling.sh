#!/bin/bash
# mastrostefano-scaling.sh: their tables of strong and weak scaling, without delegates and with sort-unique.
. scripts/experiments/lib.sh

without=(--exchange-memory host --direction push --uniquify)
rmat $((scale + 1)) >"$work/edges"
{
    published mastrostefano-strong
    for p in 1 2 4 8; do
        packed graph $p inf <"$work/edges"
        searched graph 1 "${without[@]}"
        row ours 'without delegates' $p "$(gteps graph)"
        packed graph $p - <"$work/edges"
        searched graph 1
        row ours 'with delegates and directions' $p "$(gteps graph)"
    done
} | keep_curves mastrostefano-strong "Mastrostefano: strong scaling, RMAT 20 there, $((scale + 1)) here" "$own" processes GTEPS y
{
    published mastrostefano-weak
    s=$scale
    for p in 1 2 4 8; do
        rmat $s >"$work/edges"
        packed graph $p inf <"$work/edges"
        searched graph 1 "${without[@]}"
        row ours 'without delegates' $p "$(gteps graph)"
        packed graph $p - <"$work/edges"
        searched graph 1
        row ours 'with delegates and directions' $p "$(gteps graph)"
        s=$((s + 1))
    done
} | keep_curves mastrostefano-weak "Mastrostefano: weak scaling, from RMAT 19 there, from $scale here" "$own" processes GTEPS y
