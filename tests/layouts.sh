# layouts.sh: writes small graphs in the layouts of their publishers, from files of pairs "u v". Tests source it. It
# shares no code with dbfs.

snap() { # PAIRS: one edge a line under SNAP's heading
    printf '# Undirected graph: ../../data/output/x.txt\n# X\n# Nodes: 100 Edges: %s\n' "$(wc -l <"$1")"
    printf '# FromNodeId\tToNodeId\n'
    tr ' ' '\t' <"$1"
}

# PAIRS FOLDER: lists of friends, an id a line from 0 on, in files of 300 ids; an id without a list is private, not
# found or empty
friends() {
    awk -v folder="$2" '{ list[$1] = list[$1] (list[$1] == "" ? "" : ",") $2; if ($1 > last) last = $1 }
        END { for (id = 0; id <= last; id++) {
            if (list[id] == "") list[id] = id % 3 == 0 ? "private" : id % 3 == 1 ? "notfound" : ""
            printf "%d:%s\n", id, list[id] >(sprintf("%s/friends-%03d______.txt", folder, id / 300)) } }' "$1"
}

matrix() { # SYMMETRY FIELD N PAIRS: the entries of a Matrix Market file, from 1 on
    echo "%%MatrixMarket matrix coordinate $2 $1"
    printf '%%-------\n%% UF Sparse Matrix Collection\n'
    echo "$3 $3 $(wc -l <"$4")"
    awk -v field="$2" '{ print $1 + 1, $2 + 1 (field == "pattern" ? "" : " " NR % 255 + 1) }' "$4"
}

# NAME FOLDER <MATRIX: makes FOLDER/NAME.tar.gz, which holds more than the matrix
matrix_archive() {
    mkdir "$2/$1"
    cat >"$2/$1/$1.mtx"
    printf '%%%%MatrixMarket matrix array real general\n3 1\n1\n2\n3\n' >"$2/$1/$1_coord.mtx"
    echo 'names' >"$2/$1/$1_nodename.txt"
    tar -czf "$2/$1.tar.gz" -C "$2" "$1"
    rm -r "${2:?}/$1"
}

road() { # N PAIRS: each edge as two arcs
    printf 'c 9th DIMACS Implementation Challenge: Shortest Paths\nc\np sp %s %s\nc\n' "$1" $((2 * $(wc -l <"$2")))
    awk '{ print "a", $1 + 1, $2 + 1, 803; print "a", $2 + 1, $1 + 1, 803 }' "$2"
}

# DIRECTED N PAIRS: GAP's serialised graph: directed, m, n, offsets, neighbours; then offsets and neighbours of the
# inverse
serialised() {
    printf "$(awk -v directed="$1" -v n="$2" '
        function le(x, size) { for (; size > 0; size--) { printf "\\%03o", x % 256; x = int(x / 256) } }
        function csr(list, degree,    v, at, i, part) {
            for (v = at = 0; v <= n; v++) { le(at, 8); at += degree[v] }
            for (v = 0; v < n; v++) { split(list[v], part, " "); for (i = 1; i <= degree[v]; i++) le(part[i], 4) }
        }
        { out[$1] = out[$1] " " $2; o[$1]++
          if (directed) { into[$2] = into[$2] " " $1; d[$2]++ } else { out[$2] = out[$2] " " $1; o[$2]++ } }
        END { le(directed, 1); le(directed ? NR : 2 * NR, 8); le(n, 8); csr(out, o); if (directed) csr(into, d) }' "$3")"
}

# <DIRECTED.edges: an edge stream with both directions of each edge, which no program of ours writes. A stream of arcs
# with both becomes one by the number of its direction. The CRC after it is that of gzip.
as_symmetric() {
    local head
    head=$(mktemp) || return 1
    head -c 60 >"$head" || return 1
    printf '\1' | dd of="$head" bs=1 seek=12 conv=notrunc 2>/dev/null
    cat "$head"
    gzip -c <"$head" | tail -c 8 | head -c 4
    rm "$head"
    tail -c +5
}
