#!/bin/bash
# emulated-diameter.sh: dbfs-diameter on the emulated GPU of tests/emulator finds what it finds on CPUs, with one shard and with
# several, and on two ranks. Long mode takes all of dbfs-diameter.sh.
set -u
. tests/lib.sh
use_emulated_gpus 'diameters on an emulated GPU'
export OMP_WAIT_POLICY=passive EMULATED_PROCESSORS=2
"$BIN/rmatgen" -q -s 8 -e 3 -o "$tmp/rmat.edges"
"$BIN/rmatgen" -q --lattice 12x9 -o "$tmp/grid.edges"
for setup in 'rmat 1' 'rmat 3' 'grid 2'; do
    read -r graph p <<<"$setup"
    "$BIN/dbfs-pack" -q -p "$p" -o "$tmp/$graph-$p" "$tmp/$graph.edges"
    for backend in cpu cuda; do
        check_exit 0 "$graph, $p shards, $backend" "$BIN/dbfs-diameter" -q -@ 1 --backend $backend --all "$tmp/$backend.txt" --force "$tmp/$graph-$p"
        sed -i '/time/d' "$tmp/out"
        cp "$tmp/out" "$tmp/$backend.out"
    done
    check "$graph, $p shards: eccentricities of a GPU are those of CPUs" cmp "$tmp/cpu.txt" "$tmp/cuda.txt"
    check "$graph, $p shards: a GPU prints the vertices that CPUs print" diff "$tmp/cpu.out" "$tmp/cuda.out"
done
"$BIN/rmatgen" -q -s 8 -e 2 -f text | "$BIN/edgeconv" -q --direction directed -o "$tmp/arcs.edges"
for p in 1 2; do
    "$BIN/dbfs-pack" -q -p $p -o "$tmp/arcs-$p" "$tmp/arcs.edges"
    for backend in cpu cuda; do
        check_exit 0 "directed, $p shards, $backend" "$BIN/dbfs-diameter" -@ 1 --backend $backend --all "$tmp/arcs.txt" --force "$tmp/arcs-$p"
        mv "$tmp/arcs.txt" "$tmp/$backend-$p.txt"
        sed 's/ time_s .*//; /time/d; /path/d' "$tmp/out" >"$tmp/$backend-$p.out"
    done
    check "directed, $p shards: a GPU searches from the roots that CPUs choose" diff "$tmp/cpu-$p.out" "$tmp/cuda-$p.out"
    check "directed, $p shards: eccentricities of a GPU are those of CPUs" cmp "$tmp/cpu-$p.txt" "$tmp/cuda-$p.txt"
done
check 'the roots of a directed graph do not depend on the number of shards' diff "$tmp/cpu-1.out" "$tmp/cpu-2.out"
[ "${TEST_MODE:-short}" = long ] && BACKEND=cuda bash tests/cli/dbfs-diameter.sh 2>&1 | sed "s/^\(ok\|not ok\|skip\) - /&emulated: /"
finish
