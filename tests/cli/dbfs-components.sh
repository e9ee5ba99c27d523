#!/bin/bash
# dbfs-components.sh: components, their numbers, sizes and edges are those of an oracle in awk, for any threads, ranks and memory;
# what is written of the largest one is packed and searched; the command line.
set -u
. tests/lib.sh
components=$(realpath "$BIN/dbfs-components")
edgeconv=$(realpath "$BIN/edgeconv")
cd "$tmp" || exit 1

# random_edges SEED N M SPAN: prints M edges among N vertices, between ids that differ by less than SPAN
random_edges() {
    awk -v seed="$1" -v n="$2" -v m="$3" -v span="$4" \
        'BEGIN { srand(seed); for (i = 0; i < m; i++) { u = int(rand() * n); print u, (u + int(rand() * span)) % n } }'
}

# oracle weak|strong N: reads edges and writes want (id, component), want.sizes (component, vertices, edges), want.histogram and
# want.largest. Weak ones by relabelling until nothing changes, strong ones by the closure of reachability.
oracle() {
    : >want.largest
    awk -v kind="$1" -v n="$2" -v m=0 '
        { u[m] = $1; v[m] = $2; m++ }
        function weak(    i, changed) {
            for (i = 0; i < n; i++) of[i] = i
            do {
                changed = 0
                for (i = 0; i < m; i++)
                    if (of[u[i]] < of[v[i]]) { of[v[i]] = of[u[i]]; changed = 1 } else if (of[v[i]] < of[u[i]]) { of[u[i]] = of[v[i]]; changed = 1 }
            } while (changed)
        }
        function strong(    i, j, k) {
            for (i = 0; i < n; i++) reach[i, i] = 1
            for (i = 0; i < m; i++) reach[u[i], v[i]] = 1
            for (k = 0; k < n; k++) for (i = 0; i < n; i++) if ((i, k) in reach) for (j = 0; j < n; j++) if ((k, j) in reach) reach[i, j] = 1
            for (i = 0; i < n; i++) for (j = 0; j < n && !(i in of); j++) if (((i, j) in reach) && ((j, i) in reach)) of[i] = j
        }
        END {
            if (kind == "weak") weak(); else strong()
            for (i = 0; i < n; i++) { size[of[i]]++; if (size[of[i]] > most) most = size[of[i]] }
            for (s = most; s > 0; s--) for (i = 0; i < n; i++) if (size[i] == s) { number[i] = count++; vertices[count - 1] = s; of_size[s]++ }
            for (i = 0; i < n; i++) print i "\t" number[of[i]] >"want"
            for (i = 0; i < m; i++) if (of[u[i]] == of[v[i]]) { edges[number[of[u[i]]]]++; if (number[of[u[i]]] == 0) print u[i] "\t" v[i] >"want.largest" }
            for (i = 0; i < count; i++) print i "\t" vertices[i] "\t" edges[i] + 0 >"want.sizes"
            for (s = 1; s <= most; s++) if (s in of_size) print s "\t" of_size[s] >"want.histogram"
        }'
}

right() { cmp got want && cmp got.sizes want.sizes && cmp got.histogram want.histogram; }
find_all() { "$components" -q --force -o got --sizes got.sizes --histogram got.histogram "$@"; }
text_of() { for file; do "$edgeconv" -q --original-ids -t text "$file"; done; }

# ---- as the oracle has them ----

# SEED N M SPAN KIND
while read -r seed n m span kind; do
    direction=once
    [ "$kind" = weak ] && [ $((seed % 2)) = 1 ] || direction=directed
    random_edges "$seed" $((n - 2)) "$m" "$span" >g.txt
    oracle "$kind" "$n" <g.txt
    "$edgeconv" -q -f pairs --force --vertices "$n" --direction $direction -o g.edges g.txt
    options=()
    [ "$kind" = weak ] || options=(--strong)
    for threads in 1 2 4; do
        name="$kind components of a $direction graph of $n vertices and $m edges, $threads threads"
        check_exit 0 "$name" find_all -@ $threads "${options[@]}" --largest largest.edges g.edges
        check "$name: numbers, sizes and histogram are those of the oracle" right
        check "$name: the edges of the largest one are those of the oracle, in order" cmp <(text_of largest.edges) want.largest
    done
