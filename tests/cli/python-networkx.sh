#!/bin/bash
# python-networkx.sh: the backend of NetworkX gives what NetworkX itself gives, for graphs of every kind, and leaves to it
# what it cannot do. NetworkX's own tests of shortest paths run on it, too, where pytest is there.
set -u
in_memory_mib=64
. tests/lib.sh
export DBFS_BIN=$(realpath "$BIN") PYTHONDONTWRITEBYTECODE=1
if ! python3 -c 'import networkx, numpy, sys; sys.exit(tuple(map(int, networkx.__version__.split(".")[:2])) < (3, 2))' 2>/dev/null; then
    skip 'the backend of NetworkX: no python3 with numpy and networkx of 3.2 or later'
    finish
fi
# as an installation has it
mkdir "$tmp/installed" && cp -r scripts/python/dbfs scripts/python/dbfs_networkx.py "$tmp/installed" && mkdir "$tmp/installed/dbfs-1.dist-info" &&
    cp scripts/python/entry_points.txt "$tmp/installed/dbfs-1.dist-info" || exit 1
printf 'Metadata-Version: 2.1\nName: dbfs\nVersion: 1\n' >"$tmp/installed/dbfs-1.dist-info/METADATA"
export PYTHONPATH=$tmp/installed:${PYTHONPATH:-}
cp tests/networkx_calls.py "$tmp"
cd "$tmp" || exit 1
cat >common.py <<'END_OF_COMMON'
import collections.abc, math, random, warnings
import networkx as nx
from dbfs import networkx_backend
warnings.simplefilter("ignore") # of cached conversions, and of what NetworkX will change
from networkx_calls import calls # that really went to the backend
def result(call):
    try:
        got = call()
        return ("items", list(got)) if isinstance(got, collections.abc.Iterator) else (type(got), got)
    except Exception as e:
        return type(e), str(e)
def both(function, *args, **kwargs): # what NetworkX gives, and what the backend gives
    function = getattr(nx, function)
    return result(lambda: function(*args, **kwargs)), result(lambda: function(*args, backend="dbfs", **kwargs))
def same(function, *args, **kwargs):
    want, got = both(function, *args, **kwargs)
    if function == "single_target_shortest_path_length" and want[0] == got[0] == "items": # before 3.5
        want, got = dict(want[1]), dict(got[1])
    assert got == want, (function, args, kwargs, got, want)
def near(function, *args, **kwargs):
    want, got = both(function, *args, **kwargs)
    assert want[0] == got[0], (want, got)
    want, got = (x[1] if isinstance(x[1], dict) else {0: x[1]} for x in (want, got))
    assert want.keys() == got.keys() and all(math.isclose(want[k], got[k], rel_tol=1e-12) for k in want), (function, want, got)
def graphs():
    chosen = random.Random(5)
    pairs = [(chosen.randrange(24), chosen.randrange(24)) for _ in range(28)]
    for kind in nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph:
        graph = kind([*pairs, *pairs[:4], (30, 30)]) # with loops, parallel edges, a component of a loop alone
        graph.add_node("alone")
        yield nx.relabel_nodes(graph, {3: "three", 5: (5, 5), 7: 7.5})
        whole = kind(nx.cycle_graph(9))
        whole.add_edge(2, "far")
        whole.add_edge("far", 3)
        yield whole
