#!/bin/bash
# dbfs-check.sh: right results are accepted and planted faults are found. The first offence is the same from a stream
# and from shards, with any number of ranks and threads, and within any budget.
set -u
. tests/lib.sh
check=$BIN/dbfs-check
mpi() { local n=$1; shift; "$MPIEXEC" -n "$n" "$check" -@ 1 "$@"; }
# ranks N ARGS...: runs N ranks, or one process without mpiexec
ranks() { local n=$1; shift; if [ "$n" = 1 ]; then "$check" -@ 2 "$@"; else mpi "$n" "$@"; fi; }

# ---- a small graph: two ways from 0 to 3, an edge within a level, another component, a lone vertex ----

printf '%s\n' '0 1' '1 2' '2 3' '3 4' '0 5' '5 6' '6 3' '1 5' '7 8' '9 9' >"$tmp/g.txt"
"$BIN/edgeconv" -q -u -o "$tmp/g.edges" "$tmp/g.txt"
"$BIN/dbfs-pack" -q -p 4 -t 2 -o "$tmp/g4" "$tmp/g.edges"
"$BIN/dbfs-pack" -q -p 1 -t 1 --encoding packed -o "$tmp/g1" "$tmp/g.edges"

lines() { echo "$1" | tr ' ' '\n' | awk '{ print NR - 1, $1 }'; } # prints the values of vertices 0, 1, ... as text
depths='0 1 2 3 4 1 2 -1 -1 -1'
parents='0 0 1 2 3 0 5 -1 -1 -1'
lines "$depths" >"$tmp/d"
lines "$parents" >"$tmp/p"

# put NAME WHAT VERTEX=VALUE...: writes the values of WHAT (d, p), some of them replaced
put() {
    local name=$1 what=$2
    shift 2
    awk -v changes="$*" 'BEGIN { count = split(changes, c, /[ =]/); for (i = 1; i < count; i += 2) value[c[i]] = c[i + 1] }
        { print $1, ($1 in value ? value[$1] : $2) }' "$tmp/$what" >"$tmp/$name"
}

check_exit 0 'depths and parents are accepted' "$check" -r 0 --depths "$tmp/d" --parents "$tmp/p" "$tmp/g.edges"
check "$situation: the line has levels, vertices and checksum" grep -qx 'root 0 levels 5 reached 7 checksum [0-9a-f]* valid' "$tmp/out"
cp "$tmp/out" "$tmp/valid"
for graph in g.edges g1 g4; do
    for ranks in 1 2 4; do
        check_exit 0 "$graph on $ranks ranks" ranks $ranks --depths "$tmp/d" --parents "$tmp/p" "$tmp/$graph"
        check "$situation: the proof prints the same line" cmp "$tmp/out" "$tmp/valid"
    done
    for results in "--depths $tmp/d" "--parents $tmp/p"; do
        check_exit 0 "$graph, only ${results%% *}" "$check" $results "$tmp/$graph"
        check "$situation: the proof prints the same line" cmp "$tmp/out" "$tmp/valid"
    done
done
"$BIN/dbfs-traverse" -q -r 0 --depths "$tmp/dt" --parents "$tmp/pt" "$tmp/g4" >"$tmp/traverse.out"
check_exit 0 'distances and parents that dbfs-traverse writes are accepted' "$check" --depths "$tmp/dt" --parents "$tmp/pt" "$tmp/g.edges"

# ---- planted faults ----

# fault NAME 'FILE: OFFENCE' ARGS...: expects the offence from the stream and the shards, with 1 and 4 ranks
fault() {
    local name=$1 says=$2 graph ranks bad=''
    shift 2
    for graph in g.edges g4; do
        for ranks in 1 4; do
            # starting 4 ranks takes half a second of 2 cores
            [ $graph$ranks = g44 ] && [ "${TEST_MODE:-short}" = short ] && continue
            ranks $ranks "$@" "$tmp/$graph" >"$tmp/out" 2>"$tmp/err" </dev/null
            [ $? = 4 ] && [ "$(said "$tmp/err")" = "dbfs-check: $tmp/$says" ] && [ ! -s "$tmp/out" ] ||
                bad="$bad $graph on $ranks: $(head -c 200 "$tmp/err");"
        done
    done
    check "$name: $says$bad" test -z "$bad"
}
fault_depths() { put f d $3; fault "$1, depths" "f: $2" --depths "$tmp/f"; }
fault_parents() { put f p $3; fault "$1, parents" "f: $2" --parents "$tmp/f"; }
fault_tree() { put f p $3; fault "$1, both" "f: $2" --depths "$tmp/d" --parents "$tmp/f"; }
fault_both() { # with OFFENCE DEPTHS PARENTS: expects the offence for the same changes in both files
    put fd d $3; put fp p $4
    fault "$1, both" "$2" --depths "$tmp/fd" --parents "$tmp/fp"
}