done <<'END'
1 300 150 300 weak
2 400 390 4 weak
3 40 60 40 strong
4 60 90 8 strong
5 3 1 1 strong
7 2000 1600 2000 weak
END
check 'the graph has many components, some of equal size' test "$(wc -l <want.sizes)" -gt 500 -a "$(wc -l <want.histogram)" -gt 3

# g.edges: the last graph of the table
"$edgeconv" -q --direction directed --force -o directed.edges g.txt
check_exit 0 'an undirected graph with --strong' "$components" --strong g.edges
check_says 'is undirected: its strong components are its components'
check "$situation: has its components" grep -q "^components: $(wc -l <want.sizes)$" out

# ---- other ways to the same graph ----

split -n l/3 -d g.txt part.
for i in 0 1 2; do "$edgeconv" -q -f pairs --force --vertices 2000 -u -o "part-$i.edges" "part.0$i"; done
check_exit 0 'several streams' find_all part-*.edges
check "$situation: numbers, sizes and histogram are those of one" right
check_exit 0 'a pipe' bash -c '"$1" -q -f pairs --vertices 2000 -u g.txt | "$2" -q --force -o got --sizes got.sizes --histogram got.histogram -' - \
    "$edgeconv" "$components"
check "$situation: numbers, sizes and histogram are those of a file" right
"$edgeconv" -q -f pairs --vertices 2000 -u --randomize=3 -o random.edges g.txt
check_exit 0 'randomised ids' find_all --largest largest.edges random.edges
check "$situation: numbers are by the ids of the input" right
check "$situation: the edges of the largest one are those of the oracle" cmp <(text_of largest.edges) want.largest
for ranks in 1 2 3; do
    rm -f largest-*
    check_exit 0 "$ranks ranks" timeout 60 "$MPIEXEC" -n $ranks "$components" -q --force -@ 2 -o got --sizes got.sizes --histogram got.histogram \
        --largest largest-%r.edges g.edges part-%r.edges
    check "$situation: as many components as of one process" test "$(wc -l <got.sizes)" = "$(wc -l <want.sizes)"
    check "$situation: numbers and histogram are those of the oracle" cmp got want
    check "$situation: each rank has written a stream" test "$(ls largest-*.edges | wc -l)" = $ranks
    cat g.txt $(seq -f part.%02g 0 $((ranks - 1))) | oracle weak 2000
    check "$situation: sizes count the edges of all ranks" cmp got.sizes want.sizes
    check "$situation: all streams together have the edges of the largest component" cmp <(text_of largest-*.edges | sort) <(sort want.largest)
done
oracle weak 2000 <g.txt

# ---- formats ----

check_exit 0 'CSV' "$components" -q --force -o got.csv --sizes sizes.csv --histogram histogram.csv g.edges
check "$situation: numbers have a header" cmp got.csv <(echo id,component && tr '\t' ',' <want)
check "$situation: sizes have a header" cmp sizes.csv <(echo component,vertices,edges && tr '\t' ',' <want.sizes)
check "$situation: the histogram has a header" cmp histogram.csv <(echo vertices,components && tr '\t' ',' <want.histogram)
check_exit 0 'arrays' "$components" -q --force -o got.raw g.edges
check "$situation: .raw has the numbers" cmp <(od -An -v -t u4 -w4 got.raw | tr -d ' ') <(cut -f2 want)
"$components" -q -o got.npy g.edges
check '.npy has a header before .raw' cmp <(tail -c +129 got.npy) got.raw
check 'the header of .npy has type and length' grep -qa "'descr': '<i4', 'fortran_order': False, 'shape': (2000,)" got.npy
seq 2000 | sed 's/.*/name "&",/' >names
check_exit 0 'names' "$components" -q --force --map names -o got g.edges
check "$situation: -o has them in place of ids" cmp got <(paste names want | cut -f1,3)
"$components" -q --force --map names -o named.csv g.edges
check 'names are quoted in CSV' test "$(sed -n 2p named.csv)" = "\"name \"\"1\"\",\",$(sed -n '1s/.*\t//p' want)"
printf '3 4\n' | "$edgeconv" -q -f pairs --one-based -u -o one.edges -
check_exit 0 'ids that begin at 1' "$components" -q --force -o got --sizes got.sizes --largest largest.edges one.edges
check "$situation: are so in text" test "$(tr '\t\n' '= ' <got)" = '1=1 2=2 3=0 4=0 '
"$components" -q --force -o got largest.edges
check "$situation: vertices without edges are components without edges" test "$(tr '\t\n' ', ' <got.sizes)" = '0,2,1 1,1,0 2,1,0 '
check "$situation: are so in the stream of the largest component" test "$(tr '\t\n' '= ' <got)" = '1=1 2=2 3=0 4=0 '
check_exit 3 'ids from 0 and from 1' "$components" one.edges part-0.edges
check_exit 0 '--base' "$components" -q --force --base 0 -o got one.edges
check "$situation: begins there" test "$(tr '\t\n' '= ' <got)" = '0=1 1=2 2=0 3=0 '
check_exit 3 'a map of another graph' "$components" --map part.00 -o x g.edges

