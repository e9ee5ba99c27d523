#!/bin/bash
# dbfs-diameter.sh: diameter, radius and eccentricities by few searches, beside those by a search from every vertex; bounds of a
# search that is stopped hold; searches go on; ranks. BACKEND=cuda searches on a GPU: fewer graphs then, as each run takes long.
set -u
in_memory_mib=256
. tests/lib.sh
diameter=$tmp/dbfs-diameter
printf '#!/bin/sh\nexec "%s" --backend %s "$@"\n' "$(realpath "$BIN/dbfs-diameter")" "${BACKEND:-cpu}" >"$diameter"
chmod 755 "$diameter"
export OMP_WAIT_POLICY=passive

# ---- options ----
check_exit 2 'no graph' "$diameter"
check_exit 2 'two vertices for one component' "$diameter" -r 1,2 x
check_exit 2 'every component, and one' "$diameter" --every -r 1 x
check_exit 2 'a radius of every component' "$diameter" --every --radius x
check_exit 2 'a root in the name of the one file' "$diameter" --all x.%d x
check_exit 2 'no searches' "$diameter" --searches 0 x
check_exit 1 'a graph that is not there' "$diameter" "$tmp/nothing"

# ---- graphs: trees, cycles, grids, hubs, cliques, components, single edges, random ones of few and of many edges ----
graphs='tree cycle grid hubs clique few star edge path sparse dense multi world'
awk 'BEGIN { srand(3); for (i = 1; i < 300; i++) print int(rand() * i), i }' >"$tmp/tree.txt"
awk 'BEGIN { for (i = 0; i < 101; i++) print i, (i + 1) % 101 }' >"$tmp/cycle.txt"
"$TESTS/mkgraph" grid 9 14 >"$tmp/grid.txt"
awk 'BEGIN { for (i = 0; i < 60; i++) print i, i + 1; for (i = 0; i < 99; i++) print i % 3 * 20, 100 + i }' >"$tmp/hubs.txt"
awk 'BEGIN { for (i = 0; i < 20; i++) for (j = 0; j < i; j++) print i, j }' >"$tmp/clique.txt"
awk 'BEGIN { srand(5); for (i = 0; i < 90; i++) print int(rand() * 100), int(rand() * 100); print 130, 130 }' >"$tmp/few.txt"
awk 'BEGIN { for (i = 1; i < 40; i++) print 0, i }' >"$tmp/star.txt"
echo 3 5 >"$tmp/edge.txt"
"$TESTS/mkgraph" path 70 >"$tmp/path.txt"
awk 'BEGIN { srand(7); for (i = 0; i < 300; i++) print int(rand() * 200), int(rand() * 200) }' >"$tmp/sparse.txt"
awk 'BEGIN { srand(9); for (i = 0; i < 900; i++) print int(rand() * 150), int(rand() * 150) }' >"$tmp/dense.txt"
"$TESTS/mkgraph" multi 120 200 3 >"$tmp/multi.txt"
# few levels, so that eccentricities go by rounds
awk 'BEGIN { srand(11); for (i = 1; i < 300; i++) print int(i * rand() ^ 2), i; for (i = 0; i < 900; i++) print int(rand() * 300), int(rand() * 300) }' \
    >"$tmp/world.txt"
[ "${BACKEND:-cpu}" = cpu ] || graphs='tree grid few'

# said NAME: the number, or the bounds, that the last run printed for NAME
said() { sed -n "s/^$1: //p" "$tmp/out"; }
# meets LOWER..UPPER TRUTH: the bounds contain the truth
holds() { test "${1%%..*}" -le "$2" && test "$2" -le "${1##*..}"; }

