#!/bin/bash
# python.sh: scripts/python packs arrays of numpy and searches them; results are those of scipy, if present, and
# agree with the edges.
set -u
in_memory_mib=128 # packs a hundred of small graphs, and each is synced
. tests/lib.sh
export DBFS_BIN=$(realpath "$BIN") PYTHONPATH=$PWD/scripts/python:${PYTHONPATH:-} PYTHONDONTWRITEBYTECODE=1
wordnet=$PWD/datasets/wordnet-3.0.txt
export wordnet
if ! python3 -c 'import numpy' 2>/dev/null; then
    skip 'Python: no python3 with numpy'
    finish
fi
cd "$tmp" || exit 1
cat >common.py <<'END_OF_COMMON'
import dbfs, numpy, os, signal, threading
line = [[0, 1], [1, 2], [2, 3]]
def depths(graph, **options):
    dbfs.pack(graph, "x.dbfs", force=True, **options)
    with dbfs.open("x.dbfs", options=["-@", 1]) as g:
        return g.search(0).distances.tolist()
def raises(code, text, call): # a code, or a kind of exception
    kind = dbfs.Error if isinstance(code, int) else code # or several kinds
    try:
        call()
    except kind as e:
        assert (e.code == code if kind is dbfs.Error else True) and text in str(e), (e, getattr(e, "code", None))
    else:
        assert False, text
END_OF_COMMON
py() { # NAME PROGRAM: runs a program that raises an error for each mistake
    printf 'from common import *\n%s\n' "$2" >test.py
    check "$1" timeout 120 python3 test.py
}
py 'ids count from 0, also where the shards say that those of their file begin at 1' '
dbfs.pack([[0, 1], [1, 2], [2, 3]], "one.dbfs", options=["--base", "1"])
with dbfs.open("one.dbfs") as g:
    assert g.search(3).distances.tolist() == [3, 2, 1, 0] and g.path(0, 3) == [0, 1, 2, 3]
    assert g.distances([0, 3] * 8)[:2].tolist() == [[0, 1, 2, 3], [3, 2, 1, 0]] # 16 roots: by dbfs-batch
    assert g.distances([3] * 16, targets=[0]).tolist() == [[3]] * 16
    assert g.centralities().id.tolist() == [0, 1, 2, 3]
    assert g.centralities([3]).eccentricity.tolist() == [3]
    assert {g.diameter().start, g.diameter().end} == {0, 3} and g.diameter(options=["-r", 0]).center in (1, 2)
'
mkdir few && ln -s "$DBFS_BIN"/dbfs-{pack,traverse,components} few
py 'small graphs are packed without edgeconv, from the stream that it writes, byte for byte' '
import io, subprocess
from dbfs._stream import BLOCK_EDGES, small_stream
chosen = numpy.random.default_rng(3)
for kind in "int8", "uint32", "int64":
    for edges in chosen.integers(0, 100, (1, 2)), chosen.integers(0, 100, (3000, 2)), chosen.integers(0, 100, (BLOCK_EDGES, 2)):
        edges = edges.astype(kind)
        file = io.BytesIO()
        numpy.save(file, edges)
        for direction in "once", "directed":
            for n in None, 100, 300:
                words = ["--vertices", str(n)] * (n is not None)
                want = subprocess.run([os.environ["DBFS_BIN"] + "/edgeconv", "-q", "-f", "npy", "--direction", direction, *words, "-"],
                                      input=file.getvalue(), stdout=-1, check=True).stdout
                assert small_stream(edges, direction, n) == want, (kind, len(edges), direction, n)
for edges in [[-1, 0]], [[1 << 40, 0]], [[0.5, 1]], [[0, 1, 2]], [[0, 1]] * (BLOCK_EDGES + 1):
    assert small_stream(numpy.array(edges), "once", None) is None
assert small_stream(numpy.array(line), "once", 3) is None and small_stream(numpy.array(line), "symmetric", None) is None
os.environ["DBFS_BIN"] = os.path.abspath("few")
assert depths(line) == [0, 1, 2, 3] and dbfs.components([[0, 1], [2, 3]]).tolist() == [0, 0, 1, 1]
raises(1, "edgeconv", lambda: dbfs.pack(line, "x.dbfs", force=True, direction="symmetric"))
'
printf '0 1\n1 2\n' >kept.txt
printf 'a b\nb c\n' >words.txt
touch none.txt
PATH=$DBFS_BIN:$PATH
dbfs -q -r 0 -o d.txt kept.txt
dbfs -q -r a -o w.txt --compact words.txt
py 'a file, and FILE.dbfs, stand for the shards that dbfs has kept' '
for path in "kept.txt", "kept.txt.dbfs", dbfs.open("kept.txt")._opened[0]:
    with dbfs.open(path) as g:
        assert g.search(2).distances.tolist() == [2, 1, 0], path