fault_tree 'a parent on the same level' 'tree edge 1 5: depths 1 and 1' '1=5'
fault_tree 'a parent one level down' 'tree edge 3 4: depths 3 and 4' '3=4'
fault_parents 'a parent one level down: a cycle' 'tree edge 3 4: on a cycle of parents' '3=4'
fault_tree 'a cycle' 'tree edge 2 3: depths 2 and 3' '2=3 3=2'
fault_parents 'a long cycle' 'tree edge 2 6: on a cycle of parents' '2=6 6=3'
fault_tree 'a tree edge that is not in the graph' 'tree edge 2 5: not in the graph' '2=5'
fault_parents 'a tree edge that is not in the graph' 'tree edge 2 5: not in the graph' '2=5'
fault_parents 'a tree that is too deep' 'edge 0 5: depths 0 and 2' '5=1'
fault_depths 'a missing vertex' 'edge 3 4: depths 3 and -1' '4=-1'
fault_parents 'a missing vertex' 'edge 3 4: depths 3 and -1' '4=-1'
fault_both 'a missing vertex' 'fd: edge 3 4: depths 3 and -1' '4=-1' '4=-1'
fault_parents 'a missing vertex within the tree' 'tree edge 4 3: 3 has no parent' '3=-1'
fault_depths 'one too many' 'vertex 9: depth 1, and no neighbour has depth 0' '9=1'
fault_depths 'one too many with a neighbour' 'edge 7 8: depths 5 and -1' '7=5'
fault_both 'one too many' 'fp: tree edge 9 0: not in the graph' '9=1' '9=0'
fault_both 'a component too many' 'fp: tree edge 7 0: not in the graph' '7=1 8=2' '7=0 8=7'
fault_parents 'a component too many' 'tree edge 7 8: on a cycle of parents' '7=8 8=7'
fault_depths 'a depth too small' 'vertex 4: depth 3, and no neighbour has depth 2' '4=3'
fault_depths 'a depth too large' 'edge 3 4: depths 3 and 5' '4=5'
fault_depths 'several: the smallest edge' 'edge 0 1: depths 0 and 3' '1=3 4=7'
fault_depths 'two roots' 'vertex 7: depth 0, and the root is 0' '7=0'
fault_parents 'two roots' 'vertex 7: its own parent, and the root is 0' '7=7'
fault_depths 'no root' 'no vertex is the root' '0=1'
fault_tree 'a parent of a vertex that has no depth' 'vertex 8: parent 7, and depth -1' '8=7'
fault_tree 'no parent of a vertex that has a depth' 'vertex 4: parent -1, and depth 4' '4=-1'
fault_depths 'a depth that is none' 'vertex 2: -2 is no depth' '2=-2'
fault_depths 'a depth of n' 'vertex 2: 10 is no depth' '2=10'
fault_parents 'a parent that is no vertex' 'vertex 2: 10 is no parent' '2=10'
fault 'another root than the one given' 'd: vertex 0: depth 0, and the root is 1' -r 1 --depths "$tmp/d"
fault 'another root, parents' 'p: vertex 0: its own parent, and the root is 1' -r 1 --parents "$tmp/p"
fault 'swapped files' 'p: vertex 1: depth 0, and the root is 0' --depths "$tmp/p" --parents "$tmp/d"
lines '0 1 2 3 4 5 4 3 2 1' >"$tmp/f"
fault 'a file of another graph' 'f: edge 0 5: depths 0 and 5' --depths "$tmp/f"
lines '0 1 2 3' >"$tmp/f"
fault 'a file of a smaller graph' 'f: has the values of 4 vertices, and the graph has 10' --depths "$tmp/f"

