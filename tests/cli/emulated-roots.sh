#!/bin/bash
# emulated-roots.sh: sliced searches on the emulated GPU of tests/emulator find the distances of tests/oracle.c from each vertex of
# small graphs, in three ways: levels read all slices (all), go by rows (rows; with a kernel of its own where rows are long), or go by rows
# with some visited bits in global memory (far). A search by rows ends when its count of unvisited slices is 0: too early if that is wrong.
set -u
. tests/lib.sh
use_emulated_gpus 'each root of small graphs on an emulated GPU'
export OMP_WAIT_POLICY=passive

make_graph() { # NAME: prints pairs of vertices
    case $1 in
        rmat) "$BIN/rmatgen" -q -s 8 -e 3 -f text ;; # many components and isolated vertices
        arcs) "$BIN/rmatgen" -q -s 7 -e 3 -f text ;;
        uniform) "$BIN/rmatgen" -q -s 7 -e 8 -A .25 -B .25 -C .25 -f text ;;
        leaves) { "$TESTS/mkgraph" grid 9 8; seq 0 71 | awk '{ print $1, 72 + $1 }'; } ;; # each vertex of a grid with a leaf
        stars) awk 'BEGIN { for (i = 0; i < 5; i++) { print i, i + 1; for (k = 0; k < 30; k++) print i, 6 + 30 * i + k } }' ;;
        cliques) awk 'BEGIN { for (c = 0; c < 200; c += 40) { if (c) print c - 1, c; for (i = 0; i < 40; i++) for (k = i + 1; k < 40; k++) print c + i, c + k } }' ;;
        pieces) awk 'BEGIN { for (i = 1; i < 700; i++) { print 0, i; if (i < 300) print 700, i }; print 701, 702; print 702, 704 }' ;; # long rows
        broom) # a vertex with eight neighbours in a clique and twelve leaves
            awk 'BEGIN { for (i = 0; i < 100; i++) for (k = i + 1; k < 100; k++) print i, k; for (i = 0; i < 8; i++) print i, 100; for (i = 101; i < 113; i++) print 100, i }' ;;
        layers) awk 'BEGIN { for (c = 0; c < 4; c++) for (i = 0; i < 130; i++) for (k = 0; k < 130; k++) print 130 * c + i, 130 * (c + 1) + k }' ;; # most rows are long
    esac
}

turn=0
each_root() { # NAME TH WAY [DEEPEST]: checks the kernel and the distances, to this depth
    local name=$1 th=$2 way=$3 deepest=${4:-} folder=$tmp/$1-$2 directed='' count kernel
    case $way in all) kernel=sliced_kernel ;; rows) kernel=sliced_rows_kernel ;; far) kernel=sliced_split_kernel ;; esac
    case $way,$name in rows,cliques | rows,layers | rows,broom) kernel=sliced_long_kernel ;; esac
    [ $name = arcs ] && directed=-d
    if [ ! -e "$tmp/$name.text" ]; then
        make_graph $name >"$tmp/$name.text"
        "$BIN/edgeconv" -q $([ $directed ] && echo --direction directed || echo -u) -o "$tmp/$name.edges" "$tmp/$name.text"
        count=$(awk '!/^#/ { if ($1 > m) m = $1; if ($2 > m) m = $2 } END { print m + 1 }' "$tmp/$name.text")
        seq 0 $((count - 1)) >"$tmp/$name.roots"
        "$TESTS/oracle" $directed -n $count -o "$tmp/$name.%d" "$tmp/$name.text" "$(paste -sd, "$tmp/$name.roots")"
        while read -r root; do sed "s/^/$root /" "$tmp/$name.$root"; done <"$tmp/$name.roots" | tr ' ' '\t' >"$tmp/$name.depths"
    fi
    [ -e "$folder" ] || "$BIN/dbfs-pack" -q -p 1 -t $th -o "$folder" "$tmp/$name.edges"
    awk -v OFS='\t' -v deepest="${deepest:-1000}" '$3 > deepest { $3 = -1 } 1' "$tmp/$name.depths" >"$tmp/want"
    turn=$((turn + 1))
    env EMULATED_ALL_SLICES=$([ $way = all ] && echo 1000000 || echo 0) EMULATED_NEAR=$([ $way = far ] && echo 0 || echo 1500000) \
        EMULATED_PROCESSORS=$((turn % 4 + 1)) EMULATED_SEED=$turn EMULATED_KERNELS="$tmp/kernels" \
        "$BIN/dbfs-traverse" -q -@ 1 --backend cuda --roots-from "$tmp/$name.roots" --depths "$tmp/depths.text" --force ${deepest:+--max-depth $deepest} "$folder" \
        >"$tmp/out" 2>"$tmp/err" || cat "$tmp/err"
    check "$name, TH $th, $way${deepest:+, to depth $deepest}: distances from each vertex (seed $turn)" cmp "$tmp/want" "$tmp/depths.text"
    check "$name, TH $th, $way: the kernel is $kernel" grep -q "^$kernel" "$tmp/kernels"
    rm -f "$tmp/kernels"
}

for way in all rows far; do
    each_root rmat inf $way
    each_root rmat 0 $way
    each_root uniform 12 $way
    each_root leaves inf $way
    each_root leaves 2 $way
    each_root stars 5 $way
    each_root cliques inf $way
    each_root pieces 9 $way
    each_root rmat 6 $way 3
done
each_root layers inf far
each_root layers inf rows
each_root cliques 3 rows 5
# the level that finds the last vertices is the last one, also if each block does it
each_root broom inf rows
levels_of() { "$BIN/dbfs-traverse" -q -@ 1 --roots-from "$tmp/broom.roots" --trace "$tmp/trace" --force "$@" "$tmp/broom-inf" >/dev/null &&
    sed -n 's/.*"root": \([0-9]*\), "level": \([0-9]*\),.*/\1 \2/p' "$tmp/trace"; }
levels_of --backend cpu >"$tmp/levels"
check 'a broom: each root has levels' test "$(cut -d' ' -f1 "$tmp/levels" | uniq | wc -l)" = 113
EMULATED_ALL_SLICES=0 levels_of --backend cuda >"$tmp/levels.cuda"
check 'a broom: traces of searches by rows have the levels of a CPU' cmp "$tmp/levels" "$tmp/levels.cuda"
each_root arcs 4 all
finish