for path in "words.txt", "words.txt.dbfs", os.path.dirname(dbfs.open("words.txt")._opened[0]):
    with dbfs.open(path) as g:
        assert g.search("c").distances.tolist() == [2, 1, 0] and g.names.tolist() == ["a", "b", "c"], path
raises(2, "none.txt: is no folder of shards, and no shards of it are kept: `dbfs %s/none.txt` makes" % os.getcwd(), lambda: dbfs.open("none.txt"))
raises(1, "nowhere", lambda: dbfs.open("nowhere"))
'
dbfs -q -p 2 -r 0 --force -o d.txt kept.txt
echo 'c d' >>words.txt
py 'a file of which no single set of shards is current is an error, and a folder a warning' '
import warnings
raises(2, "kept.txt: 2 graphs are kept of it, which `dbfs --cache-list ", lambda: dbfs.open("kept.txt"))
raises(2, "words.txt: its kept shards are not used: %s/words.txt has changed: `dbfs " % os.getcwd(), lambda: dbfs.open("words.txt"))
with warnings.catch_warnings(record=True) as found:
    with dbfs.open("words.txt.dbfs") as g:
        assert g.n == 3
assert "words.txt has changed" in str(found[0].message), found
'
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
    kept = [search.distances for search in g.search_many([10815, 0, 7, 10815])]
    assert (kept[0] == kept[3]).all() and kept[1][0] == kept[2][7] == 0
    # memory is used again when nobody has an array or a part of it, and not before
    def files(): # without a name, that this process has open
        links = [os.path.realpath("/proc/self/fd/" + fd) for fd in os.listdir("/proc/self/fd")]
        return len({link for link in links if link.endswith("(deleted)")})
    part = g.search(7).distances[5:]
    before = files()
    want = part.copy()
    for root in range(10):
        g.search(root)
    assert (part == want).all() and files() <= before + 2, (files(), before)
    many = list(g.search_many(range(300))) # more than a process may have files
    assert all(search.distances[root] == 0 for root, search in enumerate(many)) and files() < 300
    assert not many[0].distances.flags.writeable and not many[-1].parents.flags.writeable
assert (kept[0] == distances).all() # arrays outlive the graph
'
py 'kinds of arrays' '
for type in "int8", "uint8", ">i4", "int64", "uint64", object:
    for order in "CF" if type in ("uint8", ">i4") else "C":
        assert depths(numpy.array(line, type, order=order)) == [0, 1, 2, 3]
wide = numpy.repeat(numpy.array(line, ">u2"), 2, 1)
assert depths(wide[::-1, ::-2]) == depths(numpy.ma.array(line)) == depths(tuple(map(tuple, line))) == [0, 1, 2, 3]
assert depths([], vertices=numpy.int8(3)) == [0, -1, -1]
assert depths(line, direction="directed") == [0, 1, 2, 3]
assert depths(line, vertices=6) == [0, 1, 2, 3, -1, -1]
assert depths((numpy.array([0, 1, 2, 2]), numpy.array([1, 2]))) == [0, 1, 2]
assert depths(line + [b[::-1] for b in line], direction="symmetric") == [0, 1, 2, 3]
'
py 'rows are counted in a type that holds them, whatever that of the ids' '
for indptr, indices in ("int8", "uint64"), ("uint8", ">u2"), (">i2", "int8"), ("uint64", "int64"): # 100 rows in a line
    rows = numpy.arange(101).astype(indptr), numpy.minimum(numpy.arange(100) + 1, 99).astype(indices)
    assert depths(rows) == list(range(100)), (indptr, indices)
for indices, rows in ("int8", 300), ("uint16", 70000): # one entry, in the last row
    assert depths((numpy.append(numpy.zeros(rows, int), 1), numpy.zeros(1, indices)))[-1] == 1
'
py 'what is no graph is refused, and a call that makes one is named' '
pair = "(indptr, indices) of a square matrix in compressed rows, which this is not"
for indptr, indices in ([0, 1], [1]), ([0, 1], [-1]), ([0, 2, 1, 2], [0, 1]), ([1, 1], []), ([0, 2], [0]), ([0., 1.], [0]), ([], []), ([[0]], [0]):
    raises(ValueError, pair, lambda: depths((numpy.array(indptr), numpy.array(indices))))