# ---- the kinds of files ----

# bytes WIDTH VALUE...: prints small values as little-endian integers
bytes() {
    local width=$1
    shift
    printf "$(echo "$*" | awk -v w="$width" '{ for (i = 1; i <= NF; i++) for (b = 0; b < w; b++)
        printf "\\%03o", $i < 0 ? 255 : b == 0 ? $i : 0 }')"
}
# npy DESCR SHAPE: prints the header of an array
npy() {
    printf '\223NUMPY\001\000\166\000'
    printf '%-117s\n' "{'descr': '$1', 'fortran_order': False, 'shape': ($2), }"
}
for width in 1 2 4 8; do
    bytes $width $depths >"$tmp/d.raw"
    bytes $width $parents >"$tmp/p.raw"
    check_exit 0 "raw integers of $width bytes" "$check" --depths "$tmp/d.raw" --parents "$tmp/p.raw" "$tmp/g.edges"
    check "$situation: the proof prints the same line" cmp "$tmp/out" "$tmp/valid"
    for sign in i u; do
        { npy "<$sign$width" '10,'; bytes $width $depths; } >"$tmp/d.npy"
        { npy "<$sign$width" '10,'; bytes $width $parents; } >"$tmp/p.npy"
        check_exit 0 ".npy of $sign$width" "$check" --depths "$tmp/d.npy" --parents "$tmp/p.npy" "$tmp/g.edges"
        check "$situation: the proof prints the same line" cmp "$tmp/out" "$tmp/valid"
    done
done
{ npy '<i4' '10,'; bytes 4 ${depths/4/5}; } >"$tmp/f.npy"
fault 'a fault in .npy' 'f.npy: edge 3 4: depths 3 and 5' --depths "$tmp/f.npy"
for what in d p; do
    tr ' ' , <"$tmp/$what" >"$tmp/$what.csv"
done
check_exit 0 'lines with commas' "$check" --depths "$tmp/d.csv" --parents "$tmp/p.csv" "$tmp/g.edges"
check "$situation: the proof prints the same line" cmp "$tmp/out" "$tmp/valid"
"$BIN/dbfs-traverse" -q -r 0 --depths "$tmp/dt.csv" --parents "$tmp/pt.csv" "$tmp/g4" >"$tmp/traverse.out"
for ranks in 1 2; do
    check_exit 0 "the .csv of dbfs-traverse on $ranks ranks" ranks $ranks --depths "$tmp/dt.csv" --parents "$tmp/pt.csv" "$tmp/g4"
    check "$situation: the proof prints the same line" cmp "$tmp/out" "$tmp/valid"
done
"$BIN/dbfs-traverse" -q -r 0 --depths "$tmp/both.csv" --parents "$tmp/both.csv" "$tmp/g4" >"$tmp/traverse.out"
sed 1d "$tmp/both.csv" | tr , '\t' >"$tmp/both.tsv"
for both in both.csv both.tsv; do
    check_exit 0 "distances and parents in one file, $both" "$check" --depths "$tmp/$both" --parents "$tmp/$both" "$tmp/g.edges"
    check "$situation: the proof prints the same line" cmp "$tmp/out" "$tmp/valid"
done
sed 's/^4,4,/4,5,/' "$tmp/both.csv" >"$tmp/f.csv"
fault 'a fault in the distances of a file of both' 'f.csv: edge 3 4: depths 3 and 5' --depths "$tmp/f.csv"
sed 's/^4,4$/4,5/' "$tmp/d.csv" >"$tmp/f.csv"
fault 'a fault in .csv' 'f.csv: edge 3 4: depths 3 and 5' --depths "$tmp/f.csv"
check_exit 0 '.csv from a pipe' sh -c '"$1" --depths - "$2" <"$3"' - "$check" "$tmp/g.edges" "$tmp/d.csv"
check_exit 0 'depths from a pipe' sh -c '"$1" --depths - "$2" <"$3"' - "$check" "$tmp/g.edges" "$tmp/d"
check_exit 0 '.npy from a pipe' sh -c 'cat "$3" | "$1" --depths - "$2"' - "$check" "$tmp/g.edges" "$tmp/d.npy"
check_exit 0 'edges from a pipe' sh -c 'cat "$3" | "$1" --depths "$2" -' - "$check" "$tmp/d.npy" "$tmp/g.edges"

