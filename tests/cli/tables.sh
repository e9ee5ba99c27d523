#!/bin/bash
# tables.sh: text results are read as they are by other programs: tab-separated lines by awk, CSV by pandas, R, sqlite3 and
# Python, whatever names the vertices have; distances and parents in one table; tables of several roots.
set -u
. tests/lib.sh
python=$(for p in python3 /usr/bin/python3; do "$p" -c 'import pandas' 2>/dev/null && echo "$p" && break; done)
traverse=$BIN/dbfs-traverse batch=$BIN/dbfs-batch

# ---- names that have to be quoted, and a plain graph of numbers ----

printf '%s\t%s\n' 'a, b' 'say "c"' 'say "c"' plain plain 'two  blanks' 'two  blanks' 'é ü' 'é ü' '#7' '#7' 'x;y' 'x;y' "it's" >"$tmp/names.txt"
printf 'lone\tlone\n' >>"$tmp/names.txt"
"$BIN/edgeconv" -q -u -f pairs --separator tab --compact="$tmp/map" -o "$tmp/names.edges" "$tmp/names.txt"
"$BIN/dbfs-pack" -q -p 1 -o "$tmp/names" "$tmp/names.edges"
"$BIN/rmatgen" -q -s 8 -e 4 -f text -o "$tmp/ids.txt"
"$BIN/edgeconv" -q -u --vertices 256 -o "$tmp/ids.edges" "$tmp/ids.txt"
"$BIN/dbfs-pack" -q -p 2 -o "$tmp/ids" "$tmp/ids.edges"
"$TESTS/oracle" -n 256 -o "$tmp/oracle.%d" "$tmp/ids.txt" 0,3 >/dev/null
named=(-q --map "$tmp/map" -r 'a, b')

check_exit 0 'distances and parents in one .csv' "$traverse" "${named[@]}" --depths "$tmp/t.csv" --parents "$tmp/t.csv" "$tmp/names"
check 'the first line of .csv has the names of the columns' test "$(head -n 1 "$tmp/t.csv")" = id,distance,parent
check_exit 0 'distances and parents in one .csv by dbfs-batch' "$batch" "${named[@]}" --depths "$tmp/b.csv" --parents "$tmp/b.csv" "$tmp/names"
check 'dbfs-batch writes the table of dbfs-traverse' cmp "$tmp/t.csv" "$tmp/b.csv"
check_exit 0 'distances and parents in one table with tabs' "$traverse" "${named[@]}" --depths "$tmp/t.tsv" --parents "$tmp/t.tsv" "$tmp/names"
check 'a table with tabs has no line but those of vertices' test "$(wc -l <"$tmp/t.tsv")" = "$(wc -l <"$tmp/map")"
check 'awk reads names as they are in the map' cmp <(awk -F '\t' '{ print $1 }' "$tmp/t.tsv") "$tmp/map"
check 'awk reads a name and its distance' test "$(awk -F '\t' '$1 == "x;y" { print $2 "," $3 }' "$tmp/t.tsv")" = '6,#7'
cat >"$tmp/want.py" <<END
want = {'a, b': (0, 'a, b'), 'say "c"': (1, 'a, b'), 'plain': (2, 'say "c"'), 'two  blanks': (3, 'plain'), 'é ü': (4, 'two  blanks'),
        '#7': (5, 'é ü'), 'x;y': (6, '#7'), "it's": (7, 'x;y'), 'lone': (-1, '-1')}
END
cat >"$tmp/read_csv.py" <<END
import csv, sys
exec(open('$tmp/want.py').read())
with open(sys.argv[1], newline='') as file:
    rows = list(csv.DictReader(file, strict=True))
assert {r['id']: (int(r['distance']), r['parent']) for r in rows} == want, rows
END
if command -v python3 >/dev/null 2>&1; then
    check "Python's csv reads the table" python3 "$tmp/read_csv.py" "$tmp/t.csv"
