#!/bin/bash
# mastrostefano-scaling.sh: their tables of strong and weak scaling, one process a shard, without delegates and with sort-unique
# (--uniquify drops repeated vertices before they are sent); and their times of kernels and of MPI.
. scripts/experiments/lib.sh

without=(--exchange-memory host --exchange-form list --direction push --uniquify)
row graph processes kernels_ms mpi_ms search_ms >"$work/times"
# scaled GRAPH P: searches $work/edges on P processes both ways; prints rows of the curves
scaled() {
    packed graph "$2" inf <"$work/edges"
    if [ "$2" = 1 ]; then searched graph 1 --direction push; else searched graph "$2" "${without[@]}"; fi
    row ours 'without delegates' "$2" "$(gteps graph)"
    [ "$2" = 1 ] || searched graph "$2" "${without[@]}" --breakdown
    [ "$2" = 1 ] || row "$1" "$2" "$(reported graph options computation_s | awk '{ print 1000 * $1 }')" \
        "$(reported graph options remote_exchange_s | awk '{ print 1000 * $1 }')" \
        "$(reported graph options median_s | awk '{ print 1000 * $1 }')" >>"$work/times"
    packed graph "$2" - <"$work/edges"
    searched graph "$2"
    row ours 'with delegates and directions' "$2" "$(gteps graph)"
}
rmat $((scale + 1)) >"$work/edges"
{
    published mastrostefano-strong
    for p in 1 2 4 8; do scaled "RMAT $((scale + 1))" $p; done
} | keep_curves mastrostefano-strong "Mastrostefano: strong scaling, RMAT 20 there, $((scale + 1)) here" "$own" processes GTEPS xy
{
    published mastrostefano-weak
    s=$scale
    for p in 1 2 4 8; do
        rmat $s >"$work/edges"
        scaled "RMAT $s" $p
        s=$((s + 1))
    done
} | keep_curves mastrostefano-weak "Mastrostefano: weak scaling, from RMAT 19 there, from $scale here" "$own" processes GTEPS xy
keep_bars mastrostefano-times 'Mastrostefano: times of kernels and of MPI, without delegates, with sort-unique' "$own" ms 3 4 <"$work/times"