# bad_file STATUS SAYS NAME: expects STATUS and the message for $tmp/f as depths
bad_file() {
    check_exit "$1" "$3" "$check" --depths "$tmp/f" "$tmp/g.edges"
    check_says "$tmp/f$2"
}
sed '5s/,[0-9]*$/,x/' "$tmp/both.csv" >"$tmp/f"; bad_file 3 ":5: not '3,VALUE,PARENT'" 'a parent that is no number'
sed '4s/.*/3 x/' "$tmp/d" >"$tmp/f"; bad_file 3 ":4: not '3 VALUE'" 'a line that is none'
sed '4s/.*/4 3/' "$tmp/d" >"$tmp/f"; bad_file 3 ":4: not '3 VALUE'" 'a wrong id'
sed '4d' "$tmp/d" >"$tmp/f"; bad_file 3 ":4: not '3 VALUE'" 'a missing line'
head -c -1 "$tmp/d" >"$tmp/f"; bad_file 3 ":10: not '9 VALUE'" 'a last line without its end'
sed '4s/.*/3 99999999999999999999/' "$tmp/d" >"$tmp/f"; bad_file 3 ":4: not '3 VALUE'" 'a value too long'
head -c -1 "$tmp/d.npy" >"$tmp/f"; bad_file 3 ': its size is not that of the 10 values' 'a cut .npy'
head -c 100 "$tmp/d.npy" >"$tmp/f"; bad_file 3 ': .npy header: it is cut' 'a cut header'
{ npy '>i4' '10,'; bytes 4 $depths; } >"$tmp/f"; bad_file 3 ': .npy header: .*big-endian' 'big-endian .npy'
{ npy '<f4' '10,'; bytes 4 $depths; } >"$tmp/f"; bad_file 3 ': .npy header: .*not integers' '.npy of floats'
{ npy '<i4' '5, 2'; bytes 4 $depths; } >"$tmp/f"; bad_file 3 ': .npy header: .*one dimension' '.npy of two dimensions'
{ npy '<i4' '9,'; bytes 4 ${depths% -1}; } >"$tmp/f"; bad_file 4 ': has the values of 9 vertices' '.npy of 9 values'
sed '4s/,/ /' "$tmp/d.csv" >"$tmp/f"; bad_file 3 ":4: not '3,VALUE'" 'a line without its comma'
sed '4s/ /,/' "$tmp/d" >"$tmp/f"; bad_file 3 ":4: not '3 VALUE'" 'a line with a comma'
sed '4s/,.*/,/' "$tmp/d.csv" >"$tmp/f"; bad_file 3 ":4: not '3,VALUE'" 'a comma without a value'
head -c 36 /dev/zero >"$tmp/f"
bad_file 3 ": neither .npy nor a table of ids and values, and its 36 bytes are not the integers of 10 vertices" \
    'raw values of no width'
: >"$tmp/f"; bad_file 3 ': neither .npy nor a table' 'an empty file'
{ echo id,depth; cat "$tmp/d.csv"; } >"$tmp/f"; bad_file 3 ":1: not '0 VALUE', '0,VALUE' or 'id,distance'" 'a line of other titles'
# lines of names have 4 bytes, as those of integers have
printf '%s\t0\n' a b c d e f g h i j >"$tmp/f"; bad_file 3 ':1: .*names (--map) are not taken' 'lines with names'
printf '%s,0\n' a b c d e f g h i j >"$tmp/f"; bad_file 3 ':1: .*names (--map) are not taken' 'names in .csv'
sed 1d "$tmp/d" >"$tmp/f"; bad_file 3 ":1: not '0 VALUE'" 'no line of vertex 0'
# raw values of one byte that look like empty lines: 5,000 vertices have depth 10
awk 'BEGIN { for (i = 5000; i < 5009; i++) print i, i + 1; for (i = 0; i < 5000; i++) print 5009, i }' >"$tmp/far.txt"
"$BIN/edgeconv" -q -u -o "$tmp/far.edges" "$tmp/far.txt"
{ yes '' | head -n 5000; bytes 1 0 1 2 3 4 5 6 7 8 9; } >"$tmp/far.raw"
check_exit 0 'raw values that look like lines' "$check" -r 5000 --depths "$tmp/far.raw" "$tmp/far.edges"

