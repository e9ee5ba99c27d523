"""Programs that answer what takes many searches, dbfs-batch and dbfs-diameter; each call loads the shards."""
from __future__ import annotations

import json
import os
from typing import NamedTuple, Optional, Union

import numpy

from dbfs import _scratch
from dbfs._programs import Error, program, run

WORTH_IT = 16  # roots; fewer are searched one by one in a graph that is loaded


class Centralities(NamedTuple):
    """What dbfs-batch(1) says of each root under CENTRALITY; the page has the formulas."""

    id: numpy.ndarray  # int64: the roots
    reached: numpy.ndarray  # int64: vertices, the root included
    eccentricity: numpy.ndarray  # int64: edges
    distance_sum: numpy.ndarray  # int64: edges
    closeness: numpy.ndarray  # float64, as are the next ones
    closeness_wf: numpy.ndarray
    harmonic: numpy.ndarray


class Diameter(NamedTuple):
    """Diameter and radius of a component, or of a directed graph, in edges; vertices are ids."""

    diameter: int
    start: int  # two vertices that are so far apart
    end: int
    radius: int
    center: int  # a vertex whose largest distance is the radius
    vertices: int  # of the component; of a directed graph, of its largest strong component


def _list_of(vertices: numpy.ndarray, path: str) -> str:
    """Writes a file with an id on each line, and returns its path."""
    with open(path, "w", encoding="ascii") as file:
        file.writelines(f"{vertex}\n" for vertex in vertices.tolist())
    return path


def _words(roots: Optional[numpy.ndarray], folder: str, reverse: bool) -> list:
    """The command as far as roots go. None: all vertices that have edges."""
    which = ["-n", "all"] if roots is None else ["--roots-from", _list_of(roots, os.path.join(folder, "roots"))]
    return [program("dbfs-batch"), "-q", "--no-checksum", "--base", "0", *["--reverse"] * reverse, *which]


def distances(shards: str, roots: numpy.ndarray, to: Union[int, numpy.ndarray], *, reverse: bool, max_depth: Optional[int],
              options: list) -> numpy.ndarray:
    """A row of distances, int32, for each root. to: the number of all vertices, or the vertices that have a column each."""
    columns = to if isinstance(to, int) else len(to)
    with _scratch.Folder(_scratch.place(4 * columns * len(roots))) as folder:
        words = _words(roots, folder, reverse)
        if max_depth is not None:
            words += ["--max-depth", str(max_depth)]
        if not isinstance(to, int):
            words += ["--targets", _list_of(to, os.path.join(folder, "targets"))]
        matrix = os.path.join(folder, "depths.npy")
        run(*words, "--depths", matrix, *options, shards)
        return numpy.load(matrix, mmap_mode="r").reshape(len(roots), columns)


def centralities(shards: str, roots: Optional[numpy.ndarray], rows: int, *, reverse: bool, options: list) -> Centralities:
    """The centralities of these roots, or of all vertices that have edges, in the order of ids: at most so many rows."""
    columns = numpy.empty((len(Centralities._fields), 0))
    if rows:
        with _scratch.Folder(_scratch.place(100 * rows)) as folder:
            table = os.path.join(folder, "centralities.tsv")
            run(*_words(roots, folder, reverse), "--centrality", table, *options, shards)
            columns = numpy.loadtxt(table, ndmin=2).T
    return Centralities(*(column.astype(numpy.int64) for column in columns[:4]), *columns[4:])


def _words_of_diameter(most_searches: Optional[int], options: list) -> list:
    most = [] if most_searches is None else ["--searches", str(most_searches)]
    return [program("dbfs-diameter"), "-q", "--base", "0", *most, *options]


def diameter(shards: str, *, most_searches: Optional[int], options: list) -> Optional[Diameter]:
    """Diameter and radius of the largest component; None: so many searches do not tell."""
    with _scratch.Folder(_scratch.place(0)) as folder:
        said = os.path.join(folder, "said.json")
        run(*_words_of_diameter(most_searches, options), "--diameter", "--radius", "--json", said, shards)
        with open(said, encoding="utf-8", errors="replace") as file:
            found = json.load(file)
    if not found["bounds_met"]:
        return None
    extent, radius = found["diameter"], found["radius"]
    return Diameter(extent["upper"], extent["from"], extent["to"], radius["upper"], radius["center"],
                    max(1, found["component_vertices"]))


def eccentricities(shards: str, vertices: int, *, most_searches: Optional[int], options: list) -> Optional[numpy.ndarray]:
    """The eccentricities of the largest component, or of a directed graph, int32, and -1 elsewhere; None: so many searches do not tell."""
    with _scratch.Folder(_scratch.place(4 * vertices)) as folder:
        array = os.path.join(folder, "eccentricities.npy")
        try:
            run(*_words_of_diameter(most_searches, options), "--all", array, shards)
        except Error as e:
            if e.code == 1 and most_searches is not None:
                return None
            raise
        return numpy.asarray(numpy.load(array, mmap_mode="r"))
