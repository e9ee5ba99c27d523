#!/bin/bash
# mastrostefano-scaling.sh: their tables of strong and weak scaling, one process a shard, without delegates and with sort-unique
# (--uniquify drops repeated vertices before they are sent); and their times of kernels and of MPI.
. scripts/experiments/lib.sh

without=(--exchange-memory host --exchange-form list --direction push --uniquify)
{ row source graph processes kernels_ms mpi_ms search_ms
  while read -r s p kernels mpi; do # of the third level, in seconds
      row published "RMAT $s" $p "$(awk -v t=$kernels 'BEGIN { print 1000 * t }')" "$(awk -v t=$mpi 'BEGIN { print 1000 * t }')" NaN
  done <<'END'
21 1 0.68 0.0
22 2 0.85 0.1
23 4 0.85 0.4
24 8 0.85 0.5
25 16 0.9 0.6
26 32 0.95 0.7
27 64 1.01 0.9
END
} >"$work/times"
# scaled KIND P GRAPH: searches $work/edges on P processes both ways; prints rows of the curves
scaled() {
    packed graph "$2" inf <"$work/edges"
    if [ "$2" = 1 ]; then searched graph 1 --direction push; else searched graph "$2" "${without[@]}"; fi
    row ours 'without delegates' "$2" "$(gteps graph)"
    [ "$2" = 1 ] || searched graph "$2" "${without[@]}" --breakdown
    [ "$2" = 1 ] || row "ours, $1" "$3" "$2" "$(reported graph options computation_s | awk '{ print 1000 * $1 }')" \
        "$(reported graph options remote_exchange_s | awk '{ print 1000 * $1 }')" \
        "$(reported graph options median_s | awk '{ print 1000 * $1 }')" >>"$work/times"
    packed graph "$2" - <"$work/edges"
    searched graph "$2"
    row ours 'with delegates and directions' "$2" "$(gteps graph)"
}
rmat $((scale + 1)) >"$work/edges"
{
    published mastrostefano-strong
    for p in 1 2 4 8; do scaled strong $p "RMAT $((scale + 1))"; done
} | keep_curves mastrostefano-strong "Mastrostefano: strong scaling, RMAT 20 there, $((scale + 1)) here; $(shared)" "$own" processes GTEPS xy
{
    published mastrostefano-weak
    s=$scale
    for p in 1 2 4 8; do
        rmat $s >"$work/edges"
        scaled weak $p "RMAT $s"
        s=$((s + 1))
    done
} | keep_curves mastrostefano-weak "Mastrostefano: weak scaling, from RMAT 19 there, from $scale here; $(shared)" "$own" processes GTEPS xy
keep mastrostefano-times "Mastrostefano: times of kernels and of MPI, without delegates, with sort-unique; theirs, on 1 to 64 GPUs, without a unit, which is taken as s (their note on the third level may mean the counts of vertices alone); parts overlap, and are sums over levels of the slowest process; $(shared)" "$own" <"$work/times"