# ---- command line, and damaged graphs ----

check_exit 0 '--help' "$check" --help
check_exit 2 'no graph' "$check" --depths "$tmp/d"
check_exit 2 'nothing to test' "$check" "$tmp/g.edges"
check_exit 2 'two graphs' "$check" --depths "$tmp/d" "$tmp/g.edges" "$tmp/g4"
check_exit 2 'a root that is no vertex' "$check" -r 10 --depths "$tmp/d" "$tmp/g.edges"
check_says 'g.edges: root 10: the graph has vertices 0 to 9'
check_exit 2 'a root that is no number' "$check" -r 1,x --depths "$tmp/%d" "$tmp/g.edges"
check_exit 2 'several roots without %d' "$check" -r 0,1 --depths "$tmp/d" "$tmp/g.edges"
check_exit 2 'a root of 33 digits that is no vertex' "$check" -r 000000000000000000000000000000007x --depths "$tmp/d" "$tmp/g.edges"
check_says '000000000000000000000000000000007x'
check_exit 2 '%d without a root' "$check" --depths "$tmp/%d" "$tmp/g.edges"
check_exit 2 'two from standard input' "$check" --depths - "-"
check_exit 2 'standard input under mpiexec' mpi 2 --depths - "$tmp/g.edges"
check_exit 1 'no such results' "$check" --depths "$tmp/none" "$tmp/g.edges"
check_says "$tmp/none: cannot open"
# a text is copied to the folder of temporary files, a .npy file is not
check_exit 0 'a folder for temporary files' env TMPDIR="$tmp/none" "$check" -T "$tmp" --depths "$tmp/d" "$tmp/g.edges"
check_exit 1 'without -T it is that of the environment' env TMPDIR="$tmp/none" "$check" --depths "$tmp/d" "$tmp/g.edges"
check_says "$tmp/none: cannot create a temporary file"
check_exit 1 'a folder that is not there' "$check" -T "$tmp/nowhere" --depths "$tmp/d" "$tmp/g.edges"
check_says "$tmp/nowhere: cannot create a temporary file"
check_exit 0 'a missing folder for temporary files is not needed for .npy' "$check" -T "$tmp/nowhere" --depths "$tmp/d.npy" "$tmp/g.edges"
check_exit 1 'no such graph' "$check" --depths "$tmp/d" "$tmp/none"
check_exit 3 'results that are a folder' "$check" --depths "$tmp/g4" "$tmp/g.edges"
head -c -8 "$tmp/g.edges" >"$tmp/cut"
check_exit 3 'a stream without its trailer' "$check" --depths "$tmp/d" "$tmp/cut"
check_exit 3 'a stream without its trailer, on 2 ranks' mpi 2 --depths "$tmp/d" "$tmp/cut"
flip() { # FILE AT
    local byte=$(od -An -tu1 -j "$2" -N 1 "$1")
    printf "\\$(printf '%o' $((byte ^ 1)))" | dd of="$1" bs=1 seek="$2" conv=notrunc 2>/dev/null
}
cp "$tmp/g.edges" "$tmp/cut"
flip "$tmp/cut" $(($(stat -c %s "$tmp/cut") - 100))
check_exit 3 'a damaged stream' "$check" --depths "$tmp/d" "$tmp/cut"
cp -r "$tmp/g4" "$tmp/bad4"
flip "$tmp/bad4/part-0002-of-0004.dbfs" 4096
check_exit 3 'a damaged shard' mpi 2 --depths "$tmp/d" "$tmp/bad4"
check_says 'part-0002-of-0004.dbfs: .*corrupt'

# ---- several roots, a permuted graph, a symmetric stream ----

"$BIN/edgeconv" -q -u --randomize=5 -o "$tmp/r.edges" datasets/wordnet-3.0.txt
"$BIN/dbfs-pack" -q -p 2 -o "$tmp/r2" "$tmp/r.edges"
roots=0,10815,99
"$BIN/dbfs-traverse" -q -r $roots --depths "$tmp/r.%d.npy" --parents "$tmp/rp.%d" "$tmp/r2" >"$tmp/traverse.out"
for graph in r.edges r2; do
    check_exit 0 "three roots, permuted ids, $graph" "$check" -r $roots --depths "$tmp/r.%d.npy" \
        --parents "$tmp/rp.%d" "$tmp/$graph"
    check 'dbfs-check prints a line for each root' test "$(grep -c ' valid$' "$tmp/out")" = 3