raises(ValueError, "numpy.column_stack((rows, columns))", lambda: depths(((0, 1), (1, 2)))) # two edges, or rows and columns?
raises(ValueError, "masked", lambda: depths(numpy.ma.array(line, mask=[[0, 0], [0, 1], [0, 0]])))
raises(ValueError, "its transpose", lambda: depths(numpy.transpose(line)))
raises(ValueError, "scipy.sparse.coo_array(matrix)", lambda: depths(numpy.eye(4, dtype=int)))
raises(ValueError, "beyond the integers of 64 bits", lambda: depths(numpy.array([[0, 1 << 63]], object)))
for graph in numpy.eye(4, dtype=bool), numpy.array(line, "M8[s]"), numpy.array(line, complex), [["a", "b"]], [[0, None]], [[0, "1"]], numpy.array([[0, True]], object):
    raises(TypeError, "integers", lambda: depths(graph))
for graph in None, 5, "graph.txt", {0: [1]}, {(0, 1)}, zip([0], [1]):
    raises(TypeError, "give m x 2 integers", lambda: depths(graph))
raises(TypeError, "integer", lambda: depths(line, vertices=5.0))
raises(TypeError, "integer", lambda: depths(line, vertices=True))
raises(3, "found the id 9223372036854775808", lambda: depths(numpy.array([[0, 1 << 63]], "uint64")))
'
if python3 -c 'import networkx' 2>/dev/null; then
    py 'a graph of networkx, of any kind and with nodes of any kind' '
import networkx
class Roads(networkx.MultiGraph):
    pass
path = networkx.path_graph(4)
for graph in path, path.to_directed(), Roads(path), networkx.DiGraph(line), networkx.subgraph_view(path), networkx.MultiGraph([*path.edges, (1, 2)]):
    assert depths(graph) == [0, 1, 2, 3]
    with dbfs.open("x.dbfs") as g:
        assert g.names is None and g.directed == graph.is_directed()
assert depths(networkx.DiGraph([(0, 1), (2, 1)])) == [0, 1, -1]
assert depths(networkx.Graph([(0, 1), (2, 1)])) == [0, 1, 2]
assert depths(networkx.Graph([(1, 0), (0, 2)])) == [0, 1, 2] # in the order of its nodes: 1, 0, 2
with dbfs.open("x.dbfs") as g:
    assert g.names.tolist() == ["1", "0", "2"] and g.path("1", "2") == [0, 1, 2]
raises(ValueError, "two vertices have the same name", lambda: depths(networkx.Graph([(1, "1"), (0, 1)])))
raises(ValueError, "is no text that UTF-8 has", lambda: dbfs.pack(networkx.Graph([("x\ud800", "b")]), "surrogate.dbfs"))
assert not os.path.exists("surrogate.dbfs")
'
else
    skip 'a graph of networkx: not installed'
fi
if python3 -c 'import pandas' 2>/dev/null; then
    py 'a table of pandas has two columns, and another names them' '
import pandas
table = pandas.DataFrame(line, columns=["from", "to"])
assert depths(table) == depths(table.astype("Int64")) == depths(table.astype({"from": "uint8", "to": "int16"})) == [0, 1, 2, 3]
weighted = table.assign(weight=0.5)
try:
    depths(weighted)
except ValueError as e:
    assert depths(eval(str(e).split("such as ")[1], {"table": weighted})) == [0, 1, 2, 3]
else:
    assert False
raises(TypeError, "integers", lambda: depths(table.astype("Int64").where(table < 3)))
people = pandas.DataFrame([["ann", "b\u00f6b"], ["b\u00f6b", "eve, 2nd"], ["x", "y"]], columns=["from", "to"])
for names in people, people.astype("category"), people.astype(object):
    dbfs.pack(names, "n.dbfs", force=True)
    with dbfs.open("n.dbfs") as g:
        assert set(g.names) == {"ann", "b\u00f6b", "eve, 2nd", "x", "y"} and "with names" in repr(g)
        found = dict(zip(g.names, g.search("ann").distances.tolist()))
        assert found == {"ann": 0, "b\u00f6b": 1, "eve, 2nd": 2, "x": -1, "y": -1}, found
        assert g.names[g.path("ann", "eve, 2nd")].tolist() == ["ann", "b\u00f6b", "eve, 2nd"]
        assert g.search("ann", targets=["y", "b\u00f6b"]).distances.tolist() == [-1, 1]
        raises(2, "no vertex has the name", lambda: g.search("carl"))
        raises(TypeError, "list of vertices", lambda: g.distances("ann"))