for graph in $graphs; do
    for setup in '1 inf' '3 2'; do
        shards=$tmp/$graph-${setup% *}
        "$BIN/edgeconv" -q -u "$tmp/$graph.txt" | "$BIN/dbfs-pack" -q -p "${setup% *}" -t "${setup#* }" -o "$shards" -
    done
    # by the oracle: a line "id component eccentricity" of each vertex; a component is the smallest id in it
    last=$(awk '!/^#/ { for (i = 1; i <= 2; i++) if ($i > n) n = $i } END { print n }' "$tmp/$graph.txt")
    mkdir "$tmp/$graph.far"
    "$TESTS/oracle" -o "$tmp/$graph.far/%d" "$tmp/$graph.txt" "$(seq -s, 0 "$last")"
    awk 'FNR == 1 { sub(/.*\//, "", FILENAME); id = FILENAME; first[id] = -1 }
        $2 >= 0 && first[id] < 0 { first[id] = $1 } $2 > e[id] { e[id] = $2 }
        END { for (id in first) print id, first[id], e[id] + 0 }' "$tmp/$graph.far"/* | sort -n >"$tmp/$graph.truth"
    read -r largest size <<<"$(awk '{ n[$2]++ } END { for (c in n) print c, n[c] }' "$tmp/$graph.truth" | sort -k2,2nr -k1,1n | head -n 1)"
    most=$(awk -v c="$largest" '$2 == c && $3 > e { e = $3 } END { print e + 0 }' "$tmp/$graph.truth")
    least=$(awk -v c="$largest" '$2 == c && (e == "" || $3 < e) { e = $3 } END { print e }' "$tmp/$graph.truth")
    for p in 1 3; do
        what="$graph, $p shards"
        check_exit 0 "$what: diameter" "$diameter" -q -@ $p "$tmp/$graph-$p"
        check "$situation: is the largest eccentricity" test "$(said diameter)" = "$most"
        check "$situation: the bounds have met" test "$(said bounds)" = met
        check "$situation: the component is the largest" test "$(said component)" = "$size"
        check "$situation: the two vertices are so far apart" \
            test "$(awk -v to="$(said diameter_to)" '$1 == to { print $2 }' "$tmp/$graph.far/$(said diameter_from)")" = "$most"
        check "$situation: the bounds of the radius hold" holds "$(said radius)" "$least"
        check_exit 0 "$what: radius" "$diameter" -q -@ 2 --radius "$tmp/$graph-$p"
        check "$situation: is the smallest eccentricity" test "$(said radius)" = "$least"
        check "$situation: the center has it" \
            test "$(awk -v id="$(said center)" '$1 == id { print $3 }' "$tmp/$graph.truth")" = "$least"
        check "$situation: the bounds of the diameter hold" holds "$(said diameter)" "$most"
        check_exit 0 "$what: all" "$diameter" -q --all "$tmp/$graph.$p.all" "$tmp/$graph-$p"
        check "$situation: eccentricities are the oracle's, and -1 elsewhere" diff "$tmp/$graph.$p.all" \
            <(awk -v c="$largest" -v d="$(head -n 1 "$tmp/$graph.$p.all" | tr -d '0-9-')" '{ print $1 d ($2 == c ? $3 : -1) }' "$tmp/$graph.truth")
        check "$situation: tells the diameter" test "$(said diameter)" = "$most"
        check "$situation: tells the radius" test "$(said radius)" = "$least"
    done
done

if [ "${BACKEND:-cpu}" = cpu ]; then
    check_exit 0 'all, with notes' "$diameter" -v --all "$tmp/notes" "$tmp/world-3"
    check_says 'searches together from far vertices' 'searches from far vertices are made together, so the oracle has judged those, too'
    check_says 'searches together from open vertices' 'searches from open vertices are made together, so the oracle has judged those, too'
    check_exit 0 'all of the component of a vertex with few edges' "$diameter" -q -r 299 --all "$tmp/given" "$tmp/world-3"
    check "$situation: are those of the largest component" cmp "$tmp/given" "$tmp/notes"
fi

# ---- components ----
most=$(awk '$3 > e { e = $3 } END { print e }' "$tmp/few.truth")
for p in 1 3; do
    check_exit 0 "every component, $p shards" "$diameter" -q --every "$tmp/few-$p"
    check "$situation: the diameter is the largest of all components" test "$(said diameter)" = "$most"
    check_exit 0 "all of every component, $p shards" "$diameter" -q --every --all "$tmp/every.$p.csv" "$tmp/few-$p"
    check "$situation: eccentricities are the oracle's" diff <(awk '{ print $1 "," $3 }' "$tmp/few.truth") <(sed 1d "$tmp/every.$p.csv")
    check "$situation: CSV has the names of the columns" grep -qx id,eccentricity "$tmp/every.$p.csv"
    check "$situation: single vertices are no components that are searched" \
        test "$(said components)" = "$(awk '$3 > 0 { n[$2] } END { print length(n) }' "$tmp/few.truth")"