else
    skip 'csv of Python: no python3'
fi
if [ -n "$python" ]; then
    check 'pandas.read_csv reads the table' "$python" -c "
import pandas
exec(open('$tmp/want.py').read())
t = pandas.read_csv('$tmp/t.csv')
assert list(t.columns) == ['id', 'distance', 'parent'] and t.distance.dtype == 'int64'
assert {i: (d, p) for i, d, p in t.itertuples(index=False)} == want"
else
    skip 'pandas.read_csv: no pandas'
fi
if command -v sqlite3 >/dev/null 2>&1; then
    check 'sqlite3 .import reads the table' test "$(sqlite3 -cmd '.mode csv' -cmd ".import $tmp/t.csv t" :memory: \
        "select count(*), sum(distance) from t; select parent from t where id = 'plain'" | tr -d '\r' | paste -sd ' ')" = '9,27 "say ""c"""'
else
    skip 'sqlite3 .import: no sqlite3'
fi
if command -v Rscript >/dev/null 2>&1; then
    check "R's read.csv reads the table" test "$(Rscript -e "t <- read.csv('$tmp/t.csv'); cat(ncol(t), sum(t\$distance), t\$parent[t\$id == 'plain'])")" = '3 27 say "c"'
else
    skip 'read.csv of R: no Rscript'
fi

# ---- names with tabs, which no table with tabs can hold ----

if command -v python3 >/dev/null 2>&1; then
    printf 'a\tb,c\nc,d\n' | "$BIN/edgeconv" -q -u -f pairs --separator , --compact="$tmp/tabs.map" -o "$tmp/tabs.edges" -
    "$BIN/dbfs-pack" -q -p 1 -o "$tmp/tabs" "$tmp/tabs.edges"
    for suffix in csv tsv; do
        check_exit 0 "a name with a tab, .$suffix" "$traverse" -q --map "$tmp/tabs.map" -r c --depths "$tmp/tabs.$suffix" "$tmp/tabs"
    done
    check 'a name with a tab is whole in .csv' grep -qxP 'a\tb,1' "$tmp/tabs.csv"
    check 'a name with a tab is one field of a table with tabs' grep -qxP 'a\\tb\t1' "$tmp/tabs.tsv"
fi

# ---- numbers: one root, several roots, several ranks ----

check_exit 0 'distances of one root' "$traverse" -q -r 3 --depths "$tmp/d.tsv" "$tmp/ids"
check 'distances with tabs are those of the oracle' cmp "$tmp/d.tsv" "$tmp/oracle.3"
check_exit 0 'distances on standard output' "$traverse" -q -r 3 --depths - "$tmp/ids"
check "$situation: have tabs" cmp "$tmp/out" "$tmp/oracle.3"
long() { for root in 3 0; do awk -v OFS="$1" -v r=$root '{ print r, $1, $2 }' "$tmp/oracle.$root"; done; }
{ echo root,id,distance; long ,; } >"$tmp/long.csv"
long $'\t' >"$tmp/long.tsv"
for ranks in 1 2; do
    for suffix in csv tsv; do
        check_exit 0 "two roots in one .$suffix, ranks $ranks" "$MPIEXEC" -n $ranks "$traverse" -q -@ 1 -r 3,0 --depths "$tmp/two.$suffix" --force "$tmp/ids"
        check "$situation: the lines of both roots follow each other" cmp "$tmp/two.$suffix" "$tmp/long.$suffix"
    done
