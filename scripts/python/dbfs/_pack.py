"""Shards of graphs, made of arrays by edgeconv, if these are not small, and dbfs-pack."""
from __future__ import annotations

import contextlib
import io
import os
import signal
import tempfile
from typing import Optional

import numpy

from dbfs._edges import Edges, edges_of, vertex_of
from dbfs._programs import failure, program, said, start, words_of
from dbfs._stream import small_stream

MANIFEST = "manifest"


def _npy(array) -> list:
    """The bytes of a .npy file, in two pieces."""
    array = numpy.ascontiguousarray(array)
    header = io.BytesIO()
    numpy.lib.format.write_array_header_2_0(header, numpy.lib.format.header_data_from_array_1_0(array))
    return [header.getvalue(), array.reshape(-1).view(numpy.uint8)]


def _check_ends(reading, writing, messages):
    """Raises what went wrong, by the program that found it: one that has lost the other says nothing of its own."""
    for process in reading:
        lost = process.returncode in (1, -signal.SIGPIPE) and not said(messages[0])
        if process.returncode != 0 and not (lost and writing.returncode != 0):
            raise failure(process, messages[0])
    if writing.returncode != 0:
        raise failure(writing, messages[1])


def into_program(edges: Edges, direction: Optional[str], vertices: Optional[int], *words) -> None:
    """Runs a program that reads these edges as a stream from its input. ValueError: there are no vertices. Error."""
    direction = direction or ("directed" if edges.is_directed else "once")
    vertices = edges.vertices if vertices is None else vertex_of(vertices)
    if vertices == 0:
        raise ValueError("the graph has no vertices")
    if edges.names is not None and vertices != len(edges.names):
        raise ValueError(f"vertices={vertices}: the graph has {len(edges.names)} names")
    stream = small_stream(edges.array, direction, vertices)
    read = [program("edgeconv"), "-q", "-f", "npy", "--direction", direction, "-"]
    if vertices is not None:
        read[1:1] = ["--vertices", str(vertices)]
    running = []
    with tempfile.TemporaryFile() as said_by_reading, tempfile.TemporaryFile() as said_by_writing:
        try:
            if stream is None:
                running.append(start(*read, stdin=-1, stdout=-1, stderr=said_by_reading))
                with running[0].stdout as pipe:
                    running.append(start(*words, stdin=pipe, stderr=said_by_writing))
            else:
                running.append(start(*words, stdin=-1, stderr=said_by_writing))
            with contextlib.suppress(BrokenPipeError), running[0].stdin as pipe:  # who does not read on says why
                for piece in [stream] if stream is not None else _npy(edges.array):
                    pipe.write(piece)
            for process in running:
                process.wait()
        finally:  # after an interrupt nothing goes on
            for process in running:
                process.terminate()
                process.wait()
        _check_ends(running[:-1], running[-1], (said_by_reading, said_by_writing))


def manifest_of(path: str) -> dict[str, str]:
    """What the manifest of packed shards says: the words after the first one of each line, by that one."""
    with open(os.path.join(path, MANIFEST), encoding="ascii", errors="replace") as lines:
        return {key: rest for key, _, rest in (line.strip().partition(" ") for line in lines)}


def names_path(path: str, manifest: dict[str, str]) -> str:
    """The file of names that belongs to these shards, and not to others that were in the folder before."""
    return os.path.join(path, f"names-{manifest.get('pack-id', '')}.map")


def _write_names(path: str, names) -> None:
    """Leaves the names of the vertices beside the shards, as dbfs-map(5), under a name that is complete."""
    for name in os.listdir(path):
        if name.startswith("names-") and name.endswith(".map"):
            os.unlink(os.path.join(path, name))
    if names is None:
        return
    final = names_path(path, manifest_of(path))
    try:
        with open(final + ".part", "w", encoding="utf-8", errors="surrogateescape", newline="\n") as file:
            file.writelines(name + "\n" for name in names)
            file.flush()
            os.fsync(file.fileno())
        os.replace(final + ".part", final)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(final + ".part")
        raise


def pack(graph, path, *, shards: int = 1, direction: Optional[str] = None, vertices: Optional[int] = None,
         force: bool = False, options=()) -> None:
    """Makes shards of a graph in the folder `path`.

    graph: an integer array of m x 2, a pair (indptr, indices) of compressed rows, a sparse matrix of scipy, whose values
    are not used, a table of pandas or pyarrow with two columns, of ids or of names, or a graph of networkx.

    direction: "once", where each entry is one undirected edge, "symmetric", where each edge must be there both ways, or
    "directed". None: as a graph of networkx is, otherwise "once".

    vertices: their number, where there are more than the largest id says. shards: one for each device that will search.
    force: replaces shards that are there. options: a list of words for dbfs-pack(1).

    TypeError, ValueError: this is no such graph. Error: a program has failed.
    """
    edges, path = edges_of(graph), os.fsdecode(os.path.abspath(path))
    into_program(edges, direction, vertices, program("dbfs-pack"), "-q", "-p", str(shards), "-o", path, *words_of(options),
                 *["--force"] * force, "-")
    _write_names(path, edges.names)