import glob, subprocess
[names_file] = glob.glob("n.dbfs/names-*.map")
said = subprocess.run([os.environ["DBFS_BIN"] + "/dbfs-traverse", "-q", "--map", names_file, "-r", "eve, 2nd", "--depths", "-", "n.dbfs"],
                      capture_output=True, check=True).stdout.decode().splitlines()
assert "ann\t2" in said, said # the programs read the names
raises(3, "one for each vertex", lambda: dbfs.open("w.dbfs", names=names_file))
for wrong in [["a", None]], [["a", 1]], [["a", ""]], [["a", "b\nc"]]:
    raises((TypeError, ValueError), "", lambda: dbfs.pack(pandas.DataFrame(wrong, columns=["u", "v"]), "n.dbfs", force=True))
dbfs.pack(line, "n.dbfs", force=True)
with dbfs.open("n.dbfs") as g:
    assert g.names is None and not glob.glob("n.dbfs/names-*.map")
'
else
    skip 'tables of pandas: not installed'
fi
if python3 -c 'import pyarrow' 2>/dev/null; then
    py 'a table of pyarrow has two columns of ids or of names' '
import pyarrow
table = pyarrow.table({"u": [0, 1, 2], "v": [1, 2, 3], "w": [.1, .2, .3]})
raises(ValueError, "such as table.select([", lambda: depths(table))
assert depths(table.select(["u", "v"])) == [0, 1, 2, 3]
names = pyarrow.table({"u": ["a", "c"], "v": ["c", "b"]})
for table in names, pyarrow.concat_tables([names, names]), pyarrow.table([c.dictionary_encode() for c in names.columns], ["u", "v"]):
    dbfs.pack(table, "n.dbfs", force=True)
    with dbfs.open("n.dbfs") as g:
        assert dict(zip(g.names, g.search("a").distances.tolist())) == {"a": 0, "c": 1, "b": 2}
raises(ValueError, "lacks values", lambda: depths(pyarrow.table({"u": ["a", None], "v": ["c", "b"]})))
raises(TypeError, "names in both, or ids in both", lambda: depths(pyarrow.table({"u": ["a"], "v": [1]})))
'
else
    skip 'tables of pyarrow: not installed'
fi
py 'components by number, the largest is 0' '
ring = [[0, 3], [3, 4], [4, 0], [1, 2]]
assert dbfs.components(ring, vertices=6).tolist() == [0, 1, 1, 0, 0, 2]
assert dbfs.components(ring + [[4, 1]], direction="directed", strong=True).tolist() == [0, 1, 2, 0, 0]
assert dbfs.components(ring + [[4, 1]], direction="directed").tolist() == [0] * 5
assert not dbfs.components(ring).flags.writeable
raises(2, "unrecognized option", lambda: dbfs.components(ring, options=["--nonsense"]))
raises(TypeError, "give m x 2 integers", lambda: dbfs.components(5))
'
py 'diameter, radius and eccentricities' '
dbfs.pack([[0, 1], [1, 2], [2, 3], [3, 4], [5, 6]], "e.dbfs", vertices=8)
with dbfs.open("e.dbfs") as g:
    found = g.diameter()
    assert (found.diameter, {found.start, found.end}, found.radius, found.center, found.vertices) == (4, {0, 4}, 2, 2, 5)
    assert g.diameter(options=["-r", 6])._replace(start=0, end=0, center=0) == (1, 0, 0, 1, 0, 2)
    assert g.eccentricities().tolist() == [4, 3, 2, 3, 4, -1, -1, -1]
    assert g.eccentricities(options=["--every"]).tolist() == [4, 3, 2, 3, 4, 1, 1, 0]
dbfs.pack(line, "e.dbfs", direction="directed", force=True)
with dbfs.open("e.dbfs") as g:
    assert g.diameter()[:3] == (3, 0, 3), g.diameter()
    assert g.eccentricities().tolist() == [3, 2, 1, 0]
