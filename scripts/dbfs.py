"""dbfs.py: graphs of numpy arrays, packed and searched by the programs of dbfs; see dbfs-python(7).

    import dbfs
    dbfs.pack(edges, "g.dbfs")          # m x 2 integers, or a sparse matrix of scipy
    with dbfs.open("g.dbfs") as g:
        distances, parents = g.search(0)
        g.path(0, 17)

The programs are found in PATH, or in the folder that the environment variable DBFS_BIN names. Arrays go to them
through pipes; results are files in memory, which numpy maps. An id is a row of the matrix; -1 is a vertex that was not reached.
"""
import contextlib
import io
import mmap
import operator
import os
import shutil
import subprocess
import tempfile
import weakref
from collections import namedtuple

import numpy

NPY_HEADER_BYTES = 128  # of the files that dbfs-traverse writes
MOST_MAPPED = 128  # results of a graph that are mapped files

Search = namedtuple("Search", "distances parents")


class Error(Exception):
    """A program has failed: its message, and its exit code as `code` (2 usage, 3 bad data, 5 resources, else 1)."""

    def __init__(self, text, code):
        super().__init__(text)
        self.code = code


def _program(name):
    return os.path.join(os.environ["DBFS_BIN"], name) if "DBFS_BIN" in os.environ else name


def _words(file):
    """What a program has written to a file of messages."""
    file.seek(0)
    return file.read().decode(errors="replace").strip()


def _start(*words, **pipes):
    try:
        return subprocess.Popen(words, **pipes)
    except OSError as e:
        raise Error(f"{words[0]}: {e.strerror}: is dbfs in PATH, or DBFS_BIN its folder?", 1) from None


# ---- packing ----

def _edges_of(graph):
    """The edges of a graph as an array of m x 2, and its number of vertices where it is known."""
    if hasattr(graph, "tocoo"):  # a matrix of scipy
        if graph.shape[0] != graph.shape[1]:
            raise ValueError(f"a matrix of shape {graph.shape} is no graph: it must be square")
        matrix = graph.tocoo()
        return numpy.column_stack((matrix.row, matrix.col)), graph.shape[0]
    if isinstance(graph, tuple) and len(graph) == 2:  # csr: indptr, indices
        indptr, indices = map(numpy.asarray, graph)
        rows = numpy.repeat(numpy.arange(len(indptr) - 1, dtype=indices.dtype), numpy.diff(indptr))
        return numpy.column_stack((rows, indices)), len(indptr) - 1
    return numpy.asarray(graph), None


def _feed(pipe, array):
    """Writes an array as a .npy file; who reads it tells why it does not read on."""
    header = io.BytesIO()
    numpy.lib.format.write_array_header_2_0(header, numpy.lib.format.header_data_from_array_1_0(array))
    try:
        with pipe:
            pipe.write(header.getvalue())
            pipe.write(memoryview(array.reshape(-1)).cast("B") if array.size else b"")
    except BrokenPipeError:
        pass


def pack(graph, path, *, shards=1, direction="once", vertices=None, force=False, options=()):
    """Makes shards of a graph in the folder `path`.

    graph: an integer array of m x 2, a pair (indptr, indices), or a sparse matrix of scipy, whose values are not
    used. direction: "once", where each entry is one undirected edge, or "symmetric", where each edge must be there both
    ways. vertices: their number, where there are more than the largest id says. options: more of dbfs-pack.
    """
    edges, known = _edges_of(graph)
    vertices = known if vertices is None else vertices
    if vertices == 0:
        raise ValueError("the graph has no vertices")
    read = [_program("edgeconv"), "-q", "-f", "npy", "--direction", direction, "-"]
    if vertices is not None:
        read[1:1] = ["--vertices", str(vertices)]
    write = [_program("dbfs-pack"), "-q", "-p", str(shards), "-o", os.fspath(path), *options, *["--force"] * force, "-"]
    with tempfile.TemporaryFile() as said_first, tempfile.TemporaryFile() as said:
        first = _start(*read, stdin=-1, stdout=-1, stderr=said_first)
        try:
            last = _start(*write, stdin=first.stdout, stderr=said)
        finally:
            first.stdout.close()
            _feed(first.stdin, numpy.ascontiguousarray(edges))
        codes = first.wait(), last.wait()
        if codes[0] > 0:
            raise Error(_words(said_first), codes[0])
        if codes != (0, 0):
            raise Error(_words(said) or f"dbfs-pack: ended by signal {-codes[1]}", codes[1])


# ---- searching ----