END_OF_COMMON
py() { # NAME PROGRAM: runs a program that raises an error for each mistake
    printf 'from common import *\n%s\n' "$2" >test.py
    check "$1" timeout 120 python3 test.py
}
py 'functions of NetworkX give the same with the backend, for graphs, directed graphs, and those of parallel edges' '
one = ["single_source_shortest_path_length", "single_target_shortest_path_length"]
for graph in graphs():
    nodes = list(graph)
    some = nodes[::5]
    for name in one:
        for cutoff in None, 0, 1.5, -1, math.inf:
            same(name, graph, nodes[0], cutoff=cutoff)
        same(name, graph, "nowhere")
        same(name, graph, cutoff=2, **{"source" if "source" in name else "target": some[1]})
    for name in "closeness_centrality", "harmonic_centrality":
        near(name, graph)
    near("closeness_centrality", graph, wf_improved=False)
    near("closeness_centrality", graph, u=nodes[2])
    near("harmonic_centrality", graph, nbunch=some)
    near("harmonic_centrality", graph, sources=some, nbunch=nodes[:3])
    for name in "eccentricity", "diameter", "radius", "periphery", "average_shortest_path_length", "shortest_path_length":
        same(name, graph)
    assert result(lambda: set(nx.center(graph, backend="dbfs"))) == result(lambda: set(nx.center(graph)))
    same("eccentricity", graph, v=nodes[1])
    same("eccentricity", graph, v=some)
    for usebounds in False, True:
        same("diameter", graph, usebounds=usebounds)
    same("all_pairs_shortest_path_length", graph, cutoff=2)
    same("descendants_at_distance", graph, nodes[0], 2)
    same("descendants_at_distance", graph, "nowhere", 2)
    for sources in nodes[0], some, [], "nowhere":
        want, got = both("bfs_layers", graph, sources)
        assert want[0] == got[0] and (want == got or list(map(set, want[1])) == list(map(set, got[1]))), (want, got)
    for target in some:
        for name in "has_path", "shortest_path_length":
            same(name, graph, nodes[0], target)
        for name in "shortest_path", "bidirectional_shortest_path":
            want, got = both(name, graph, nodes[0], target)
            assert want[0] == got[0] and (want == got or len(want[1]) == len(got[1]) and nx.is_path(graph, got[1])), (want, got)
    for name, kwargs in ("single_source_shortest_path", {"source": nodes[0]}), ("single_target_shortest_path", {"target": nodes[0]}), \
            ("shortest_path", {"target": nodes[0]}), ("shortest_path", {"source": nodes[0]}):
        want, got = (x[1] for x in both(name, graph, **kwargs))
        assert list(map(len, want.values())) == list(map(len, got.values())) and want.keys() == got.keys()
        assert all(path[0 if "source" in kwargs else -1] == nodes[0] and path[-1 if "source" in kwargs else 0] == node for node, path in got.items())
        assert all(len(path) == 1 or nx.is_path(graph, path) for path in got.values())
    for name in "shortest_path", "bidirectional_shortest_path", "has_path", "shortest_path_length":
        same(name, graph, nodes[0], "nowhere")
    for node, paths in nx.all_pairs_shortest_path(graph, backend="dbfs"):
        assert {end: len(path) - 1 for end, path in paths.items()} == nx.single_source_shortest_path_length(graph, node)
    of = "weakly_" if graph.is_directed() else ""
    for name in f"{of}connected_components", f"number_{of}connected_components", f"is_{of}connected":
        same(name, graph)
    for name in "number_strongly_connected_components", "is_strongly_connected":
        same(name, graph)
    if not of:
        same("node_connected_component", graph, nodes[4])
left = set(networkx_backend.FUNCTIONS) - set(calls)
assert not left, left
# views, of which those of graphs with parallel edges say wrong lengths
for kind in nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph:
    graph = kind(nx.path_graph(6))
    for view in nx.subgraph_view(graph, filter_edge=lambda u, v, *key: {u, v} != {2, 3}), graph.subgraph([0, 1, 2, 4]), \
            nx.restricted_view(graph, [4], [(1, 2, *[0] * graph.is_multigraph())]), nx.reverse_view(graph) if graph.is_directed() else graph:
        same("single_source_shortest_path_length", view, 1)
        same("is_weakly_connected" if graph.is_directed() else "is_connected", view)
# bounds that have not met after few searches: a batch tells
ring, limited = nx.circulant_graph(40, [1, 3]), []
def one_search(of, *arguments):
    limited.append(of(*arguments, most_searches=1, options=[]))
    return limited[-1]
converted = networkx_backend.convert_from_nx(ring)
converted.few_searches = one_search
assert nx.diameter(converted) == nx.diameter(ring) and nx.eccentricity(converted) == nx.eccentricity(ring) and limited == [None] * 3, limited
# without nodes, and without edges
for kind in nx.Graph, nx.DiGraph:
    of = "weakly_" if kind is nx.DiGraph else ""
    for graph in kind(), nx.empty_graph(1, kind), nx.empty_graph(3, kind):
        for name in "closeness_centrality", "harmonic_centrality", "eccentricity", "diameter", "radius", "average_shortest_path_length", \
                f"{of}connected_components", f"number_{of}connected_components", f"is_{of}connected", "is_strongly_connected", "all_pairs_shortest_path_length":
            same(name, graph)
