"""Connected components of a graph, by dbfs-components."""
from __future__ import annotations

import os
from typing import Optional

import numpy

from dbfs import _scratch
from dbfs._edges import edges_of
from dbfs._pack import into_program
from dbfs._programs import program, words_of


def components(graph, *, strong: bool = False, direction: Optional[str] = None, vertices: Optional[int] = None,
               options=()) -> numpy.ndarray:
    """The number of the component of each vertex, int32 or int64; 0 is the largest component.

    graph, direction and vertices are those of pack; in a directed graph components are weak, or with strong=True strong.
    options: a list of words for dbfs-components(1). The array is read-only. The vertices of a component are
    numpy.flatnonzero(components == number), and the sizes numpy.bincount(components).

    TypeError, ValueError: this is no such graph. Error: a program has failed.
    """
    edges = edges_of(graph)
    with _scratch.Folder(_scratch.place(8 * len(edges.array))) as folder:
        numbers = os.path.join(folder, "components.npy")
        into_program(edges, direction, vertices, program("dbfs-components"), "-q", *["--strong"] * strong, "-o", numbers,
                     *words_of(options), "-")
        return numpy.asarray(numpy.load(numbers, mmap_mode="r"))