class Graph:
    """A loaded graph: a dbfs-traverse --serve that waits for roots. dbfs.open makes it."""

    def __init__(self, path, ranks, folder, options):
        self._said = tempfile.TemporaryFile()
        self._folder = tempfile.mkdtemp(prefix="dbfs-", dir=folder)
        self._ways = {}  # where the names of results lead
        self._files = 0  # of results, spare ones included
        self._spare = []  # files without a name, of results that nobody has any more
        self._last = None
        self.figures = {}
        command = [_program("dbfs-traverse"), "--serve", "--force", "--in-place", *options,
                   "--depths", self._folder + "/d.npy", "--parents", self._folder + "/p.npy", os.fspath(path)]
        if ranks > 1:
            command[:0] = ["mpiexec", "-n", str(ranks)]
        self._server = None
        try:
            self._server = _start(*command, stdin=-1, stdout=-1, stderr=self._said)
            self.search(0)  # tells of a graph that cannot be loaded, now
        except BaseException:
            self.close()
            raise

    def _lend(self, kind):
        """A file for a result: the program finds it by name, and writes over it."""
        if not self._spare:
            self._spare.append(tempfile.TemporaryFile(dir=self._folder, buffering=0))
            self._files += 1
        file = self._spare.pop()
        name, way = f"{self._folder}/{kind}.npy", f"/proc/{os.getpid()}/fd/{file.fileno()}"
        if self._ways.get(kind) != way:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(name)
            os.symlink(way, name)
            self._ways[kind] = way
        return file

    def _ask(self, root):
        """The line of a root, as a dict: time_s, levels, reached, edges, answer_s and others."""
        try:
            self._server.stdin.write(b"%s\n" % str(root).encode())
            self._server.stdin.flush()
            self._last = None  # its memory is given back while the search runs
            words = self._server.stdout.readline().decode().split()
        except BrokenPipeError:
            words = []
        except BaseException:  # an interrupt: the line that comes would be taken for that of the next root
            self.close()
            raise
        if not words:
            code = self._server.wait()
            raise Error(_words(self._said) or f"dbfs-traverse: ended by signal {-code}", code)
        if words[0] == "error":
            raise Error(" ".join(words[1:]), 2)
        return dict(zip(words[0::2], words[1::2]))

    def _take(self, file):
        """The array in a file, which is lent again when nobody has the array or a part of it."""
        file_map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        width = file_map[file_map.find(b"<i") + 2] - ord("0")
        array = numpy.frombuffer(file_map, f"<i{width}", offset=NPY_HEADER_BYTES)
        if self._files - len(self._spare) <= MOST_MAPPED:
            weakref.finalize(file_map, self._spare.append, file).atexit = False
            return array
        array = array.copy()  # a process may have only so many files open
        array.flags.writeable = False
        self._spare.append(file)
        return array

    def search(self, root):
        """Distances from a vertex, int32, and the vertex before each. Both are read-only, and -1 where nothing leads.

        `figures` then has what dbfs-traverse says of the search.
        """
        root = operator.index(root)
        if self._server is None:
            raise ValueError("the graph is closed")
        files = self._lend("d"), self._lend("p")
        try:
            self.figures = self._ask(root)
        except Error:
            self._spare += files
            raise
        self._last = root, Search(*map(self._take, files))
        return self._last[1]

    def search_many(self, roots):
        """The searches from several vertices, one after the other, as they are asked for."""
        return (self.search(root) for root in roots)

    def path(self, start, end):
        """The vertices of a shortest path from `start` to `end`; None: there is none."""
        start, end = operator.index(start), operator.index(end)
        if self._last is None or self._last[0] != start:
            self.search(start)
        distances, parents = self._last[1]
        if not 0 <= end < len(distances):
            raise Error(f"root {end}: the graph has vertices 0 to {len(distances) - 1}", 2)
        if distances[end] < 0:
            return None
        way = [end]
        while way[-1] != start:
            way.append(int(parents[way[-1]]))
        return way[::-1]

    def close(self):
        """Ends the program; arrays that were given out stay."""
        server, self._server = self._server, None
        if server is not None:
            try:
                server.stdin.close()
            except BrokenPipeError:
                pass
            server.stdout.close()
            server.wait()
        self._said.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        if getattr(self, "_server", None) is not None:
            self.close()


def open(path, *, ranks=1, folder=None, options=()):
    """Loads the shards in `path`, and keeps them for searches: dbfs-traverse, of `ranks` ranks, with these options.

    folder: where results are written; without it /dev/shm, which is memory, or the usual temporary folder.
    """
    if folder is None and os.access("/dev/shm", os.W_OK):
        folder = "/dev/shm"
    return Graph(path, ranks, folder, options)
