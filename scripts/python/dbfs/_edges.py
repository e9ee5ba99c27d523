"""Graphs of other modules as arrays of edges."""
from __future__ import annotations

import itertools
import operator
import sys
from typing import NamedTuple, Optional

import numpy

from dbfs._programs import Error

OTHERS = {  # modules with graphs of their own: what pack takes of such a graph
    "igraph": "graph.get_edgelist(), and vertices=graph.vcount()",
    "graph_tool": "graph.get_edges(), and vertices=graph.num_vertices()",
    "rustworkx": "list(graph.edge_list()), and vertices=graph.num_nodes()",
}


class Edges(NamedTuple):
    """A graph: m x 2 integers, and what else is known of it."""

    array: numpy.ndarray
    vertices: Optional[int] = None
    names: Optional[list] = None  # of the vertices: strings, no two alike
    is_directed: bool = False


def vertex_of(value):
    """An id that somebody gives, as an int."""
    if isinstance(value, (bool, numpy.bool_)):
        raise TypeError(f"a vertex is an integer, not {value}")
    vertex = operator.index(value)
    if abs(vertex) >= 1 << 64:
        raise Error(f"a vertex of {vertex.bit_length()} bits: ids have 64 bits at most", 2)
    return vertex


def _integers(values):
    """An array of ids, each with the value that was given. Floats pass: edgeconv refuses them, and says what to do."""
    if numpy.ma.is_masked(values):
        raise ValueError("some ids are masked: give those that are not")
    array = numpy.asarray(values)
    if array.ndim == 0:
        raise TypeError(f"an object of type {type(values).__name__} is no array: give m x 2 integers, "
                        "a sparse matrix of scipy, or a pair (indptr, indices)")
    if array.dtype.kind in "iuf":
        return array
    if array.dtype.kind != "O":
        raise TypeError(f"ids are integers, not {array.dtype}; a table of pandas or pyarrow may have names, "
                        "and scipy.sparse.coo_array(matrix) takes the entries of a dense matrix")
    try:
        return numpy.array([vertex_of(value) for value in array.flat], numpy.int64).reshape(array.shape)
    except TypeError as e:
        raise TypeError(f"ids are integers: {e}; a table of pandas or pyarrow may have two columns of names") from None
    except OverflowError:
        raise ValueError("an id is beyond the integers of 64 bits") from None


def _edges_of_matrix(matrix):
    """A row for each entry of a sparse matrix of scipy, whatever the entry's value."""
    if len(matrix.shape) != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"a matrix of shape {matrix.shape} is no graph: it must be square")
    entries = matrix.tocoo()
    edges = numpy.column_stack((entries.row, entries.col))
    is_padded = getattr(matrix, "format", None) == "bsr"  # zeros fill its blocks up
    return edges[entries.data != 0] if is_padded else edges


def _edges_of_rows(indptr, indices):
    """A row for each entry of a matrix in compressed rows."""
    indptr, indices = _integers(indptr), _integers(indices)
    rows = indptr.size - 1
    if not (indptr.ndim == indices.ndim == 1 and rows >= 0
            and all(part.dtype.kind in "iu" or part.size == 0 for part in (indptr, indices))
            and indptr[0] == 0 and (indptr[:-1] <= indptr[1:]).all() and indptr[-1] == indices.size
            and (indices.size == 0 or 0 <= indices.min() and indices.max() < rows)):
        raise ValueError("a pair is (indptr, indices) of a square matrix in compressed rows, which this is not: give edges "
                         "as a list, or as an array of m x 2, such as numpy.column_stack((rows, columns))")
    edges = numpy.empty((indices.size, 2), numpy.int32 if rows <= 1 << 31 else numpy.int64)
    edges[:, 0] = numpy.repeat(numpy.arange(rows, dtype=edges.dtype), numpy.diff(indptr).astype(numpy.int64))
    edges[:, 1] = indices
    return edges


def names_refused(names) -> Optional[str]:
    """Why these cannot be the names of vertices; None: they can."""
    for place, name in enumerate(names):
        if not isinstance(name, str):
            return f"{name!r} is no string"
        if not name or "\n" in name:
            return f"vertex {place}: {name!r} is {'broken into lines' if name else 'empty'}"
        try:
            name.encode("utf-8", "surrogateescape")
        except UnicodeEncodeError:
            return f"vertex {place}: {name!r} is no text that UTF-8 has"
    return None if len(set(names)) == len(names) else "two vertices have the same name"


def _edges_of_names(codes, names) -> Edges:
    """The edges of a table with names: the numbers of the first column's names, then those of the second's."""
    codes = numpy.asarray(codes)
    if (codes < 0).any():
        raise ValueError(f"row {int((codes < 0).argmax()) % (len(codes) // 2)} of the table lacks a name")
    names = list(names)
    refused = names_refused(names)
    if refused:
        raise TypeError(f"ids are integers, or names that are strings: {refused}")
    return Edges(codes.reshape(2, -1).T, len(names), names)