done
cp "$tmp/r.0.npy" "$tmp/r.99.npy"
check_exit 4 'the file of another root' "$check" -r $roots --depths "$tmp/r.%d.npy" "$tmp/r2"
check_says 'r.99.npy: vertex 0: depth 0, and the root is 99'
check 'the two before it are valid' test "$(grep -c ' valid$' "$tmp/out")" = 2
gzip -dc tests/fixtures/edges-1/symmetric.edges.gz >"$tmp/sym.edges"
"$BIN/dbfs-pack" -q -p 1 -o "$tmp/sym1" "$tmp/sym.edges"
"$BIN/dbfs-traverse" -q -r 1 --depths "$tmp/sym.d" --parents "$tmp/sym.p" "$tmp/sym1" >"$tmp/traverse.out"
check_exit 0 'a symmetric stream' "$check" --depths "$tmp/sym.d" --parents "$tmp/sym.p" "$tmp/sym.edges"

# ---- random faults, whose smallest edge awk finds, too ----

"$BIN/rmatgen" -q -s 10 -f text -o "$tmp/s.txt"
"$BIN/rmatgen" -q -s 10 -o "$tmp/s.edges"
"$BIN/dbfs-pack" -q -p 4 -o "$tmp/s4" "$tmp/s.edges"
"$BIN/dbfs-traverse" -q -r 1 --depths "$tmp/s.d" "$tmp/s4" >"$tmp/traverse.out"
first_edge() { # prints the smallest edge over more than one level, by the depths in $1
    awk 'NR == FNR { d[$1] = $2; next }
         { u = $1 < $2 ? $1 : $2; v = $1 < $2 ? $2 : $1; gap = d[u] - d[v]
           if ((d[u] < 0) == (d[v] < 0) && gap * gap <= 1) next
           if (!found || u < a || (u == a && v < b)) { a = u; b = v; found = 1 } }
         END { if (found) printf "edge %d %d: depths %d and %d\n", a, b, d[a], d[b] }' "$1" "$tmp/s.txt"
}
agree=0 tried=0
for seed in 1 2 3 4; do
    awk -v seed=$seed 'BEGIN { srand(seed); for (i = 0; i < seed; i++) hit[int(rand() * 1024)] }
        { print $1, ($1 in hit && $2 > 0 ? $2 + 2 : $2) }' "$tmp/s.d" >"$tmp/f"
    want=$(first_edge "$tmp/f")
    [ -n "$want" ] || continue
    for graph in s.edges s4; do
        for ranks in 1 3; do
            tried=$((tried + 1))
            ranks $ranks --depths "$tmp/f" "$tmp/$graph" >/dev/null 2>"$tmp/err"
            [ "$(said "$tmp/err")" = "dbfs-check: $tmp/f: $want" ] && agree=$((agree + 1))
        done
    done
done
check "the smallest edge is found in each of $tried runs" test "$tried" -ge 12 -a "$agree" = "$tried"

# ---- memory ----

peak_kib() {
    awk '/peak memory/ { unit["KiB"] = 1; unit["MiB"] = 1024; unit["GiB"] = 1048576
                         printf "%d", $(NF - 1) * unit[$NF] }' "$tmp/err"
}
sanitized=$(grep -c __asan_init "$check")
within() { # MIB NAME
    if [ "$sanitized" != 0 ]; then
        skip "$2: AddressSanitizer takes memory of its own"
    else
        check "$2: $(peak_kib) KiB are within $1 MiB" test "$(peak_kib)" -le $(($1 * 1024))
    fi
}
# results within MIB SCALE
of_rmat() {
    "$BIN/rmatgen" -q -s "$2" -o "$tmp/m.edges"
    "$BIN/dbfs-pack" -q -p 2 -o "$tmp/m2" "$tmp/m.edges"
    "$BIN/dbfs-traverse" -q -r 0 --depths "$tmp/m.d" --parents "$tmp/m.p.npy" "$tmp/m2" >"$tmp/traverse.out"
    check_exit 0 "RMAT $2, -S $1M" "$check" -v -S "$1M" --depths "$tmp/m.d" --parents "$tmp/m.p.npy" "$tmp/m.edges"
    within "$1" "RMAT $2, -S $1M"
    check_exit 0 "RMAT $2, -S $((2 * $1))M, shards on 2 ranks" "$MPIEXEC" -n 2 "$check" -S "$((2 * $1))M" --depths "$tmp/m.d" \
        --parents "$tmp/m.p.npy" "$tmp/m2"
    rm -r "$tmp/m2" "$tmp/m.edges" "$tmp/m.d" "$tmp/m.p.npy"
}
of_rmat 32 18
if [ "${TEST_MODE:-short}" = long ]; then
    of_rmat 256 22