done
awk '{ n[$2]++; if ($3 > far[$2]) far[$2] = $3 } END { for (c in n) print c, n[c], far[c] + 0 }' "$tmp/few.truth" | sort -n | head -n 12 |
    while read -r root vertices far; do
        check_exit 0 "the component of $root" "$diameter" -q -r "$root" "$tmp/few-3"
        check "$situation: has its diameter and its size" test "$(said diameter) $(said component)" = "$far $vertices"
    done
check_exit 3 'no vertices' bash -c 'printf "" | "$1/edgeconv" -q -u | "$1/dbfs-pack" -q -p 1 -o "$2" - && "$3" "$2"' - "$BIN" "$tmp/empty" "$diameter"
printf '2 2\n' | "$BIN/edgeconv" -q -u | "$BIN/dbfs-pack" -q -p 1 -o "$tmp/loop" -
check_exit 0 'a graph without edges to follow' "$diameter" -q "$tmp/loop"
check "$situation: has the diameter of a single vertex" test "$(said diameter) $(said radius) $(said component)" = '0 0 1'
check_exit 0 'all of a graph without edges to follow' "$diameter" -q --every --all "$tmp/loop.csv" "$tmp/loop"
check "$situation: each vertex is a component" diff <(printf '%s\n' id,eccentricity 0,0 1,0 2,0) "$tmp/loop.csv"
check_exit 0 'the component of a vertex without edges' "$diameter" -q -r 1 --all "$tmp/one.csv" "$tmp/loop"
check "$situation: is that vertex" diff <(printf '%s\n' id,eccentricity 0,-1 1,0 2,-1) "$tmp/one.csv"

# ---- reports: lines of searches, the path, names, JSON ----
"$diameter" "$tmp/tree-1" >"$tmp/out"
check 'there is a line for each search' test "$(grep -c '^search ' "$tmp/out")" = "$(said searches)"
check 'bounds of the lines never widen' awk '
    /^search / { split($6, d, /\.\./); l = d[1]; u = d[2] == "" ? l : d[2]; if (l < low || (any++ && u > high)) exit 1; low = l; high = u }' "$tmp/out"
path=$(said diameter_path)
check 'the command that is named prints a path of the diameter' test \
    "$(PATH=$(realpath "$BIN"):$PATH sh -c "$path" | head -n 1 | cut -f 3)" = "$(said diameter)"
printf '%s\n' "it's \$(touch pwned)" 'a b' '-n' >"$tmp/odd.map"
printf '0 1\n1 2\n' | "$BIN/edgeconv" -q -u | "$BIN/dbfs-pack" -q -p 1 -o "$tmp/odd names" -
check_exit 0 'names that a shell would obey' "$diameter" --map "$tmp/odd.map" "$tmp/odd names"
path=$(said diameter_path)
check "$situation: are words of the command" test "$(PATH=$(realpath "$BIN"):$PATH && cd "$tmp" && bash -c "$path" | cut -f 1-3)" = \
    "$(printf "it's \$(touch pwned)\t-n\t2")"
check "$situation: and nothing else is run" test ! -e "$tmp/pwned"
check_exit 0 'JSON' "$diameter" -q --radius --diameter --json "$tmp/run.json" "$tmp/grid-3"
check "$situation: has both bounds" python3 -c '
import json, sys
run = json.load(open(sys.argv[1]))
d, r = run["diameter"], run["radius"]
assert run["bounds_met"] and d["lower"] == d["upper"] == 21 and r["lower"] == r["upper"] == 11 and run["searches"] > 0' "$tmp/run.json"
sed 's/\([0-9][0-9]*\)/v\1/g' "$tmp/hubs.txt" >"$tmp/names.txt"
"$BIN/edgeconv" -q -u --compact="$tmp/names.map" -o "$tmp/names.edges" "$tmp/names.txt"
"$BIN/dbfs-pack" -q -p 2 -o "$tmp/names" "$tmp/names.edges"
check_exit 0 'names' "$diameter" -q --map "$tmp/names.map" -r v3 --all "$tmp/names.tsv" "$tmp/names"
check "$situation: the two vertices have names" grep -qE '^diameter_from: v[0-9]+$' "$tmp/out"
check "$situation: eccentricities stand beside names" diff <(sort "$tmp/names.tsv") <(awk '$3 > 0 { print "v" $1 "\t" $3 }' "$tmp/hubs.truth" | sort)