done
check_exit 0 'two roots in one .csv by dbfs-batch' "$batch" -q -r 3,0 --depths "$tmp/batch.csv" "$tmp/ids"
check "$situation: the lines of both roots follow each other" cmp "$tmp/batch.csv" "$tmp/long.csv"
check_exit 0 'one table of several ranks by dbfs-batch' "$MPIEXEC" -n 2 "$batch" -q -@ 1 --batch 1 -r 3,0 --depths "$tmp/ranks.csv" "$tmp/ids"
check "$situation: the lines of both roots follow each other" cmp "$tmp/ranks.csv" "$tmp/long.csv"
check_exit 0 'two roots on standard output' "$traverse" -q -r 3,0 --depths - "$tmp/ids"
check "$situation: are one table" cmp "$tmp/out" "$tmp/long.tsv"
check_exit 0 'two roots with parents' "$MPIEXEC" -n 2 "$traverse" -q -@ 1 -r 3,0 --depths "$tmp/tree.csv" --parents "$tmp/tree.csv" "$tmp/ids"
check "$situation: distances are those of both roots" cmp <(cut -d, -f 1-3 "$tmp/tree.csv") "$tmp/long.csv"
check_exit 0 'two roots with parents, each in a table' "$traverse" -q -@ 1 -r 3,0 --depths 'd-%d.csv' --parents "$tmp/parents.csv" --force "$tmp/ids"
rm -f d-3.csv d-0.csv
for root in 3 0; do
    awk -F, -v r=$root '$1 == r { print $2 "\t" $4 }' "$tmp/tree.csv" >"$tmp/p.$root"
    check "parents from $root in the table of both are a tree" "$TESTS/treecheck" "$tmp/ids.txt" $root "$tmp/oracle.$root" "$tmp/p.$root"
    awk -F, -v r=$root '$1 == r { print $2 "\t" $3 }' "$tmp/parents.csv" >"$tmp/p.$root"
    check "parents from $root in a table of parents are a tree" "$TESTS/treecheck" "$tmp/ids.txt" $root "$tmp/oracle.$root" "$tmp/p.$root"
done
check_exit 0 'reached vertices of two roots' "$MPIEXEC" -n 2 "$traverse" -q -@ 1 -r 3,0 --list-reached "$tmp/reached.csv" "$tmp/ids"
check "$situation: are those of both, by distance" cmp "$tmp/reached.csv" \
    <(echo root,id,distance; for r in 3 0; do awk -v r=$r '$2 >= 0 { print r "," $1 "," $2 }' "$tmp/oracle.$r" | sort -t, -n -k 3,3 -k 2,2; done)
if python3 -c 'import numpy' 2>/dev/null; then
    for root in 3 0; do cut -f 2 "$tmp/oracle.$root"; done >"$tmp/rows"
    for how in '1' '2' '1 --depths-width 1' '2 --parents'; do
        set -- $how
        wanted=(--depths "$tmp/m.npy" "${@:2}")
        [ "${2:-}" != --parents ] || wanted+=("$tmp/mp.npy")
        check_exit 0 "two roots in one .npy, ranks $how" "$MPIEXEC" -n "$1" "$traverse" -q -@ 1 -r 3,0 "${wanted[@]}" --force "$tmp/ids"
        python3 -c 'import numpy, sys; a = numpy.load(sys.argv[1]); print(a.dtype.itemsize, *a.shape); print(*a.ravel(), sep="\n")' "$tmp/m.npy" >"$tmp/got"
        check "$situation: a matrix has the distances of both roots" \
            cmp "$tmp/got" <(echo "$([ "${2:-}" = --depths-width ] && echo 1 || echo 4) 2 $(($(wc -l <"$tmp/rows") / 2))" && cat "$tmp/rows")
    done
    python3 -c 'import numpy, sys; print(*numpy.load(sys.argv[1]).ravel(), sep="\n")' "$tmp/mp.npy" >"$tmp/got"
    check "$situation: the rows of parents are those of the table of both roots" cmp "$tmp/got" <(sed 1d "$tmp/parents.csv" | cut -d , -f 3)
else
    skip 'two roots in one .npy: no python3 with numpy'
