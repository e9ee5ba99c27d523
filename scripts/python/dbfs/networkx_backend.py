"""A backend of NetworkX 3.2 and later: its functions on hop distances, computed by the programs of dbfs.

    nx.closeness_centrality(G, backend="dbfs")
    nx.config.backend_priority = ["dbfs"]     # all functions below, where it is worth the time; or NETWORKX_BACKEND_PRIORITY

A graph is converted once: its shards are made with the first function that needs them, and stay with the graph until it
changes. What has weights, and what follows the order of neighbours (bfs_edges, predecessor and others), is left to NetworkX.
Where several paths are shortest, or where the order within a list or a dictionary is not one of distances or of the graph's
nodes, results need not be in NetworkX's order.
"""
from __future__ import annotations

import inspect
import itertools
import math
import numbers
import os

import dbfs_networkx
import networkx
import numpy

from dbfs import _batch, _components, _edges, _pack, _scratch, _search

LITTLE_WORK = 50_000  # edges to visit, for which one thread is as fast as several
ROWS_BYTES = 1 << 28  # of the distances of many roots at once

RETURNS_DICTIONARIES = tuple(int(part) for part in networkx.__version__.split(".")[:2]) >= (3, 5)


class Graph:
    """A graph of NetworkX for dbfs: its nodes in order, and its edges as numbers of nodes. The shards come when needed.

    It keeps the graph that it was made of, which must not change while this one is used.
    """

    __networkx_backend__ = "dbfs"

    def __init__(self, graph):
        self.of_networkx = graph
        nodes, self._edges = _edges.of_networkx(graph)
        self._nodes = numpy.empty(len(nodes), object)
        for place, node in enumerate(nodes):
            self._nodes[place] = node
        self._number = dict(zip(nodes, range(len(nodes))))
        self._loaded = None  # the folder of the shards, and the dbfs.Graph

    def __getstate__(self):
        return {**self.__dict__, "_loaded": None}

    def __len__(self):
        return len(self._nodes)

    def __iter__(self):
        return iter(self._nodes.tolist())

    def __contains__(self, node):
        try:
            return node in self._number
        except TypeError:
            return False

    def __getattr__(self, name):
        """All that has nothing to do with searches is that of the graph of NetworkX."""
        if name.startswith("_") or name == "of_networkx":
            raise AttributeError(name)
        return getattr(self.of_networkx, name)

    def is_directed(self):
        return self.of_networkx.is_directed()

    def is_multigraph(self):
        return self.of_networkx.is_multigraph()

    # ---- of numbers and nodes ----

    def number(self, node) -> int:
        return self._number[node]

    def numbers(self, nodes) -> list:
        return [self._number[node] for node in nodes]

    def nodes_at(self, numbers) -> list:
        return self._nodes[numbers].tolist()

    def by_node(self, values) -> dict:
        """A dictionary of values that are in the order of the nodes."""
        return dict(zip(self._nodes.tolist(), values.tolist()))

    # ---- searches ----

    def _options(self, searches) -> list:
        """Of programs that search so often: little work is done before other threads have started."""
        return ["-@", "1"] * (searches * len(self._edges) <= LITTLE_WORK)

    def shards(self) -> _search.Graph:
        """The loaded shards, which are made now if there are none."""
        if self._loaded is None:
            folder = _scratch.Folder(_scratch.place(self._edges.nbytes))
            path = os.path.join(folder.path, "shards")
            options = self._options(1)
            _pack.pack(self._edges, path, direction="directed" if self.is_directed() else "once", vertices=len(self),
                       options=options)
            self._loaded = folder, _search.Graph(path, 1, _search.results_folder(), options, None)
        return self._loaded[1]

    def search(self, node, *, reverse=False) -> _search.Search:
        return self.shards().search(self.number(node), reverse=reverse and self.is_directed())

    def centralities(self, nodes=None, *, reverse=False) -> dict:
        """The columns of a table with a line for each of these nodes, or for all nodes in their order."""
        if nodes is None:
            columns = {name: numpy.zeros(len(self)) for name in _batch.Centralities._fields}
            columns["reached"][:] = 1  # a node without edges finds itself
            if len(self) == 0:
                return columns
        options = self._options(len(self) if nodes is None else len(nodes))
        found = self.shards().centralities(None if nodes is None else self.numbers(nodes), reverse=reverse and self.is_directed(),
                                           options=options)._asdict()
        if nodes is not None:
            return found
        for name, column in found.items():
            columns[name] = columns[name].astype(column.dtype)
            columns[name][found["id"]] = column
        return columns

    def few_searches(self, of, *arguments):
        """What dbfs-diameter finds in far less time than a batch of searches from all nodes takes; None: it does not."""
        if len(self) < 2:
            return None
        most = max(64, len(self) // 32)
        return of(*arguments, most_searches=most, options=self._options(most))

    def rows(self, numbers, cutoff=None):
        """Yields (number, distances) for each of these nodes."""
        max_depth = None if _depth(cutoff) == math.inf else _depth(cutoff)
        numbers = iter(numbers)
        at_once = max(_batch.WORTH_IT, min(1024, ROWS_BYTES // (4 * max(1, len(self)))))
        while chunk := list(itertools.islice(numbers, at_once)):
            options = self._options(len(chunk))
            yield from zip(chunk, self.shards().distances(chunk, max_depth=max_depth, options=options))

    def component_numbers(self, *, strong=False):
        """The number of the component of each node; without strong, directions of edges do not count."""
        if len(self) == 0:
            return numpy.empty(0, numpy.int32)
        return _components.components(self._edges, strong=strong, direction="directed" if strong else "once",
                                      vertices=len(self), options=self._options(1))

    def components(self):
        """The sets of nodes of the weak components, in the order of their first nodes, which is NetworkX's."""
        numbers = self.component_numbers()
        order = numpy.argsort(numbers, kind="stable")
        parts = numpy.split(order, numpy.flatnonzero(numpy.diff(numbers[order])) + 1) if len(order) else []
        return [set(self.nodes_at(part)) for part in sorted(parts, key=lambda part: part[0])]


def convert_from_nx(graph, **_):
    return graph if isinstance(graph, Graph) else Graph(graph)


def convert_to_nx(result, **_):
    return result.of_networkx if isinstance(result, Graph) else result


def _left_to_networkx(name, graph, *arguments, **named):
    """NetworkX's own function: it says what is wrong, of a node that is not there and the like, before it searches."""
    return getattr(networkx, name).orig_func(graph.of_networkx, *arguments, **named)


def _depth(cutoff) -> float:
    """The last level that a search with this cutoff enters: NetworkX goes on while the cutoff is above the level."""
    if cutoff is None or cutoff == math.inf:
        return math.inf
    return max(0, math.ceil(cutoff)) if cutoff == cutoff and cutoff > 0 else 0


def _by_distance(distances, cutoff=None):
    """The numbers of the nodes that are reached, by their distances."""
    depth = _depth(cutoff)
    reached = numpy.flatnonzero(distances >= 0 if depth == math.inf else (distances >= 0) & (distances <= depth))
    return reached[numpy.argsort(distances[reached], kind="stable")]


def _lengths(graph, distances, cutoff=None) -> dict:
    order = _by_distance(distances, cutoff)
    return dict(zip(graph.nodes_at(order), distances[order].tolist()))


# ---- one source, one target ----

def single_source_shortest_path_length(G, source, cutoff=None):
    if source not in G:
        return _left_to_networkx("single_source_shortest_path_length", G, source, cutoff)
    return _lengths(G, G.search(source).distances, cutoff)


def single_target_shortest_path_length(G, target, cutoff=None):
    if target not in G:
        return _left_to_networkx("single_target_shortest_path_length", G, target, cutoff)
    lengths = _lengths(G, G.search(target, reverse=True).distances, cutoff)
    return lengths if RETURNS_DICTIONARIES else iter(lengths.items())


def _paths(G, node, cutoff, reverse):
    """Paths by node, in the order of their lengths, as lists from or to this node."""
    distances, parents = G.search(node, reverse=reverse)
    order = _by_distance(distances, cutoff)
    paths = {}
    for place, parent, name in zip(order.tolist(), parents[order].tolist(), G.nodes_at(order)):
        before = paths.get(parent, [])
        paths[place] = [name, *before] if reverse else [*before, name]
    return dict(zip(G.nodes_at(order), paths.values()))


def single_source_shortest_path(G, source, cutoff=None):
    if source not in G:
        return _left_to_networkx("single_source_shortest_path", G, source, cutoff)
    return _paths(G, source, cutoff, reverse=False)


def single_target_shortest_path(G, target, cutoff=None):
    if target not in G:
        return _left_to_networkx("single_target_shortest_path", G, target, cutoff)
    return _paths(G, target, cutoff, reverse=True)


def bidirectional_shortest_path(G, source, target):
    if source not in G or target not in G:
        return _left_to_networkx("bidirectional_shortest_path", G, source, target)
    path = G.shards().path(G.number(source), G.number(target))
    if path is None:
        raise networkx.NetworkXNoPath(f"No path between {source} and {target}.")
    return G.nodes_at(path)


def has_path(G, source, target):
    if source not in G or target not in G:
        return _left_to_networkx("has_path", G, source, target)
    return G.shards().path(G.number(source), G.number(target)) is not None


# ---- all pairs; several forms ----

def all_pairs_shortest_path_length(G, cutoff=None):
    for node, (_, distances) in zip(G, G.rows(range(len(G)), cutoff)):
        yield node, _lengths(G, distances)


def all_pairs_shortest_path(G, cutoff=None):
    for node in G:
        yield node, single_source_shortest_path(G, node, cutoff)


def shortest_path(G, source=None, target=None, weight=None, method="dijkstra"):
    if source is None and target is None:
        paths = all_pairs_shortest_path(G)
        return paths if RETURNS_DICTIONARIES else dict(paths)
    if source is None:
        if target not in G:
            return _left_to_networkx("shortest_path", G, source, target)
        return single_target_shortest_path(G, target)
    if target is None:
        return single_source_shortest_path(G, source)
    return bidirectional_shortest_path(G, source, target)


def shortest_path_length(G, source=None, target=None, weight=None, method="dijkstra"):
    if source is None and target is None:
        return all_pairs_shortest_path_length(G)
    if source is None:
        if target not in G:
            return _left_to_networkx("shortest_path_length", G, source, target)
        return _lengths(G, G.search(target, reverse=True).distances)
    if target is None:
        return single_source_shortest_path_length(G, source)
    if source not in G or target not in G:
        return _left_to_networkx("shortest_path_length", G, source, target)
    length = int(G.search(source).distances[G.number(target)])
    if length < 0:
        raise networkx.NetworkXNoPath(f"No path between {source} and {target}.")
    return length


def average_shortest_path_length(G, weight=None, method=None):
    count = len(G)
    if count < 2:
        return _left_to_networkx("average_shortest_path_length", G, weight, method)
    found = G.centralities()
    if (found["reached"] < count).any():
        raise networkx.NetworkXError(f"Graph is not {'strongly ' if G.is_directed() else ''}connected.")
    return int(found["distance_sum"].sum()) / (count * (count - 1))


# ---- levels ----

def bfs_layers(G, sources):
    nodes = [sources] if sources in G else list(dict.fromkeys(sources))
    if not nodes:
        return
    if any(node not in G for node in nodes):
        yield from _left_to_networkx("bfs_layers", G, nodes)
    distances = G.shards().search(G.numbers(nodes), together=True).distances
    order = _by_distance(distances)
    yield from map(G.nodes_at, numpy.split(order, numpy.flatnonzero(numpy.diff(distances[order])) + 1))


def descendants_at_distance(G, source, distance):
    if source not in G:
        return _left_to_networkx("descendants_at_distance", G, source, distance)
    if distance not in range(len(G)):  # no level has this number
        return set()
    return set(G.nodes_at(numpy.flatnonzero(G.search(source).distances == distance)))


# ---- centralities, eccentricities ----

def closeness_centrality(G, u=None, distance=None, wf_improved=True):
    if u is not None and u not in G:
        return _left_to_networkx("closeness_centrality", G, u)
    found = G.centralities(None if u is None else [u], reverse=True)
    reached, sums = found["reached"] - 1.0, found["distance_sum"]
    values = numpy.divide(reached, sums, out=numpy.zeros(len(sums)), where=sums > 0)
    if wf_improved and len(G) > 1:
        values *= reached / (len(G) - 1)
    return G.by_node(values) if u is None else float(values[0])


def harmonic_centrality(G, nbunch=None, distance=None, sources=None):
    nodes = list(G) if nbunch is None else list(dict.fromkeys(G.nbunch_iter(nbunch)))
    if sources is None:
        values = G.centralities(None if nbunch is None else nodes, reverse=True)["harmonic"]
    else:
        values, numbers = numpy.zeros(len(nodes)), G.numbers(nodes)
        for _, distances in G.rows(G.numbers(dict.fromkeys(G.nbunch_iter(sources)))):
            others = distances[numbers]
            values += numpy.divide(1.0, others, out=numpy.zeros(len(nodes)), where=others > 0)
    return {node: value or 0 for node, value in zip(nodes, values.tolist())}


def _check_connected(G, is_connected):
    if not is_connected:
        what = "digraph is not strongly connected" if G.is_directed() else "graph is not connected"
        raise networkx.NetworkXError(f"Found infinite path length because the {what}")


def eccentricity(G, v=None, sp=None, weight=None):
    nodes = None if v is None else list(dict.fromkeys(G.nbunch_iter(v)))
    if nodes == [] or len(G) == 0:
        return {}
    if nodes is None and G.is_directed():
        _check_connected(G, is_strongly_connected(G))
    found = G.few_searches(_batch.eccentricities, G.shards().shards, len(G)) if nodes is None else None
    if found is None:
        table = G.centralities(nodes)
        _check_connected(G, (table["reached"] == len(G)).all())
        found = table["eccentricity"]
    _check_connected(G, (found >= 0).all())
    if v in G:
        return int(found[0])
    return G.by_node(found) if nodes is None else dict(zip(nodes, found.tolist()))


def _extreme(name, of):
    """A function of all eccentricities. NetworkX says why there are none, in other words if it was to use bounds."""
    def function(G, e=None, usebounds=False, weight=None):
        try:
            found = eccentricity(G)
        except networkx.NetworkXError:
            if not usebounds or G.is_directed():
                raise
            found = None
        return of(found) if found else _left_to_networkx(name, G, None, usebounds)
    function.__name__ = name
    return function


def _nodes_with(chosen):
    def nodes(found):
        value = chosen(found.values())
        return [node for node, eccentricity in found.items() if eccentricity == value]
    return nodes


def _of_bounds(name, chosen):
    """The diameter or the radius, which take fewer searches than all eccentricities, if bounds meet soon."""
    by_eccentricities = _extreme(name, lambda found: chosen(found.values()))

    def function(G, e=None, usebounds=False, weight=None):
        found = G.few_searches(_batch.diameter, G.shards().shards) if len(G) else None
        if found is None or found.vertices < len(G):
            return by_eccentricities(G, e, usebounds, weight)
        return getattr(found, name)
    function.__name__ = name
    return function


diameter = _of_bounds("diameter", max)
radius = _of_bounds("radius", min)
periphery = _extreme("periphery", _nodes_with(max))
center = _extreme("center", _nodes_with(min))


# ---- components ----

# strongly_connected_components is left to NetworkX: others, such as condensation, rely on its topological order.

def connected_components(G):
    yield from G.components()


def number_connected_components(G):
    return len(numpy.unique(G.component_numbers()))


def is_connected(G):
    return number_connected_components(G) == 1 if len(G) else _left_to_networkx("is_connected", G)


def node_connected_component(G, n):
    if n not in G:
        return _left_to_networkx("node_connected_component", G, n)
    return set(G.nodes_at(numpy.flatnonzero(G.search(n).distances >= 0)))


weakly_connected_components = connected_components
number_weakly_connected_components = number_connected_components


def is_weakly_connected(G):
    return number_connected_components(G) == 1 if len(G) else _left_to_networkx("is_weakly_connected", G)


def number_strongly_connected_components(G):
    return len(numpy.unique(G.component_numbers(strong=True)))


def is_strongly_connected(G):
    return number_strongly_connected_components(G) == 1 if len(G) else _left_to_networkx("is_strongly_connected", G)


# ---- what NetworkX asks a backend ----

FUNCTIONS = {name: globals()[name] for name in dbfs_networkx.FUNCTIONS}
NOT_GIVEN = "weight", "e", "sp"  # arguments that must be None


def _arguments(name, args, kwargs):
    bound = inspect.signature(FUNCTIONS[name]).bind(*args, **kwargs)
    bound.apply_defaults()
    return bound.arguments


def can_run(name, args, kwargs):
    """True, or a reason why NetworkX has to do it."""
    if name not in FUNCTIONS:
        return f"dbfs has no {name}"
    try:
        given = _arguments(name, args, kwargs)
    except TypeError as e:
        return str(e)
    for argument in (*NOT_GIVEN, *["distance"] * name.endswith("_centrality")):
        if given.get(argument) is not None:
            return f"{argument} is given, and dbfs counts edges"
    if given.get("method") not in (None, "unweighted", *["dijkstra", "bellman-ford"] * (name != "average_shortest_path_length")) \
            or name != "average_shortest_path_length" and given.get("method") == "unweighted":
        return f"method {given['method']!r} is not that of a graph without weights"
    if not isinstance(given.get("cutoff"), (type(None), numbers.Real)):
        return "cutoff is no number"
    return True


def should_run(name, args, kwargs):
    """True, or a reason why NetworkX is as fast."""
    min_work = networkx.config.backends.dbfs.min_work
    graph = _arguments(name, args, kwargs)["G"]
    if isinstance(graph, Graph) or not min_work:
        return True
    if graph.__dict__.get("__networkx_cache__", {}).get("backends", {}).get("dbfs"):
        return True  # it is converted
    if name not in dbfs_networkx.OF_MANY_SEARCHES:
        return "a conversion takes longer than one search; with backend='dbfs' once, later searches have it"
    work = len(graph) * (len(graph) + graph.number_of_edges())
    return work >= min_work or f"the graph is small: {work} vertices and edges to visit, less than min_work={min_work}"


class _Backend:
    """The object that the entry point names."""

    Graph = Graph
    convert_from_nx = staticmethod(convert_from_nx)
    convert_to_nx = staticmethod(convert_to_nx)
    can_run = staticmethod(can_run)
    should_run = staticmethod(should_run)


for _name, _function in FUNCTIONS.items():
    setattr(_Backend, _name, staticmethod(_function))

backend = _Backend()