# ---- searches that are stopped: bounds hold, and another run goes on to the same results ----
for graph in tree grid; do
    most=$(awk '$3 > e { e = $3 } END { print e }' "$tmp/$graph.truth")
    least=$(awk 'NR == 1 || $3 < e { e = $3 } END { print e }' "$tmp/$graph.truth")
    rm -f "$tmp/$graph.state" "$tmp/$graph.again"
    for stop in 1 2 3; do
        "$diameter" -q --searches $stop --resume "$tmp/$graph.state" --all "$tmp/$graph.again" "$tmp/$graph-3" >"$tmp/out" 2>"$tmp/err"
        check "$graph, stopped after $stop: the bounds hold" holds "$(said diameter)" "$most"
        check "$graph, stopped after $stop: those of the radius hold" holds "$(said radius)" "$least"
        check "$graph, stopped after $stop: no table, but a state" test ! -e "$tmp/$graph.again" -a -e "$tmp/$graph.state"
    done
    cp "$tmp/$graph.state" "$tmp/damaged.state"
    check_exit 0 "$graph: goes on" "$diameter" -q --resume "$tmp/$graph.state" --all "$tmp/$graph.again" "$tmp/$graph-3"
    check "$situation: finds the same" cmp "$tmp/$graph.again" "$tmp/$graph.3.all"
    check "$situation: removes the state" test ! -e "$tmp/$graph.state"
done
components=$(awk '$3 > 0 { n[$2] } END { print length(n) }' "$tmp/few.truth")
for stop in 1 4 7; do
    check_exit 0 "every component, stopped after $stop" "$diameter" -q --every --searches $stop --resume "$tmp/every.state" "$tmp/few-3"
    check "$situation: tells that bounds are open" test "$(said bounds)" != met
done
check_exit 0 'every component: goes on' "$diameter" -q --every --resume "$tmp/every.state" "$tmp/few-3"
check "$situation: finds the diameter, and counts the components" \
    test "$(said diameter) $(said components)" = "$(awk '$3 > e { e = $3 } END { print e }' "$tmp/few.truth") $components"