fi
check_exit 2 'sampled roots that nobody asked for need names of their own' "$traverse" --depths "$tmp/x.csv" "$tmp/ids"
check_says 'several roots need %d in the file name; -r gives one root'
check_exit 2 'an array of several roots' "$traverse" -r 1,2 --depths "$tmp/x.raw" "$tmp/ids"
check_says 'several roots need %d in the file name, or a table'
"$traverse" -q -r 1 --depths "$tmp/lower.npy" "$tmp/ids" && "$traverse" -q -r 1 --depths "$tmp/UPPER.NPY" "$tmp/ids"
check 'a suffix in upper case is the same format' cmp "$tmp/lower.npy" "$tmp/UPPER.NPY"
check_exit 2 'an array of both' "$traverse" -r 1 --depths "$tmp/x.npy" --parents "$tmp/x.npy" "$tmp/ids"
check_exit 5 'distances and parents in one table take memory of their own' "$traverse" -S 9K -r 1 --depths "$tmp/x.csv" --parents "$tmp/x.csv" "$tmp/ids"

# ---- centralities ----

check_exit 0 'centralities as .csv' "$batch" "${named[@]}" --centrality "$tmp/c.csv" "$tmp/names"
check "$situation: have a line of names, and the name of the root" diff "$tmp/c.csv" - <<'END'
root,reached,eccentricity,distance_sum,closeness,closeness_wf,harmonic
"a, b",8,7,28,0.25,0.21875,2.5928571428571425
END
check_exit 0 'centralities on standard output' "$batch" "${named[@]}" --centrality - "$tmp/names"
check "$situation: have tabs and no line of names" cmp "$tmp/out" <(printf 'a, b\t8\t7\t28\t0.25\t0.21875\t2.5928571428571425\n')

# ---- names of files, and the map that has the names of an array ----

PATH=$(realpath "$BIN"):$PATH
cd "$tmp" || exit 1
printf '%s\t%s\n' alice a/b a/b .c .c -d -d 50% 50% "$(printf 'x%.0s' {1..300})" >people.txt
from=(--no-cache --separator tab people.txt)
check_exit 0 'dbfs --compact=MAP keeps the names' dbfs --compact=people.map -r alice -r a/b -r .c --roots=-d -r 50% -r "$(tail -n 1 people.txt | cut -f 2)" -o '%d.csv' "${from[@]}"
check "$situation: one a line" cmp people.map <(cut -f 1 people.txt; tail -n 1 people.txt | cut -f 2)
check 'the name of a file has that of the root, made safe and never that of another root' test "$(LC_ALL=C ls *%*.csv alice.csv | cut -c 1-12 | paste -sd ' ')" = \
    '%2Dd.csv %2Ec.csv 50%25.csv a%2Fb.csv alice.csv xxxxxxxxxxxx'
check 'the file of a name that was made safe has the distances of its root' grep -qx '50%,2' %2Ec.csv
check_exit 1 'a map that exists is not replaced' dbfs --compact=people.map -r alice "${from[@]}"
check_says '^dbfs: people.map: exists already: --force replaces it'
check_exit 0 'a map that exists is replaced with --force' dbfs --compact=people.map --force -r alice -o alice.npy "${from[@]}"
check_says '^dbfs: alice.npy: value i is that of the vertex whose name is line i + 1 of people.map'
check_exit 0 'an array whose names are not kept' dbfs --compact --force -r alice -o alice.npy "${from[@]}"
check_says '^dbfs: alice.npy: no map of its names is kept: --compact=MAP keeps one'
check_exit 2 'a map instead of the graph' dbfs --compact=people.txt --force -r alice "${from[@]}"
check_says '^dbfs: people.txt: is the graph'
check_exit 2 'a map and a result in one file' dbfs --compact=one -o one -r alice "${from[@]}"
check_says '^dbfs: one: is to have the names, and is a result, too'
check_exit 0 'an array of dbfs-traverse' dbfs-traverse --map map -r plain --depths plain.npy names
check_says '^dbfs-traverse: plain.npy: value i is that of the vertex whose name is line i + 1 of map'
cd "$OLDPWD" || exit 1
finish
