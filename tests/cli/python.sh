#!/bin/bash
# python.sh: scripts/dbfs.py packs arrays of numpy and searches them; results are those of scipy, if present, and
# agree with the edges.
set -u
. tests/lib.sh
export DBFS_BIN=$(realpath "$BIN") PYTHONPATH=$PWD/scripts:${PYTHONPATH:-} PYTHONDONTWRITEBYTECODE=1
wordnet=$PWD/datasets/wordnet-3.0.txt
export wordnet
if ! python3 -c 'import numpy' 2>/dev/null; then
    skip 'Python: no python3 with numpy'
    finish
fi
cd "$tmp" || exit 1
py() { # NAME PROGRAM: runs a program that raises an error for each mistake
    printf 'import dbfs, numpy, os, signal, threading\n%s\n' "$2" >test.py
    check "$1" timeout 120 python3 test.py
}
py 'an array to distances and parents' '
edges = numpy.loadtxt(os.environ["wordnet"], int, usecols=(0, 1))
dbfs.pack(edges, "w.dbfs", shards=2)
with dbfs.open("w.dbfs") as g:
    distances, parents = g.search(10815)
    assert (len(distances), distances[10815], parents[10815], distances.max()) == (117659, 0, 10815, 13)
    assert int(g.figures["reached"]) == (distances >= 0).sum() == 115426
    # an edge joins neighbouring levels; a parent is one level nearer and joined by an edge
    ends = distances[edges]
    assert (abs(ends[:, 0] - ends[:, 1]) <= 1).all()
    child = numpy.flatnonzero(distances > 0)
    assert (distances[parents[child]] == distances[child] - 1).all() and (parents[distances < 0] == -1).all()
    known = set(map(tuple, edges)) | set(map(tuple, edges[:, ::-1]))
    assert all(pair in known for pair in zip(child, parents[child]))
    way = g.path(10815, 5)
    assert len(way) == distances[5] + 1 and all(pair in known for pair in zip(way, way[1:]))
    assert g.path(10815, numpy.flatnonzero(distances < 0)[0]) is None and g.path(7, 7) == [7]
    assert sorted(os.listdir(g._folder)) == ["d.npy", "p.npy"] # links to files that end with this process
    assert all(os.path.islink(os.path.join(g._folder, name)) for name in os.listdir(g._folder))
    kept = [search.distances for search in g.search_many([10815, 0, 7, 10815])]
    assert (kept[0] == kept[3]).all() and kept[1][0] == kept[2][7] == 0
    # memory is used again when nobody has an array or a part of it, and not before
    part, files = g.search(7).distances[5:], g._files
    want = part.copy()
    for root in range(10):
        g.search(root)
    assert (part == want).all() and g._files <= files + 2, (g._files, files)
    many = list(g.search_many(range(300))) # more than a process may have files
    assert all(search.distances[root] == 0 for root, search in enumerate(many)) and g._files < 200
    assert not many[0].distances.flags.writeable and not many[-1].parents.flags.writeable
assert (kept[0] == distances).all() # arrays outlive the graph
'
py 'kinds of arrays' '
def depths(graph, **options):
    dbfs.pack(graph, "x.dbfs", force=True, **options)
    with dbfs.open("x.dbfs", options=["-@", "1"]) as g:
        return g.search(0).distances.tolist()
line = [[0, 1], [1, 2], [2, 3]]
for type in "uint8", ">i4", "int64":
    for order in "CF":
        assert depths(numpy.array(line, type, order=order)) == [0, 1, 2, 3]
assert depths(line, vertices=6) == [0, 1, 2, 3, -1, -1]
assert depths((numpy.array([0, 1, 2, 2]), numpy.array([1, 2]))) == [0, 1, 2]
assert depths(line + [b[::-1] for b in line], direction="symmetric") == [0, 1, 2, 3]
'
py 'errors are exceptions, in the words of the programs' '
def raises(code, text, call):
    try:
        call()
    except dbfs.Error as e:
        assert e.code == code and text in str(e), (e.code, str(e))
    else:
        assert False, text
edges = numpy.array([[0, 1]])
raises(3, "expected integers: save it as", lambda: dbfs.pack(edges * 0.5, "y.dbfs"))
raises(3, "expected (m, 2)", lambda: dbfs.pack(numpy.zeros((5, 3), int), "y.dbfs"))
raises(3, "found the id -1", lambda: dbfs.pack(-edges, "y.dbfs"))
raises(1, "--force replaces it", lambda: dbfs.pack(edges, "x.dbfs"))
raises(1, "none.dbfs: cannot open", lambda: dbfs.open("none.dbfs"))
raises(2, "unrecognized option", lambda: dbfs.open("x.dbfs", options=["--nonsense"]))
with dbfs.open("x.dbfs") as g:
    raises(2, "root 99: the graph has vertices 0 to 3", lambda: g.search(99))
    assert g.search(3).distances[3] == 0 # the server goes on
    raises(2, "is not a whole number", lambda: g.search(-1))
    for root in 1.5, "dog", None:
        try:
            g.search(root)
        except TypeError:
            continue
        assert False, root
    g._server.send_signal(signal.SIGSTOP) # the server dies while it searches
    threading.Timer(0.3, g._server.kill).start()
    raises(-9, "ended by signal 9", lambda: g.search(0))
    raises(-9, "ended by signal 9", lambda: g.search(0))
g = dbfs.open("x.dbfs")
g._server.send_signal(signal.SIGSTOP)
threading.Timer(0.3, signal.pthread_kill, [threading.main_thread().ident, signal.SIGINT]).start()
threading.Timer(0.6, g._server.send_signal, [signal.SIGCONT]).start()
try:
    g.search(3)
except KeyboardInterrupt:
    pass
try:
    g.search(0) # an answer would belong to root 3
except ValueError as e:
    assert "closed" in str(e)
else:
    assert False
os.environ["DBFS_BIN"] = "/nowhere"
raises(1, "is dbfs in PATH", lambda: dbfs.open("x.dbfs"))
'
check 'nothing is left in memory' test -z "$(find /dev/shm -maxdepth 1 -name 'dbfs-*' ! -name 'dbfs-test.*' -newer test.py -user "$(id -un)" 2>/dev/null)"
# dbfs.py calls mpiexec, which must be that of the programs' MPI library
launcher() { realpath "$(command -v "$1")" 2>/dev/null; }
if [ -n "$(launcher mpiexec)" ] && [ "$(launcher mpiexec)" = "$(launcher "${REAL_MPIEXEC:-$MPIEXEC}")" ]; then
    py 'several ranks' '
with dbfs.open("w.dbfs", ranks=2, options=["-@", "1"]) as g:
    assert (g.search(10815).distances >= 0).sum() == 115426
'
else
    skip 'several ranks of Python: mpiexec is none of this MPI'
fi
if python3 -c 'import scipy.sparse.csgraph' 2>/dev/null; then
    py 'the distances of scipy' '
import scipy.sparse, scipy.sparse.csgraph
for format in "csr", "csc", "coo":
    matrix = scipy.sparse.random(500, 500, 0.004, format, random_state=7)
    dbfs.pack(matrix, "s.dbfs", force=True)
    with dbfs.open("s.dbfs") as g:
        want = scipy.sparse.csgraph.shortest_path(matrix, directed=False, unweighted=True, indices=[3, 50])
        got = numpy.array([search.distances for search in g.search_many([3, 50])], float)
        got[got < 0] = numpy.inf
        assert (got == want).all()
'
else
    skip 'the distances of scipy: not installed'
fi
finish