# a state whose checksums are right, and a number of which is not: landmarks, the side of the next root, its place, a lower and an upper bound
lie() { # OUT OFFSET_IN_KNOWN VALUE | OUT ARRAY VALUE array: of the first shard of three
    python3 - "$tmp/damaged.state" "$@" <<'END'
import struct, sys, zlib
state, out, at, value = bytearray(open(sys.argv[1], 'rb').read()), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
known = int(state[:160].rstrip(b'\0').split()[-1])
head, arrays = 168 + known, 12
if len(sys.argv) == 5:
    assert zlib.crc32(state[160:160 + known]) == struct.unpack_from('<Q', state, 160 + known)[0]
    struct.pack_into('<i', state, 160 + at, value)
    struct.pack_into('<Q', state, 160 + known, zlib.crc32(state[160:160 + known]))
else:
    begin, crc = head + 8 * arrays, struct.unpack_from('<12Q', state, head)
    vertices = next(v for v in range(1, len(state)) if zlib.crc32(state[begin:begin + 4 * v]) == crc[0]) # of the first shard
    first = begin + 4 * vertices * at
    assert zlib.crc32(state[first:first + 4 * vertices]) == crc[at]
    struct.pack_into('<i', state, first, value)
    struct.pack_into('<Q', state, head + 8 * at, zlib.crc32(state[first:first + 4 * vertices]))
open(out, 'wb').write(state)
END
}
while read -r name at value array says; do
    lie "$tmp/lying.state" $at $value ${array#-}
    check_exit 3 "a state with another $name" "$diameter" -q --resume "$tmp/lying.state" --all "$tmp/x" "$tmp/grid-3"
    check_says "lying.state: $says" "$situation: the message names the file"
done <<'END'
number-of-landmarks 84 17 - names vertices
side 104 2 - names vertices
landmark 224 99999 - names vertices
lower-bound 0 -3 array has bounds
upper-bound 1 -1 array has bounds
upper-bound 1 2000000000 array has bounds
END
printf x | dd of="$tmp/damaged.state" bs=1 seek=700 conv=notrunc 2>"$tmp/err"
check_exit 3 'a damaged state' "$diameter" -q --resume "$tmp/damaged.state" --all "$tmp/x" "$tmp/grid-3"
check_exit 3 'the state of another graph' "$diameter" -q --resume "$tmp/damaged.state" --all "$tmp/x" "$tmp/tree-3"
check_exit 2 'a state that is a folder' "$diameter" -q --resume "$tmp" "$tmp/grid-3"
check_exit 2 'the state and the table are one file' "$diameter" -q --resume "$tmp/x" --all "$tmp/x" "$tmp/grid-3"

# a signal: the bounds are printed, and the state is kept. The pipe holds fewer lines than there are searches, so the program is still
# running when the signal comes.
"$BIN/rmatgen" -q --geometric -n 2000 -k 8 | "$BIN/dbfs-pack" -q -p 2 -o "$tmp/points" -
mkfifo "$tmp/lines"
"$diameter" -@ 1 --resume "$tmp/points.state" --all "$tmp/points.all" "$tmp/points" >"$tmp/lines" 2>"$tmp/err" &
pid=$!
python3 - "$tmp/lines" $pid >"$tmp/out" <<'END'
import fcntl, os, signal, sys
pipe = os.open(sys.argv[1], os.O_RDONLY)
fcntl.fcntl(pipe, 1031, 4096)  # F_SETPIPE_SZ
os.read(pipe, 1)
os.kill(int(sys.argv[2]), signal.SIGTERM)
with open(pipe) as lines:
    print(lines.read(), end="")
END
wait $pid
check 'SIGTERM ends a search with 143' test $? = 143
check "$situation: prints the bounds" grep -qE '^diameter: [0-9]+' "$tmp/out"
check_exit 0 'another run goes on after a signal' "$diameter" -q --resume "$tmp/points.state" --all "$tmp/points.all" "$tmp/points"

# ---- directed graphs: random ones, without cycles, cycles, several strong components, vertices without arcs, self-loops ----
# makes COUNT graphs N.txt, and N.truth: a line of the diameter, the radius and the size of the core, and for each vertex a line of its id,
# its eccentricity, 1 if it reaches the core, and the distances of all vertices that it reaches
cat >"$tmp/digraphs.py" <<'END'
import collections, random, sys
def graph(number, r):
    n = r.randint(2, 50)
    some = lambda count, least=0: [(least + r.randrange(n), least + r.randrange(n)) for _ in range(count)]
    between = lambda count, one, other: [(one + r.randrange(n), other + r.randrange(n)) for _ in range(count)]
    ring = lambda size, first=0: [(first + i, first + (i + 1) % size) for i in range(size)]
    kinds = [lambda: some(r.randint(1, 3 * n)), lambda: [tuple(sorted(arc)) for arc in some(2 * n)], lambda: ring(n) + some(n // 20),
             lambda: ring(n) + some(n), lambda: ring(n // 2 + 1) + some(2 * n, 60) + some(r.randint(0, 2)) + between(1, 0, 60),
             lambda: [(i, i) for i in range(n)] + some(n // 2),
             lambda: [(i, j) for i in range(n) for j in range(i + 1, min(n, i + 6)) if r.random() < .4],
             lambda: [(i, int(r.random() * i)) if r.random() < .3 else (int(r.random() * i), i) for i in range(1, n)],
             lambda: sum((ring(r.randint(1, 6), 10 * c) + [(10 * c + r.randrange(3), 10 * c + 10 + r.randrange(3))] for c in range(6)), []),
             lambda: ring(n // 3 + 1) + between(n, 60, 0) + between(n, 0, 120) + some(n // 2, 60) + some(n // 2, 120) + between(1, 60, 120)]
    return kinds[number % len(kinds)]() or [(0, 1)]
for number in range(int(sys.argv[2])):
    arcs = graph(number, random.Random(number))
    n = max(map(max, arcs)) + 1
    out, degree = [set() for _ in range(n)], collections.Counter(v for arc in arcs if arc[0] != arc[1] for v in arc)
    for u, v in arcs:
        if u != v:
            out[u].add(v)
    far = []
    for root in range(n):
        distance, queue = {root: 0}, [root]
        for v in queue:
            for w in out[v]:
                if w not in distance:
                    distance[w] = distance[v] + 1
                    queue.append(w)
        far.append(distance)
    size = [sum(v in far[w] for w in far[v]) for v in range(n)]
    core = min((v for v in range(n) if degree[v] or not degree), key=lambda v: (-size[v], -degree[v], v))
    reaches = [core in distance for distance in far]
    ecc = [max(distance.values()) for distance in far]
    with open(f"{sys.argv[1]}/{number}.txt", "w") as file:
        file.writelines(f"{u} {v}\n" for u, v in arcs)
    with open(f"{sys.argv[1]}/{number}.truth", "w") as file:
        print(max(ecc), min(e for e, is_radial in zip(ecc, reaches) if is_radial), size[core], file=file)
        for v in range(n):
            print(v, ecc[v], int(reaches[v]), *(f"{w}:{d}" for w, d in far[v].items()), "", file=file)
END
mkdir "$tmp/digraphs"
digraphs=10
[ "${BACKEND:-cpu}" = cpu ] || digraphs=5
[ "${TEST_MODE:-short}" = short ] || digraphs=200
python3 "$tmp/digraphs.py" "$tmp/digraphs" $digraphs
for ((i = 0; i < digraphs; i++)); do
    truth=$tmp/digraphs/$i.truth
    read -r most least size <"$truth"
    ((i * 7 / 10 % 2)) && setup='1 inf' || setup='3 2'
    "$BIN/edgeconv" -q --direction directed "$tmp/digraphs/$i.txt" | "$BIN/dbfs-pack" -q -p "${setup% *}" -t "${setup#* }" -o "$tmp/digraphs/$i" -
    what="directed graph $i, ${setup% *} shards"
    check_exit 0 "$what: diameter" "$diameter" -q -@ 1 "$tmp/digraphs/$i"
    check "$situation: is the largest distance, and the component the largest strong one" \
        test "$(said bounds) $(said diameter) $(said component)" = "met $most $size"
    check "$situation: the two vertices are so far apart" grep -q "^$(said diameter_from) .* $(said diameter_to):$most " "$truth"
    check "$situation: the bounds of the radius hold" holds "$(said radius)" "$least"
    check_exit 0 "$what: radius" "$diameter" -q -@ 1 --radius "$tmp/digraphs/$i"
    check "$situation: is the smallest eccentricity of vertices that reach the component" test "$(said bounds) $(said radius)" = "met $least"
    check "$situation: the center is one of them" grep -q "^$(said center) $least 1 " "$truth"
    check "$situation: the bounds of the diameter hold" holds "$(said diameter)" "$most"
    check_exit 0 "$what: all" "$diameter" -q -@ 1 --all "$tmp/arcs.csv" --force "$tmp/digraphs/$i"
    check "$situation: eccentricities are those along the arcs, and 0 of vertices without" \
        diff <(awk 'NR > 1 { print $1 "," $2 }' "$truth") <(sed 1d "$tmp/arcs.csv")
    check "$situation: tells diameter and radius" test "$(said bounds) $(said diameter) $(said radius)" = "met $most $least"
    rm -f "$tmp/arcs.state"
    for stop in 1 2 3; do
        check_exit 0 "$what: stopped after $stop" "$diameter" -q -@ 1 --diameter --radius --searches $stop --resume "$tmp/arcs.state" "$tmp/digraphs/$i"
        check "$situation: the bounds hold" holds "$(said diameter)" "$most"
        check "$situation: those of the radius hold" holds "$(said radius)" "$least"
        [ -e "$tmp/arcs.state" ] || break
    done
    check_exit 0 "$what: goes on" "$diameter" -q -@ 1 --diameter --radius --resume "$tmp/arcs.state" "$tmp/digraphs/$i"
    check "$situation: finds the same" test "$(said bounds) $(said diameter) $(said radius)" = "met $most $least"
done
check_exit 2 'a vertex for a component of a directed graph' "$diameter" -r 0 "$tmp/digraphs/0"
if [ "${BACKEND:-cpu}" = cpu ]; then
    "$BIN/rmatgen" -q --poisson -n 600 -k 8 -f text | "$BIN/edgeconv" -q --direction directed | "$BIN/dbfs-pack" -q -p 3 -o "$tmp/arcs" -
    check_exit 0 'all of a directed graph with few levels' "$diameter" -v -@ 2 --all "$tmp/arcs.txt" "$tmp/arcs"
    check_says 'searches together from far vertices' "$situation: far vertices are searched from together"
    check_says 'searches together from open vertices' "$situation: open vertices are searched from together"
    "$BIN/dbfs-batch" -q -n all --no-checksum --centrality "$tmp/arcs.table" "$tmp/arcs" >"$tmp/out"
    check "$situation: eccentricities are those of a search from every vertex" \
        diff <(cut -f 1,3 "$tmp/arcs.table" | sort) <(awk -F '\t' 'NR == FNR { there[$1]; next } $1 in there' "$tmp/arcs.table" "$tmp/arcs.txt" | sort)
fi
"$BIN/dbfs-pack" -q -p 2 -o "$tmp/two-arcs" - < <("$BIN/edgeconv" -q --direction directed "$tmp/digraphs/3.txt")
check_exit 2 'two ranks for a directed graph' "$MPIEXEC" -n 2 "$diameter" -@ 1 "$tmp/two-arcs"
check_exit 0 'every component of a directed graph' "$diameter" --every "$tmp/two-arcs"
check "$situation: is the graph as a whole" grep -q '^radius: ' "$tmp/out"
check_says 'every: has no effect'
check 'the path of a directed diameter follows the arcs' test \
    "$(PATH=$(realpath "$BIN"):$PATH sh -c "$(said diameter_path)" | head -n 1 | cut -f 3)" = "$(said diameter)"
"$BIN/edgeconv" -q --direction directed "$tmp/digraphs/0.txt" | "$BIN/dbfs-pack" -q -p 1 --rows out -o "$tmp/outgoing" -
check_exit 2 'a directed graph with out-rows alone' "$diameter" "$tmp/outgoing"
printf '2 2\n' | "$BIN/edgeconv" -q --direction directed | "$BIN/dbfs-pack" -q -p 1 -o "$tmp/arc-loop" -
check_exit 0 'a directed graph without edges to follow' "$diameter" -q "$tmp/arc-loop"
check "$situation: has the diameter of a single vertex" test "$(said diameter) $(said radius) $(said component)" = '0 0 1'

# ---- dbfs ----
check_exit 0 'dbfs --diameter' env PATH="$(realpath "$BIN"):$PATH" dbfs --no-cache -q --diameter --all "$tmp/dbfs.npy" "$tmp/grid.txt"
check "$situation: writes an array of all eccentricities" grep -aq "'<i4', 'fortran_order': False, 'shape': (126,)" "$tmp/dbfs.npy"
check_exit 0 'dbfs --diameter --radius of names' env PATH="$(realpath "$BIN"):$PATH" dbfs --no-cache --compact -r v3 --diameter --radius "$tmp/names.txt"
check "$situation: prints the diameter" test "$(said diameter)" = "$(awk '$3 > e { e = $3 } END { print e }' "$tmp/hubs.truth")"
check "$situation: prints no line of a search" sh -c '! grep -q "^search " "$1"' - "$tmp/out"

# ---- ranks, which search from one root after the other where one rank searches from many at once ----
"$BIN/rmatgen" -q -s 12 -e 4 | "$BIN/dbfs-pack" -q -p 2 -o "$tmp/rmat" -
check_exit 0 'all of one rank' "$diameter" --all "$tmp/rmat.all" "$tmp/rmat"
grep -v '^[a-z_]*time:' "$tmp/out" | sed 's/ time_s .*//' >"$tmp/one"
check_exit 0 'all of two ranks' "$MPIEXEC" -n 2 "$diameter" -@ 1 --all "$tmp/rmat.ranks" "$tmp/rmat"
check "$situation: eccentricities are those of one rank" cmp "$tmp/rmat.all" "$tmp/rmat.ranks"
check "$situation: roots, and all that is printed but times, are those of one rank" \
    diff "$tmp/one" <(grep -v '^[a-z_]*time:' "$tmp/out" | sed 's/ time_s .*//')
"$BIN/dbfs-batch" -q -n all --no-checksum --centrality "$tmp/rmat.table" "$tmp/rmat" >"$tmp/out"
check "$situation: and those of a search from every vertex" diff \
    <(awk '!/^#/ { size[$1] = $2; far[$1] = $3; if ($2 > most) most = $2 } END { for (v in size) if (size[v] == most) print v, far[v] }' "$tmp/rmat.table" | sort) \
    <(awk '$2 >= 0 { print $1, $2 }' "$tmp/rmat.ranks" | sort)
finish
