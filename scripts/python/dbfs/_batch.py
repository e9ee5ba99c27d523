"""Many roots at once: dbfs-batch, which loads the shards for each call."""
from __future__ import annotations

import os
from typing import NamedTuple, Optional, Union

import numpy

from dbfs import _scratch
from dbfs._programs import program, run

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
