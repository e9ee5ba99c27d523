#!/bin/bash
# dbfs-batch.sh: searches from many roots at once, beside the oracle and beside searches one by one; centralities beside
# those of the oracle's distances; runs that end early and are resumed; ranks. BACKEND=cuda searches on a GPU: a process then takes
# most of a second to find it, so each set-up of a graph has one size of batches in place of five, and each size one thread.
set -u
in_memory_mib=256
. tests/lib.sh
batch=$tmp/dbfs-batch
printf '#!/bin/sh\nexec "%s" --backend %s "$@"\n' "$(realpath "$BIN/dbfs-batch")" "${BACKEND:-cpu}" >"$batch"
chmod 755 "$batch"
export OMP_WAIT_POLICY=passive
sizes='1 63 64 65 256' many_threads='1 3' turn=0
[ "${BACKEND:-cpu}" = cpu ] || many_threads=1
# next_sizes: sets `some` to the sizes of the next set-up; five of them have all
next_sizes() {
    some=$sizes
    turn=$((turn % 5 + 1))
    [ "${BACKEND:-cpu}" = cpu ] || some=$(cut -d' ' -f$turn <<<"$sizes")
}

# ---- options ----
check_exit 2 'no graph' "$batch"
check_exit 2 'no batch' "$batch" --batch 0 x
check_exit 2 'a batch of 257' "$batch" --batch 257 x
check_exit 2 'roots of two kinds' "$batch" -r 1 -n all x
check_exit 2 'one file for distances of several roots' "$batch" -n 2 --depths d.raw x
check_exit 2 'parents as a matrix' "$batch" -n 2 --parents p.npy x
check_exit 2 'nothing to resume' "$batch" --resume x
for results in 'dbfs-batch --depths - --centrality -' 'dbfs-traverse --depths - --json -'; do
    check_exit 2 "${results%% *}: two results on standard output" "$BIN/"$results -r 1 x
    check_says 'only one result can go to standard output'
done
DBFS_NAMES=x check_exit 2 'a program of searches that dbfs runs' "$BIN/dbfs-graph500"
check_says '^dbfs: '
check_exit 1 'a graph that is not there' "$batch" "$tmp/nothing"

# ---- graphs: many components and isolated vertices; a road network; duplicates; delegates ----
"$TESTS/mkgraph" components >"$tmp/components.txt"
"$TESTS/mkgraph" grid 30 40 >"$tmp/grid.txt"
"$TESTS/mkgraph" multi 200 600 3 >"$tmp/multi.txt"
"$TESTS/mkgraph" twostars 80 >"$tmp/twostars.txt"
"$TESTS/mkgraph" path 300 >"$tmp/path.txt"
pack() { # GRAPH P TH
    "$BIN/edgeconv" -q -u "$tmp/$1.txt" | "$BIN/dbfs-pack" -q -p "$2" -t "$3" -o "$tmp/$1-$2-$3" -
}

