# batch_graphs.sh: what the tests of dbfs-batch share; sourced after lib.sh. BACKEND=cuda searches on a GPU.
batch=("$BIN/dbfs-batch" --backend "${BACKEND:-cpu}" -q)
export OMP_WAIT_POLICY=passive

# pack NAME P TH [OPTION]: makes $tmp/NAME.edges of $tmp/NAME.txt, and packs it into $tmp/NAME
pack() {
    "$BIN/edgeconv" -q ${4:--u} -o "$tmp/$1.edges" "$tmp/$1.txt"
    "$BIN/dbfs-pack" -q -p "$2" -t "$3" -o "$tmp/$1" "$tmp/$1.edges"
}
# graphs: hubs and isolated vertices; directed edges
"$BIN/rmatgen" -q -s 11 -f text -o "$tmp/rmat.txt"
"$BIN/rmatgen" -q -s 9 -e 5 -f text -o "$tmp/arcs.txt"
pack rmat 3 20
pack arcs 3 8 --direction=directed