'
py 'what a graph is, and searches with options' '
dbfs.pack([[0, 1], [1, 2], [2, 3], [3, 0], [3, 4]], "d.dbfs", direction="directed", vertices=6, shards=2)
with dbfs.open("d.dbfs", options=["-@", "1"]) as g:
    assert (g.n, g.edges, g.directed, g.names) == (6, 5, True, None)
    assert all(word in repr(g) for word in ("d.dbfs", "6 vertices", "5 directed edges", "2 shards", "-@ 1")), repr(g)
    assert g.search(0).distances.tolist() == [0, 1, 2, 3, 4, -1]
    back = g.search(0, reverse=True)
    assert back.distances.tolist() == [0, 3, 2, 1, -1, -1] and back.parents.tolist() == [0, 2, 3, 0, -1, -1]
    assert g.search(0, max_depth=2).distances.tolist() == [0, 1, 2, -1, -1, -1]
    assert g.search(0, max_depth=1, reverse=True).distances.tolist() == [0, -1, -1, 1, -1, -1]
    assert g.search(0, direction="push").distances.tolist() == [0, 1, 2, 3, 4, -1]
    assert len(g._servers) == 2 # no more programs than two
    assert g.path(0, 4) == [0, 1, 2, 3, 4]
    found = g.search(0, targets=[4, 1, 5, 4])
    assert found.distances.tolist() == [4, 1, -1, 4] and found.parents.tolist() == [3, 0, -1, 3]
    near = g.search([0, 3], together=True)
    assert near.distances.tolist() == [0, 1, 2, 0, 1, -1] and near.parents.tolist() == [0, 0, 1, 3, 3, -1]
    assert near.nearest.tolist() == [0, 0, 0, 3, 3, -1] and len(near) == 3
    assert (g.search(list(range(6)) * 20000, together=True).distances == 0).all() # a line longer than a pipe has room for
    assert g.search((3, 3), together=True, targets=[0]).distances.tolist() == [1]
    few, many = g.distances([0, 4]), g.distances([0, 4] * 20)
    assert few.tolist() == [[0, 1, 2, 3, 4, -1], [-1, -1, -1, -1, 0, -1]] and many.tolist() == few.tolist() * 20
    assert few.dtype == many.dtype == numpy.int32 and not few.flags.writeable and not many.flags.writeable
    for count in 1, 30:
        assert g.distances([0] * count, reverse=True, max_depth=2, targets=[3, 1, 2]).tolist() == [[1, -1, 2]] * count
        assert g.distances([0] * count, targets=[]).shape == (count, 0)
    assert g.distances([]).shape == (0, 6)
    values = g.centralities([4, 0])
    assert values.id.tolist() == [4, 0] and values.reached.tolist() == [1, 5] and values.distance_sum.tolist() == [0, 10]
    assert g.centralities(reverse=True).eccentricity.tolist() == [3, 3, 3, 3, 4] # a line for each vertex with edges
    raises(2, "the graph has vertices 0 to 5", lambda: g.search(0, targets=[6]))
    raises(2, "the graph has vertices 0 to 5", lambda: g.distances([6] * 30))
    raises(ValueError, "needs a root", lambda: g.search([], together=True))
    raises(TypeError, "has only ids", lambda: g.search("a"))
    raises(TypeError, "", lambda: g.search(0, max_depth=1.5))
    raises(2, "direction", lambda: g.search(0, direction="sideways"))
assert "closed" in repr(g)
before = open # is still that of Python
from dbfs import *
assert open is before and pack is dbfs.pack and dbfs.__version__ and set(dbfs.__all__) <= set(dir(dbfs))
'
py 'errors are exceptions, in the words of the programs' '
assert depths(line) == [0, 1, 2, 3]
edges = numpy.array([[0, 1]])
raises(3, "expected integers: save it as", lambda: dbfs.pack(edges * 0.5, "y.dbfs"))
raises(3, "expected (m, 2)", lambda: dbfs.pack(numpy.zeros((5, 3), int), "y.dbfs"))
raises(3, "found the id -1", lambda: dbfs.pack(-edges, "y.dbfs"))
raises(1, "--force replaces it", lambda: dbfs.pack(edges, "x.dbfs"))
raises(2, "unrecognized option", lambda: dbfs.pack(edges, "y.dbfs", options=["--nonsense"]))
raises(2, "neither a whole number", lambda: dbfs.pack(numpy.zeros((300000, 2), int), "y.dbfs", options=["-t", "x"]))
for call in lambda: dbfs.pack(edges, "y.dbfs", options="-t 4"), lambda: dbfs.open("x.dbfs", options="-t 4"):
    raises(TypeError, "[\"-t\", \"4\"]".replace("\"", chr(39)), call)