'
if python3 -c 'import networkx, sys; sys.exit(tuple(map(int, networkx.__version__.split(".")[:2])) < (3, 4))'; then
py 'weights and other methods are left to NetworkX' '
graph = nx.Graph([(0, 1, {"weight": 5}), (1, 2, {"weight": 1}), (0, 2, {"weight": 1})])
nx.config.backend_priority = ["dbfs"]
nx.config.backends.dbfs.min_work = 0
assert nx.shortest_path_length(graph, 0, 1, weight="weight") == 2 and nx.closeness_centrality(graph, 0, distance="weight") == 2 / 3
assert nx.diameter(graph, e={0: 7}) == 7 and nx.eccentricity(graph, weight="weight") == {0: 2, 1: 2, 2: 1}
assert result(lambda: nx.shortest_path(graph, 0, 1, method="SPAM"))[0] is ValueError
assert not calls, calls
assert nx.shortest_path_length(graph, 0, 1) == 1 and calls == {"shortest_path_length": 1}
assert list(nx.bfs_edges(graph, 0)) == [(0, 1), (0, 2)] # follows the order of neighbours
'
py 'small graphs are left to NetworkX; a graph is converted once, and again when it has changed' '
nx.config.backend_priority = ["dbfs"]
small, large = nx.path_graph(20), nx.gnm_random_graph(800, 1600, seed=1)
nx.closeness_centrality(small)
nx.single_source_shortest_path_length(large, 0)
assert not calls, calls
assert networkx_backend.should_run("diameter", (small,), {}).startswith("the graph is small: 780 ")
nx.closeness_centrality(large)
nx.single_source_shortest_path_length(large, 0) # it is converted
assert calls == {"closeness_centrality": 1, "single_source_shortest_path_length": 1}, calls
[converted] = large.__networkx_cache__["backends"]["dbfs"].values()
before = nx.single_source_shortest_path_length(large, 0)
assert list(large.__networkx_cache__["backends"]["dbfs"].values()) == [converted]
large.add_edge(0, "new")
assert nx.single_source_shortest_path_length(large, 0, backend="dbfs") == {**before, "new": 1}
import copy, pickle
for other in copy.deepcopy(large), pickle.loads(pickle.dumps(large)), pickle.loads(pickle.dumps(nx.Graph(large))):
    assert nx.single_source_shortest_path_length(other, 0, backend="dbfs")["new"] == 1
assert nx.diameter(networkx_backend.convert_from_nx(small)) == 19
'
else
    skip 'backends by priority: NetworkX is older than 3.4'
fi
if python3 -c 'import pytest, scipy' 2>/dev/null; then
    check "NetworkX's tests of shortest paths without weights pass on the backend" env NETWORKX_TEST_BACKEND=dbfs NETWORKX_FALLBACK_TO_NX=1 \
        timeout 120 python3 -m pytest -q -p no:cacheprovider -p networkx_calls --pyargs networkx.algorithms.shortest_paths.tests.test_unweighted
    ran=$(sed -n 's/^dbfs: .* calls, of \(.*\) tests$/\1/p' "$tmp/check.out")
    check "most of these tests run on the backend ($ran tests)" test "${ran:-0}" -ge 10
else
    skip "NetworkX's own tests on the backend: pytest and scipy are not both installed"
fi
printf 'from common import *\nimport os\nnx.diameter(nx.path_graph(9), backend="dbfs")\nprint(os.getpid(), flush=True)\nos.kill(os.getpid(), 9)' >test.py
{ python3 test.py >process; } 2>/dev/null
check 'a process that is killed has had shards' test -s process
nothing_left() { ! ls -d /dev/shm/dbfs-python."$(cat process)".* "${TMPDIR:-/tmp}"/dbfs-python."$(cat process)".*; }
check 'nothing is left of the shards of a process that was killed' wait_until nothing_left
finish
