"""Many roots at once: dbfs-batch, which loads the shards for each call."""
from __future__ import annotations

import os
from typing import NamedTuple, Optional

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


def _words(roots: Optional[numpy.ndarray], folder: str, is_reverse: bool) -> list:
    """The command as far as roots go. None: all vertices that have edges."""
    words = [program("dbfs-batch"), "-q", "--no-checksum", *["--reverse"] * is_reverse]
    if roots is None:
        return [*words, "-n", "all"]
    with open(os.path.join(folder, "roots"), "w", encoding="ascii") as file:
        file.writelines(f"{root}\n" for root in roots)
    return [*words, "--roots-from", file.name]


def distances(shards: str, roots: numpy.ndarray, vertices: int, is_reverse: bool, options: list) -> numpy.ndarray:
    """A row of distances, int32, for each root; read-only."""
    with _scratch.Folder(_scratch.place(4 * vertices * len(roots))) as folder:
        matrix = os.path.join(folder, "depths.npy")
        run(*_words(roots, folder, is_reverse), "--depths", matrix, *options, shards)
        return numpy.load(matrix, mmap_mode="r").reshape(len(roots), vertices)


def centralities(shards: str, roots: Optional[numpy.ndarray], vertices: int, is_reverse: bool, options: list) -> Centralities:
    """The centralities of these roots, or of all vertices that have edges, in the order of ids."""
    count = vertices if roots is None else len(roots)
    with _scratch.Folder(_scratch.place(100 * count)) as folder:
        table = os.path.join(folder, "centralities.tsv")
        run(*_words(roots, folder, is_reverse), "--centrality", table, *options, shards)
        columns = numpy.loadtxt(table, ndmin=2).T if count else numpy.empty((7, 0))
    return Centralities(*(column.astype(numpy.int64) for column in columns[:4]), *columns[4:])