# ---- the summary ----

check_exit 0 'the summary' "$components" -@ 1 g.edges
largest=$(sed -n '1s/0\t\(.*\)\t.*/\1/p' want.sizes) single=$(grep -cP '\t1\t' want.sizes)
check "$situation: vertices, edges, components, single ones and the largest" \
    grep -qx "2000 1600 $(wc -l <want.sizes) $single $largest" <(sed -n 's/^\(vertices\|edges\|components\|single\|largest\): //p' out | paste -sd ' ')
check "$situation: sizes of ten" grep -qx "largest_sizes: $(head -n 10 want.sizes | cut -f2 | paste -sd ' ')" out
check_exit 0 'an output on standard output' "$components" -o - g.edges
check "$situation: nothing else is there" cmp out want
check_says '^largest: ' "$situation: the summary is on standard error"
check_exit 0 '-q with an output' "$components" -q --force -o got g.edges
check "$situation: prints nothing" test ! -s out -a ! -s err
check_exit 0 'JSON' "$components" -q --force --largest largest.edges --json got.json g.edges
check "$situation: has the number of components" grep -q "\"components\": $(wc -l <want.sizes),$" got.json
check "$situation: has the edges of the largest" grep -q "\"largest_edges\": $(wc -l <want.largest),$" got.json
if command -v python3 >/dev/null; then check "$situation: is JSON" python3 -m json.tool got.json; else skip 'JSON of components: no python3'; fi
printf '%%%%MatrixMarket matrix coordinate pattern general\n0 0 0\n' | "$edgeconv" -q -u -o none.edges -
check_exit 0 'a graph without vertices' find_all --largest largest.edges none.edges
check "$situation: has no component" test ! -s got -a ! -s got.sizes -a -s largest.edges

# ---- the largest one is a graph ----

cd "$OLDPWD" || exit 1
"$BIN/rmatgen" -q -s 10 -e 1 -o "$tmp/rmat.edges"
check_exit 0 'the largest component of RMAT' "$components" --force --largest "$tmp/largest.edges" "$tmp/rmat.edges"
largest=$(sed -n 's/^largest: //p' "$tmp/out")
check_exit 0 'the largest component is packed' "$BIN/dbfs-pack" -q -o "$tmp/largest.dbfs" "$tmp/largest.edges"
check_exit 0 'roots are drawn from it' "$BIN/dbfs-traverse" --backend cpu -@ 1 -n 5 "$tmp/largest.dbfs"
check "$situation: each search reaches all $largest vertices" \
    test "$(sed -n 's/^root.* reached \([0-9]*\) .*/\1/p' "$tmp/out" | sort | uniq -c | tr -s ' ')" = " 5 $largest"
check_exit 0 'a pipe of the largest component, which is not the whole generated graph' \
    bash -c '"$1" -q --largest - "$2" | "$1" -' - "$components" "$tmp/rmat.edges"
check "$situation: has the same largest component" grep -qx "largest: $largest" "$tmp/out"
check_exit 0 'a pipe from rmatgen' bash -c '"$1/rmatgen" -q -s 10 -e 1 | "$2" -' - "$BIN" "$components"
check "$situation: has the same largest component" grep -qx "largest: $largest" "$tmp/out"
cd "$tmp" || exit 1

# ---- out of core ----

# a path that goes to and fro through all ids, another one that ends early, and random edges
awk 'BEGIN { srand(5); for (i = 0; i < 60000; i++) print i * 7919 % 5999993, (i + 1) * 7919 % 5999993
    for (i = 0; i < 9000; i++) print 5999992 - i * 600, 5999992 - (i + 1) * 600
    for (i = 0; i < 30000; i++) print int(rand() * 5999993), int(rand() * 5999993) }' >wide.txt