def _edges_of_frame(frame) -> Edges:
    """The rows of a DataFrame of pandas."""
    first, second = (frame.iloc[:, i] for i in (0, 1))
    if all(column.dtype.kind in "iuf" for column in (first, second)) or not len(frame):
        return Edges(_rows(frame))
    pandas = sys.modules["pandas"]
    if any(column.dtype != "category" and not pandas.api.types.is_string_dtype(column) for column in (first, second)):
        return Edges(_rows(frame))
    codes, names = pandas.factorize(pandas.concat([first, second]).astype(object))
    return _edges_of_names(codes, names)


def _edges_of_arrow(table) -> Edges:
    """The rows of a table of pyarrow."""
    arrow = sys.modules["pyarrow"]
    missing = [name for name, column in zip(table.column_names, table.columns) if column.null_count]
    if missing:
        raise ValueError(f"column {missing[0]!r} lacks values: give the rows that have both")
    first, second = (column.cast(column.type.value_type) if arrow.types.is_dictionary(column.type) else column
                     for column in table.columns)
    if not any(arrow.types.is_string(c.type) or arrow.types.is_large_string(c.type) for c in (first, second)):
        return Edges(_rows(numpy.column_stack((first.to_numpy(), second.to_numpy()))))
    if first.type != second.type:
        raise TypeError(f"the columns are of the types {first.type} and {second.type}: expected names in both, or ids in both")
    both = arrow.chunked_array([*first.chunks, *second.chunks], first.type).combine_chunks()
    both = both.combine_chunks() if isinstance(both, arrow.ChunkedArray) else both
    numbered = both.dictionary_encode()
    return _edges_of_names(numbered.indices.to_numpy(), numbered.dictionary.to_pylist())


def of_networkx(graph) -> tuple[list, numpy.ndarray]:
    """The nodes of a graph of networkx, in its order, and a row of their numbers for each edge."""
    nodes = list(graph)
    adjacency = getattr(graph, "_adj", graph.adj)  # the plain dictionary, where there is one
    rows = [adjacency[node] for node in nodes]
    if not isinstance(adjacency, dict):  # a view, whose rows may have other lengths than they say
        rows = list(map(list, rows))
    number = dict(zip(nodes, range(len(nodes))))
    degrees = numpy.fromiter(map(len, rows), numpy.int64, len(rows))
    edges = numpy.empty((int(degrees.sum()), 2), numpy.int32 if len(nodes) < 1 << 31 else numpy.int64)
    edges[:, 0] = numpy.repeat(numpy.arange(len(nodes), dtype=edges.dtype), degrees)
    edges[:, 1] = numpy.fromiter(map(number.__getitem__, itertools.chain.from_iterable(rows)), edges.dtype, len(edges))
    return nodes, edges if graph.is_directed() else edges[edges[:, 0] <= edges[:, 1]]


def _edges_of_networkx(graph) -> Edges:
    """The edges of a graph of networkx. Nodes that are not 0 to n - 1 in order become names."""
    nodes, edges = of_networkx(graph)
    if nodes == list(range(len(nodes))):
        return Edges(edges, len(nodes), None, graph.is_directed())
    names = [str(node) for node in nodes]
    refused = names_refused(names)
    if refused:
        raise ValueError(f"nodes of the graph cannot be names: {refused}")
    return Edges(edges, len(nodes), names, graph.is_directed())


def _rows(graph) -> numpy.ndarray:
    """The rows of an array or a list of two columns."""
    edges = _integers(graph)
    if edges.shape in ((0,), (0, 2)):
        return numpy.empty((0, 2), numpy.int64)
    if edges.ndim == 2 and edges.shape[1] != 2 and edges.shape[0] in (2, edges.shape[1]):
        raise ValueError(f"an array of shape {edges.shape}: expected a row for each edge, (m, 2); give its transpose, or of a "
                         "dense matrix scipy.sparse.coo_array(matrix)")
    return edges


def _check_columns(table, names) -> None:
    two = list(names[:2])
    if len(names) != 2:
        raise ValueError(f"a table of {len(names)} columns: give the two of an edge's ends, such as table"
                         + (f".select({two})" if hasattr(table, "column_names") else f"[{two}]"))


def edges_of(graph) -> Edges:
    """The edges of a graph of any kind that pack takes. TypeError, ValueError: it is no such graph."""
    modules = {base.__module__.split(".")[0] for base in type(graph).__mro__}
    for module in modules & OTHERS.keys():
        raise TypeError(f"a graph of {module}: give {OTHERS[module]}")
    if "networkx" in modules and hasattr(graph, "adj"):
        return _edges_of_networkx(graph)
    if hasattr(graph, "tocoo"):
        return Edges(_edges_of_matrix(graph), graph.shape[0])
    if isinstance(graph, tuple) and len(graph) == 2:
        return Edges(_edges_of_rows(*graph), len(graph[0]) - 1)
    if "pyarrow" in modules and hasattr(graph, "column_names"):
        _check_columns(graph, graph.column_names)
        return _edges_of_arrow(graph)
    if hasattr(graph, "columns") and hasattr(graph, "to_numpy"):
        _check_columns(graph, list(graph.columns))
        return _edges_of_frame(graph) if "pandas" in modules else Edges(_rows(graph))
    return Edges(_rows(graph))