raises(1, "none.dbfs: cannot open", lambda: dbfs.open("none.dbfs"))
raises(2, "unrecognized option", lambda: dbfs.open("x.dbfs", options=["--nonsense"]))
with dbfs.open("x.dbfs") as g:
    raises(2, "root 99: the graph has vertices 0 to 3", lambda: g.search(99))
    assert g.search(3).distances[3] == 0 # the server goes on
    raises(2, "is not a whole number", lambda: g.search(-1))
    for root in 10 ** 5000, -10 ** 5000, 1 << 64:
        raises(2, "ids have 64 bits at most", lambda: g.search(root))
        raises(2, "ids have 64 bits at most", lambda: g.path(0, root))
    raises(2, "the graph has vertices 0 to 3", lambda: g.search((1 << 64) - 1))
    assert g.search(numpy.uint8(3)).distances[3] == g.search(numpy.array(2)).distances[2] == 0
    for root in 1.5, "dog", None, True, numpy.True_, 1.0, numpy.float64(1), b"1":
        try:
            g.search(root)
        except TypeError:
            continue
        assert False, root
    g._server._process.send_signal(signal.SIGSTOP) # the server dies while it searches
    threading.Timer(0.3, g._server._process.kill).start()
    raises(-9, "ended by signal 9", lambda: g.search(0))
    raises(-9, "ended by signal 9", lambda: g.search(0))
os.environ["DBFS_BIN"] = "/nowhere"
raises(1, "is dbfs in PATH", lambda: dbfs.open("x.dbfs"))
'
py 'a path is no option, and may be in any letters' '
for path in "-x", "--force", "gr\u00fc\u00dfe", b"\xff\xfe", "a b":
    dbfs.pack(line, path)
    with dbfs.open(path) as g:
        assert g.search(0).distances.tolist() == [0, 1, 2, 3]
raises(1, "\\xff\\xfe: holds a packed graph already", lambda: dbfs.pack(line, b"\xff\xfe"))
'
# in an encoding of other letters, and with a decimal comma where the locale can be made
locale=C
localedef -i de_DE -f ISO-8859-1 ./de_DE 2>/dev/null && locale=de_DE || skip 'a locale with a decimal comma: localedef makes none'
check "dbfs works in Python in the locale $locale, without UTF-8" env LOCPATH="$PWD" LC_ALL=$locale PYTHONUTF8=0 PYTHONCOERCECLOCALE=0 python3 -c '
from common import *
path = os.fsdecode(b"\xfcber")
dbfs.pack(line, path)
with dbfs.open(path) as g:
    assert g.search(0).distances.tolist() == [0, 1, 2, 3] and float(g.figures["time_s"]) > 0
raises(1, "ber: holds a packed graph already", lambda: dbfs.pack(line, path))
'
# the names that Python makes there; folders of tests have a dot
check 'nothing is left in memory' test -z "$(find /dev/shm -maxdepth 1 '(' -name 'dbfs-*' -o -name 'tmp*' ')' ! -name '*.*' \
    -newer common.py -user "$(id -un)" 2>/dev/null)"
# dbfs calls mpiexec, which must be that of the programs' MPI library
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
for format in "csr", "csc", "coo", "dok":
    matrix = scipy.sparse.random(500, 500, 0.004, format, random_state=7)
    dbfs.pack(matrix, "s.dbfs", force=True)
    with dbfs.open("s.dbfs") as g:
        want = scipy.sparse.csgraph.shortest_path(matrix, directed=False, unweighted=True, indices=[3, 50])
        got = numpy.array([search.distances for search in g.search_many([3, 50])], float)
        got[got < 0] = numpy.inf
        assert (got == want).all()
matrix = scipy.sparse.random(60, 60, 0.03, "csr", random_state=7)
for same in matrix.tobsr((3, 3)), matrix != 0, scipy.sparse.csr_array(matrix): # zeros of a block are no entries
    assert depths(same) == depths(matrix)
for entries in [1, 0], [1, -1]: # stored zeros and duplicates
    assert depths(scipy.sparse.coo_array((entries, ([0, 0], [1, 1])), shape=(3, 3))) == [0, 1, -1]
for shape in (3, 4), (3,):
    raises(ValueError, "it must be square", lambda: depths(scipy.sparse.coo_array(shape)))
'
else
    skip 'the distances of scipy: not installed'
fi
finish