# ---- distances of each root are the oracle's; roots come twice, are isolated, or lie in other components ----
for graph in components grid multi twostars path; do
    last=$(awk '!/^#/ { for (i = 1; i <= 2; i++) if ($i > n) n = $i } END { print n }' "$tmp/$graph.txt")
    awk -v n="$last" 'BEGIN { for (i = 0; i < 70; i++) print (i * 37) % (n + 1); print n; print n; print 0 }' >"$tmp/roots"
    roots=$(paste -sd, "$tmp/roots")
    sort -un "$tmp/roots" >"$tmp/distinct"
    mkdir "$tmp/want"
    "$TESTS/oracle" -o "$tmp/want/%d" "$tmp/$graph.txt" "$(paste -sd, "$tmp/distinct")"
    for setup in '1 0' '1 3' '3 inf' '4 2'; do
        pack "$graph" ${setup% *} ${setup#* }
        shards=$tmp/$graph-${setup/ /-}
        next_sizes
        for size in $some; do
            mkdir "$tmp/got"
            "$batch" -q -@ $((size % 3 + 1)) --batch $size -r "$roots" --depths "$tmp/got/%d" --force "$shards" >"$tmp/out" 2>"$tmp/err"
            check "$graph p and TH $setup, batches of $size: distances are those of the oracle" diff -r "$tmp/want" "$tmp/got"
            rm -r "$tmp/got"
        done
    done
    rm -r "$tmp/want"
done

# ---- checksums, levels and counts are those of single searches ----
"$BIN/rmatgen" -q -s 12 -o "$tmp/rmat.edges"
"$BIN/dbfs-pack" -q -p 3 -t 20 -o "$tmp/rmat" "$tmp/rmat.edges"
alone() { sed -n 's/^\(root [0-9]*\) time_s [^ ]* \(levels [0-9]* reached [0-9]*\) .*\(checksum [0-9a-f]*\).*/\1 \2 \3/p'; }
"$BIN/dbfs-traverse" -@ 1 --backend cpu -n 300 "$tmp/rmat" >"$tmp/one-by-one"
alone <"$tmp/one-by-one" >"$tmp/want"
check 'there are searches to compare with' test "$(wc -l <"$tmp/want")" = 300
for size in 1 63 64 65 128 129 256; do
    for threads in $many_threads; do
        "$batch" -@ $threads --batch $size -n 300 "$tmp/rmat" >"$tmp/out"
        check "batches of $size, $threads threads: roots have the lines of searches one by one" diff "$tmp/want" <(grep '^root' "$tmp/out")
        check "batches of $size, $threads threads: distances are those of searches one by one" diff <(grep checksum: "$tmp/one-by-one") <(grep checksum: "$tmp/out")
    done
done
"$BIN/rmatgen" -q -s 9 -e 5 -f text -o "$tmp/arcs.txt"
"$BIN/edgeconv" -q --direction directed -o "$tmp/arcs.edges" "$tmp/arcs.txt"
"$BIN/dbfs-pack" -q -p 3 -t 8 -o "$tmp/arcs" "$tmp/arcs.edges"
"$BIN/dbfs-traverse" --backend cpu -@ 1 -n 70 "$tmp/arcs" | alone >"$tmp/one-by-one"
check_exit 0 'a directed graph' "$batch" -@ 2 --batch 64 -n 70 "$tmp/arcs"
check "$situation: searches are those one by one" diff "$tmp/one-by-one" <(sed -n 's/^\(root [0-9]* levels [0-9]* reached [0-9]*\) .*\(checksum [0-9a-f]*\).*/\1 \2/p' "$tmp/out")
"$BIN/dbfs-pack" -q -p 1 -t 8 --rows out -o "$tmp/arcs-out" "$tmp/arcs.edges"
check_exit 2 'a directed graph without in-rows' "$batch" -n 2 "$tmp/arcs-out"
"$batch" -n 9 --no-checksum "$tmp/rmat" >"$tmp/out"
check '--no-checksum leaves out checksums' sh -c '! grep -q checksum "$1"' - "$tmp/out"
check_exit 0 'many levels by themselves' "$batch" -v -q -n 64 "$tmp/grid-1-3"
"$batch" -v -q -n 64 "$tmp/rmat" >"$tmp/out" 2>"$tmp/err"
check '-v tells of each level' awk -v levels="$(sed -n 's/.* s, \([0-9]*\) levels.*/\1/p' "$tmp/err")" '
    / level [0-9]+ by / { n++; if ($3 != n) bad++; read += $(NF - 4); if ($5 == "all") { all++; pulled += $(NF - 7) } else list++ }
    / edges read, .*GB/ { sum = $(NF - 4) }
    END { exit n != levels || bad || read != sum || sum == 0 || all == 0 || list == 0 || pulled == 0 }' "$tmp/err"

# ---- ranks ----
"$MPIEXEC" -n 3 "$batch" -@ 1 --batch 64 -n 300 --depths "$tmp/ranks.npy" --centrality "$tmp/ranks.txt" "$tmp/rmat" >"$tmp/out" 2>"$tmp/err"
check 'three ranks print the lines of searches one by one' diff "$tmp/want" <(grep '^root' "$tmp/out")
check_exit 0 'one rank' "$batch" -@ 2 --batch 256 -n 300 --depths "$tmp/m.npy" --centrality "$tmp/c.txt" "$tmp/rmat"
check "$situation: the matrix is that of one rank" cmp "$tmp/m.npy" "$tmp/ranks.npy"
check "$situation: centralities are those of one rank" cmp "$tmp/c.txt" "$tmp/ranks.txt"

# ---- the matrix has the rows of dbfs-traverse ----
"$BIN/dbfs-traverse" -q --backend cpu -n 20 --depths "$tmp/%d.raw" "$tmp/rmat" >"$tmp/out"
"$batch" -q -n 20 --depths "$tmp/matrix.npy" "$tmp/rmat" >"$tmp/out"
awk '{ print $2 }' "$tmp/want" | head -n 20 | while read -r root; do cat "$tmp/$root.raw"; done >"$tmp/rows"
check 'rows of the matrix are the distances from the roots' cmp "$tmp/rows" <(tail -c +129 "$tmp/matrix.npy")
check "$situation: the matrix has its shape in the header" grep -aq "'<i4', 'fortran_order': False, 'shape': (20, 4096)" "$tmp/matrix.npy"
mkfifo "$tmp/pipe.npy"
check_exit 2 'a matrix into a pipe' "$batch" -q -n 2 --depths "$tmp/pipe.npy" "$tmp/rmat" <>"$tmp/pipe.npy"

# ---- parents are proved ----
for graph in rmat components-4-2 grid-1-3; do
    check_exit 0 "parents of $graph" "$batch" -q --batch 5 -r 3,7,90,3 --parents "$tmp/$graph.%d" --depths "$tmp/$graph.d%d" "$tmp/$graph"
    check_exit 0 "dbfs-check accepts parents of $graph" "$BIN/dbfs-check" -q -r 3,7,90 --parents "$tmp/$graph.%d" --depths "$tmp/$graph.d%d" "$tmp/$graph"
done

# ---- centralities follow from the oracle's distances ----
for graph in components-4-2 multi-3-inf grid-1-3; do
    check_exit 0 "centralities of $graph" "$batch" -q -n all --no-checksum --centrality "$tmp/$graph.table" "$tmp/$graph"
    check "$situation: all vertices with edges have a row" diff <(cut -f 1 "$tmp/$graph.table") \
        <(awk '!/^#/ && $1 != $2 { print $1; print $2 }' "$tmp/${graph%%-*}.txt" | sort -un)
    cut -f 1 "$tmp/$graph.table" | head -n 40 | while read -r root; do
        "$TESTS/oracle" "$tmp/${graph%%-*}.txt" "$root" | awk -v root="$root" '{ n++ }
            $2 >= 0 { r++; sum += $2; if ($2 > far) far = $2 }
            $2 > 0 { h += 1 / $2 }
            END { printf "%d %d %d %d %.9g %.9g %.9g\n", root, r, far, sum, (r - 1) / sum, (r - 1) / sum * (r - 1) / (n - 1), h }'
    done >"$tmp/want"
    check "centralities of $graph follow from distances of the oracle" diff "$tmp/want" \
        <(awk '{ printf "%d %d %d %d %.9g %.9g %.9g\n", $1, $2, $3, $4, $5, $6, $7 }' "$tmp/$graph.table" | head -n 40)
done
awk 'BEGIN { print 0, 1; for (i = 2; i < 82; i++) print i % 2, i }' >"$tmp/leaves.txt"
pack leaves 2 3
"$batch" -q -n all --centrality "$tmp/leaves.searched" "$tmp/leaves-2-3" >"$tmp/out"
check_exit 0 'leaves at two centres' "$batch" -v -n all --batch 1 --no-checksum --centrality "$tmp/leaves.table" "$tmp/leaves-2-3"
check "$situation: no search starts at them" test "$(grep -c 'batch of' "$tmp/err")" = 2
check "$situation: the table is that of searches from all vertices" cmp "$tmp/leaves.searched" "$tmp/leaves.table"
check_exit 0 'an isolated root' "$batch" -q -r 8 --centrality - "$tmp/components-4-2"
check "$situation: the row of an isolated root has no closeness" grep -qxP '8\t1\t0\t0\t0\t0\t0' "$tmp/out"

# ---- a run that ends within its table, or within a line, is resumed ----
check_exit 0 'a table' "$batch" -q -n all --centrality "$tmp/whole" "$tmp/rmat"
(ulimit -f 4; "$BIN/dbfs-batch" --backend cpu -q -@ 1 --batch 1 -n all --centrality "$tmp/killed" "$tmp/rmat") >"$tmp/out" 2>&1 # ends at 4,096 bytes
check "$situation: the run has ended within it" test ! -e "$tmp/killed" -a -s "$tmp/killed.part"
check_exit 1 'a table is there, unfinished' "$batch" -q -n all --centrality "$tmp/killed" "$tmp/rmat"
check_says '--resume'
{ head -n 2 "$tmp/killed.part"; tr '\t' ' ' <"$tmp/whole"; } >"$tmp/whole.part" # as versions from 1.0.0 on have it
check 'an unfinished table has the lines of version 1.0.0' cmp <(head -n 20 "$tmp/killed.part") <(head -n 20 "$tmp/whole.part")
printf '17 99' >>"$tmp/killed.part"
check_exit 3 'not with other roots' "$batch" -q -n 5 --resume --centrality "$tmp/killed" "$tmp/rmat"
had=$(grep -vc '^#' "$tmp/killed.part")
check_exit 0 'a table goes on with --resume' "$batch" -q -n all --batch 256 --resume --centrality "$tmp/killed" "$tmp/rmat"
check "$situation: only what is lacking is searched" test "$(sed -n 's/^NBFS: //p' "$tmp/out")" -lt "$(($(wc -l <"$tmp/whole") - had + 2))"
check 'the tables are the same' cmp "$tmp/whole" "$tmp/killed"
check 'no part is left' test ! -e "$tmp/killed.part"

# resumed NAME: a table goes on from the unfinished one on standard input, and is then the whole one; said in $tmp/err
resumed() {
    rm -f "$tmp/mended"
    cat >"$tmp/mended.part"
    check_exit 0 "$1: goes on" "$batch" -q -n all --no-checksum --resume --centrality "$tmp/mended" "$tmp/rmat"
    check "$situation: the table is the whole one" cmp "$tmp/whole" "$tmp/mended"
}
resumed 'a table with a lost line' < <(sed 50d "$tmp/whole.part" | head -n 100)
check_says 'mended.part: line 50 is not that of its root: the lines from there on are made again' 'a table with a lost line: dbfs-batch names the line'
check 'a part with a damaged line keeps the lines before the damage' test "$(sed -n 's/^NBFS: //p' "$tmp/out")" = $(($(wc -l <"$tmp/whole.part") - 49))
resumed 'a table with a line twice' < <(sed 50p "$tmp/whole.part" | head -n 100)
resumed 'a table with garbage at its end' < <(head -n 60 "$tmp/whole.part"; echo GARBAGE)
resumed 'a table with zeros in a line' < <(head -n 60 "$tmp/whole.part"; printf '\0\0\0\n'; sed -n 62,99p "$tmp/whole.part")
resumed 'a table with another number' < <(head -n 60 "$tmp/whole.part"; sed -n '61s/ [0-9]* / 7 /p;62,99p' "$tmp/whole.part")
resumed 'a table with lines behind its end' < <(cat "$tmp/whole.part"; tail -n 100 "$tmp/whole.part")
check_says 'line [0-9]* is not that of its root' 'a table with lines behind its end: dbfs-batch names the line'
resumed 'a table without its names' < <(sed 2d "$tmp/whole.part")
resumed 'an empty table' </dev/null
echo kept >"$tmp/target"
ln -sf target "$tmp/link.part"
check_exit 1 'a part that is a link is not followed' "$batch" -q -n 2 --resume --centrality "$tmp/link" "$tmp/rmat"
check_exit 0 'a part that is a link is replaced with --force' "$batch" -q -n 2 --force --centrality "$tmp/link" "$tmp/rmat"
check "$situation: the file that the link names stays" test "$(cat "$tmp/target")" = kept
device=$(own_null)
[ -z "$device" ] || check_exit 2 'a table that is written to a device has nothing to go on with' "$batch" -q -n 2 --resume --centrality "$device" "$tmp/rmat"
check_exit 2 'distances in the part of the table' "$batch" -q -r 1 --depths "$tmp/both.part" --centrality "$tmp/both" "$tmp/rmat"
check 'closeness has all digits of the quotient' awk -F '\t' 'NF == 7 && $4 > 0 && $5 != ($2 - 1) / $4 { exit 1 }' "$tmp/whole"
check 'closeness is printed with 17 digits' grep -qP '\t0\.[0-9]{16,}(\t|$)' "$tmp/whole"

# ---- memory ----
check_exit 5 'too little memory is an error' "$batch" -q -S 100K "$tmp/rmat"
if [ "${BACKEND:-cpu}" = cpu ]; then
    check_exit 0 'enough for few roots' "$batch" -q -@ 1 -S 600K --batch 1 -n 3 "$tmp/rmat"
    check_exit 5 'memory that is enough for few roots is too little for all' "$batch" -q -@ 1 -S 600K --batch 1 -n all "$tmp/rmat"
    check_says 'all roots: needs'
    check_exit 5 'no GPU' env CUDA_VISIBLE_DEVICES= "$BIN/dbfs-batch" -q --backend cuda "$tmp/rmat"
    check_says '--backend cuda: '
    check_exit 0 'any backend' env CUDA_VISIBLE_DEVICES= "$BIN/dbfs-batch" -q -n 3 "$tmp/rmat"
fi

# ---- dbfs ----
cd "$tmp" || exit 1
PATH=$(realpath "$OLDPWD/$BIN"):$PATH
check_exit 0 'dbfs --batch' dbfs --cache cache --batch 128 -n 100 -o all.npy grid.txt
check "$situation: prints one line" grep -qE '^100 roots: 1200 of 1200 vertices reached, levels .* each; distances in all.npy$' out
check "$situation: makes a matrix of 100 rows" grep -aq '(100, 1200)' all.npy
check_exit 0 'dbfs --centrality' dbfs --cache cache -q -n all --centrality table grid.txt
check "$situation: makes a table of all vertices" test "$(wc -l <table)" = 1200

# ---- the page says how to get NetworkX's values ----
cat >as_networkx.py <<'END'
import sys
import networkx as nx
kind, path, table = sys.argv[1:]
g = nx.read_edgelist(path, create_using=nx.DiGraph if kind == 'directed' else nx.Graph)
rows = [line.rstrip('\n').split('\t') for line in open(table)]
closeness, harmonic = nx.closeness_centrality(g), nx.harmonic_centrality(g)
assert {row[0] for row in rows} == {v for v in g if any(u != v for u in nx.all_neighbors(g, v))}, 'vertices'
for name, *_, wf, sum_of_inverses in rows:
    assert float(wf) == closeness[name], (name, wf, closeness[name])
    assert abs(float(sum_of_inverses) - harmonic[name]) <= 1e-12 * harmonic[name], (name, sum_of_inverses, harmonic[name])
END
if python3 -c 'import networkx' 2>/dev/null; then
    awk 'BEGIN { for (i = 0; i < 150; i++) print 1000 * (i * i % 97), 1000 * (i * 31 % 89) + i % 2; print 7, 7 }' >gaps.txt
    dbfs --no-cache -q --compact -n all --centrality undirected.table gaps.txt 2>err
    check 'closeness of an undirected graph with gaps and loops is that of networkx' python3 as_networkx.py undirected gaps.txt undirected.table
    dbfs --no-cache -q --compact --direction directed --reverse -n all --centrality directed.table gaps.txt 2>err
    check 'closeness of a directed graph is that of networkx' python3 as_networkx.py directed gaps.txt directed.table
else
    skip 'closeness beside NetworkX: it is not installed'
fi
cd "$OLDPWD" || exit 1
finish