"$edgeconv" -q -f pairs -u --vertices 5999993 -o wide.edges wide.txt
check_exit 0 'in memory' "$components" -q --force -o want.raw --histogram want.histogram --largest want.edges wide.edges
check_exit 0 'out of core' "$components" -v --force -@ 2 -S 32M -T . -o got.raw --histogram got.histogram --largest largest.edges wide.edges
check_says '[2-9] windows of vertices; [1-9][0-9]* edges were left to windows below'
check "$situation: memory is bounded" test "$(sed -n 's/.*peak memory \([0-9]*\).* MiB/\1/p' err)" -lt 32
for file in raw histogram edges; do mv -f largest.edges got.edges 2>/dev/null; check "$situation: the same $file as in memory" cmp got.$file want.$file; done
check_exit 0 'out of core, two ranks' timeout 60 "$MPIEXEC" -n 2 "$components" -q --force -@ 1 -S 36M -T . -o got.raw --largest largest-%r.edges wide.edges
check "$situation: the same numbers as in memory" cmp got.raw want.raw
check "$situation: the same edges of the largest component" cmp <(text_of largest-[01].edges | sort) <(text_of want.edges | sort)
check "$situation: leaves no temporary file" test -z "$(find . -name '*dbfs-spill*')"
"$components" -q --force --sizes want.sizes wide.edges
check_exit 0 'sizes in little memory, by several passes over the edges' "$components" -q --force -@ 2 -S 32M -T . --sizes got.sizes wide.edges
check "$situation: are the same as in memory" cmp got.sizes want.sizes

# ---- refusals ----

head -c 9000 g.edges >cut.edges
check_exit 3 'a stream that is cut' "$components" cut.edges
check_says 'cut.edges: '
cp g.edges damaged.edges
printf '\377' | dd of=damaged.edges bs=1 seek=5000 conv=notrunc 2>/dev/null
check_exit 3 'a damaged stream' "$components" -o x damaged.edges
check_says 'damaged.edges: block 0 at byte [0-9]*: payload is corrupt'
check "$situation: nothing is written" test ! -e x
check_exit 3 'streams that contradict each other' "$components" g.edges directed.edges
check_exit 3 'a text' "$components" g.txt
check_exit 1 'a missing stream' "$components" missing.edges
check_exit 1 'an output that exists' "$components" -o got g.edges
check_exit 2 'an output that is the input' "$components" --force --largest ./g.edges g.edges
check_exit 2 'an output that is the map' "$components" --force --map names -o names g.edges
check_exit 2 'two outputs to one file' "$components" -o x --sizes ./x g.edges
check_exit 2 '--map without -o' "$components" --map names g.edges
check_exit 2 '--map and .npy' "$components" --map names -o x.npy g.edges
check_exit 2 'a table that is .npy' "$components" --sizes x.npy g.edges
for option in '-o c.parquet' '-o c.npz' '-o c.tsv.gz' '--sizes s.raw' '--histogram h.parquet' '--json j.json.gz'; do
    # shellcheck disable=SC2086 # an option and its value
    check_exit 2 "$option: a format that is not written" "$components" -q $option g.edges
    check "$situation: no file is made" test ! -e "${option#* }"
done
check_exit 2 '--largest of ranks without %r' timeout 60 "$MPIEXEC" -n 2 "$components" --largest x g.edges
check_says 'each rank writes a stream of its own'
check_exit 2 '--strong of ranks' timeout 60 "$MPIEXEC" -n 2 "$components" --strong g.edges
awk 'BEGIN { for (i = 0; i < 3000000; i++) print i, i + 1 }' | "$edgeconv" -q --direction directed -o long.edges -
check_exit 5 'strong components beyond -S' "$components" --strong -S 48M long.edges
check_says '^dbfs-components: --strong: the arcs of long.edges take .* weak components, without --strong, need no arcs in memory'
check_exit 0 'strong components of a long path' "$components" --strong long.edges
check "$situation: are its vertices" grep -qx 'components: 3000001' out
echo '0 281474976710655' | "$edgeconv" -q -u -o sparse.edges -
check_exit 5 'too many ids' "$components" -S 64M sparse.edges
check_says '281474976710656 vertices: their components need -S [0-9]*M more, even with 64 windows on disk'
cd "$OLDPWD" || exit 1
finish