fi

# each allocation fails once
shim=$(realpath "$TESTS/fail_alloc.so")
if [ "$sanitized" != 0 ]; then
    skip 'failing allocations: the sanitizer has its own'
else
    for graph in g.edges g4; do
        options=(-@ 1 -r 0 --depths "$tmp/d.npy" --parents "$tmp/p" "$tmp/$graph")
        FAIL_ALLOC=0 FAIL_ALLOC_COUNT="$tmp/count" LD_PRELOAD="$shim" "$check" "${options[@]}" >"$tmp/out"
        failed=0 bad=
        for n in $(seq 1 "$(cat "$tmp/count")"); do
            FAIL_ALLOC=$n LD_PRELOAD="$shim" timeout 60 "$check" "${options[@]}" >"$tmp/out" 2>"$tmp/err" </dev/null
            code=$?
            [ $code = 5 ] && failed=$((failed + 1))
            [ $code = 5 ] || { [ $code = 0 ] && cmp -s "$tmp/out" "$tmp/valid"; } || bad="$bad $n:exit$code"
        done
        check "$graph: a failed allocation is exit 5 or does not matter ($bad )" test -z "$bad"
        check "$graph: many allocations fail with 5 ($failed)" test "$failed" -gt 8
    done
fi

# with more vertices than words in the budget there are windows, and a pass for each pair of them
awk 'BEGIN { srand(5); for (i = 0; i < 100000; i++) print int(rand() * 6000000), int(rand() * 200) * 29999
             print 5999999, 0; print 1, 5999999; print 2, 1 }' >"$tmp/w.txt"
"$BIN/edgeconv" -q -u -o "$tmp/w.edges" "$tmp/w.txt"
"$BIN/dbfs-pack" -q -p 1 -o "$tmp/w1" "$tmp/w.edges"
"$BIN/dbfs-traverse" -q -r 0 --depths "$tmp/w.npy" --parents "$tmp/wp.npy" "$tmp/w1" >"$tmp/traverse.out"
for ranks in 1 2; do
    check_exit 0 "windows on $ranks ranks" ranks $ranks -v -@ 1 -S 40M --depths "$tmp/w.npy" --parents "$tmp/wp.npy" "$tmp/w.edges"
    check_says 'in \([2-9]\|[1-9][0-9]\) windows of vertices'
    within 40 'windows'
done
# all ranks have windows as small as the rank of least memory wants
windows=(-v -@ 1 --depths "$tmp/w.npy" --parents "$tmp/wp.npy" "$tmp/w.edges")
for budgets in '40M 48M' '48M 40M'; do
    check_exit 0 "ranks with budgets of $budgets" timeout 60 \
        "$MPIEXEC" -n 1 "$check" -S "${budgets% *}" "${windows[@]}" : -n 1 "$check" -S "${budgets#* }" "${windows[@]}"
    check_says 'in \([2-9]\|[1-9][0-9]\) windows of vertices'
done
printf '\011' | dd of="$tmp/w.npy" bs=1 seek=$((128 + 4 * 5999999)) conv=notrunc 2>/dev/null
check_exit 4 'a fault between the first window and the last' "$check" -@ 1 -S 40M --depths "$tmp/w.npy" "$tmp/w.edges"
check_says 'w.npy: edge 0 5999999: depths 0 and 9'
check_exit 5 'levels of parents do not fit' "$check" -@ 1 -S 40M --parents "$tmp/wp.npy" "$tmp/w.edges"
check_says 'with --depths they need not be found'
finish
