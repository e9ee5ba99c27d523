"""dbfs.py: graphs of numpy arrays, packed and searched by the programs of dbfs; see dbfs-python(7).

    import dbfs
    dbfs.pack(edges, "g.dbfs")          # m x 2 integers, or a sparse matrix of scipy
    with dbfs.open("g.dbfs") as g:
        distances, parents = g.search(0)
        g.path(0, 17)

The programs are found in PATH, or in the folder that the environment variable DBFS_BIN names. Arrays go to them through
pipes; results are files without a name, which numpy maps. An id is a row of the matrix; -1 is a vertex that was not reached.

Threads may share a graph: a question and its answer are one turn. A process that gets a graph by fork or by pickle starts a
program of its own with its first search.
"""
import contextlib
import io
import mmap
import operator
import os
import signal
import subprocess
import sys
import tempfile
import threading
import weakref
from collections import namedtuple

import numpy

NPY_HEADER_BYTES = 128  # of the files that dbfs-traverse writes
MOST_MAPPED = 128  # results of a graph that are mapped files
PATIENCE_S = 10  # for a program that was told to end

Search = namedtuple("Search", "distances parents")


class Error(Exception):
    """A program has failed: its message, and its exit code as `code` (2 usage, 3 bad data, 5 resources, else 1)."""

    def __init__(self, text, code):
        super().__init__(text, code)
        self.code = code

    def __str__(self):
        return self.args[0]


# ---- programs ----

def _program(name):
    return os.path.join(os.environ["DBFS_BIN"], name) if "DBFS_BIN" in os.environ else name


def _start(*words, **pipes):
    try:
        return subprocess.Popen(words, **pipes)
    except (FileNotFoundError, PermissionError) as e:
        where = "is MPI in PATH?" if words[0] == "mpiexec" else "is dbfs in PATH, or DBFS_BIN its folder?"
        raise Error(f"{words[0]}: {e.strerror}: {where}", 1) from None


def _words_of(options):
    """Options as words of a command line."""
    if isinstance(options, (str, bytes)):
        raise TypeError(f"options are a list of words, such as {options.split()}, not {options!r}")
    return [word if isinstance(word, (str, bytes, os.PathLike)) else str(word) for word in options]


def _said(file):
    """What a program has written to a file of messages, where names of files are in the file system's encoding."""
    file.seek(0)
    return file.read().decode(sys.getfilesystemencoding(), "backslashreplace").strip()


def _failure(process, messages):
    """The exception for a program that has ended: in its own words, if it said any."""
    code = process.returncode
    how = f"signal {-code}" if code < 0 else f"exit status {code}"
    return Error(_said(messages) or f"{os.path.basename(process.args[0])}: ended by {how}", code or 1)


# ---- graphs as edges ----

OTHERS = {  # modules with graphs of their own: what pack takes of such a graph
    "networkx": "networkx.to_scipy_sparse_array(graph, weight=None)",
    "igraph": "graph.get_edgelist(), and vertices=graph.vcount()",
    "graph_tool": "graph.get_edges(), and vertices=graph.num_vertices()",
    "rustworkx": "list(graph.edge_list()), and vertices=graph.num_nodes()",
}


def _vertex(value):
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
        raise TypeError(f"ids are integers, not {array.dtype}; `edgeconv --compact` numbers names, "
                        "and scipy.sparse.coo_array(matrix) takes the entries of a dense matrix")
    try:
        return numpy.array([_vertex(value) for value in array.flat], numpy.int64).reshape(array.shape)
    except TypeError as e:
        raise TypeError(f"ids are integers: {e}; `edgeconv --compact` numbers names") from None
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


def _edges_of_array(graph):
    """The rows of an array, a list or a table of two columns."""
    for module in (base.__module__.split(".")[0] for base in type(graph).__mro__):
        if module in OTHERS:
            raise TypeError(f"a graph of {module}: give {OTHERS[module]}")
    if hasattr(graph, "columns") and hasattr(graph, "to_numpy") and len(graph.columns) != 2:
        raise ValueError(f"a table of {len(graph.columns)} columns: give the two of an edge's ends, "
                         f"such as table[{list(graph.columns[:2])}]")
    edges = _integers(graph)
    if edges.shape in ((0,), (0, 2)):
        return numpy.empty((0, 2), numpy.int64)
    if edges.ndim == 2 and edges.shape[1] != 2 and edges.shape[0] in (2, edges.shape[1]):
        raise ValueError(f"an array of shape {edges.shape}: expected a row for each edge, (m, 2); give its transpose, or of a "
                         "dense matrix scipy.sparse.coo_array(matrix)")
    return edges


def _edges_of(graph):
    """The edges of a graph as an array of m x 2, and its number of vertices where it is known."""
    if hasattr(graph, "tocoo"):
        return _edges_of_matrix(graph), graph.shape[0]
    if isinstance(graph, tuple) and len(graph) == 2:
        return _edges_of_rows(*graph), len(graph[0]) - 1
    return _edges_of_array(graph), None


# ---- packing ----

def _feed(pipe, array):
    """Writes an array as a .npy file; who reads it tells why it does not read on."""
    array = numpy.ascontiguousarray(array)
    header = io.BytesIO()
    numpy.lib.format.write_array_header_2_0(header, numpy.lib.format.header_data_from_array_1_0(array))
    with contextlib.suppress(BrokenPipeError), pipe:
        pipe.write(header.getvalue())
        pipe.write(array.reshape(-1).view(numpy.uint8))


def _check_ends(reading, writing, messages):
    """Raises what went wrong, by the program that found it: one that has lost the other says nothing of its own."""
    lost = reading.returncode in (1, -signal.SIGPIPE) and not _said(messages[0])
    if reading.returncode != 0 and not (lost and writing.returncode != 0):
        raise _failure(reading, messages[0])
    if writing.returncode != 0:
        raise _failure(writing, messages[1])


def pack(graph, path, *, shards=1, direction="once", vertices=None, force=False, options=()):
    """Makes shards of a graph in the folder `path`.

    graph: an integer array of m x 2, a pair (indptr, indices), or a sparse matrix of scipy, whose values are not
    used. direction: "once", where each entry is one undirected edge, "symmetric", where each edge must be there both
    ways, or "directed". vertices: their number, where there are more than the largest id says. options: more of dbfs-pack.
    """
    edges, known = _edges_of(graph)
    vertices = known if vertices is None else _vertex(vertices)
    if vertices == 0:
        raise ValueError("the graph has no vertices")
    read = [_program("edgeconv"), "-q", "-f", "npy", "--direction", direction, "-"]
    if vertices is not None:
        read[1:1] = ["--vertices", str(vertices)]
    write = [_program("dbfs-pack"), "-q", "-p", str(shards), "-o", os.path.abspath(path), *_words_of(options),
             *["--force"] * force, "-"]
    running = []
    with tempfile.TemporaryFile() as said_by_reading, tempfile.TemporaryFile() as said_by_writing:
        try:
            running.append(_start(*read, stdin=-1, stdout=-1, stderr=said_by_reading))
            with running[0].stdout as stream:
                running.append(_start(*write, stdin=stream, stderr=said_by_writing))
            _feed(running[0].stdin, edges)
            for process in running:
                process.wait()
        finally:  # after an interrupt nothing goes on
            for process in running:
                process.terminate()
                process.wait()
        _check_ends(*running, (said_by_reading, said_by_writing))


# ---- searching ----

class _Files:
    """Files without a name for results of searches. One that nobody has any more is written over."""

    def __init__(self, folder):
        self._folder = folder
        self._spare = []
        self._retired = False

    def lend(self):
        try:
            return self._spare.pop()
        except IndexError:
            return tempfile.TemporaryFile(dir=self._folder, buffering=0)

    def give_back(self, file):
        """Anybody may call this: garbage is collected in any thread."""
        if self._retired:
            file.close()
        else:
            self._spare.append(file)

    def retire(self):
        """From now on no file is written over."""
        self._retired = True
        with contextlib.suppress(IndexError):
            while True:
                self._spare.pop().close()


class _Server:
    """A dbfs-traverse --serve: it takes a line with a root, writes the results, and gives a line.

    The program opens two descriptors of this process, by their names in /proc, and writes over the files that are put
    there; so no result has a name of its own, which would have to be removed. A session of its own keeps the interrupts of
    a terminal from the program, which ends when its input does, however this process ends.
    """

    def __init__(self, path, ranks, folder, options):
        self._folder = folder
        self._messages = tempfile.TemporaryFile()
        self._places = [tempfile.TemporaryFile() for _ in Search._fields]  # regular files from the start, as it checks them
        self._names = depths, parents = [f"/proc/{os.getpid()}/fd/{place.fileno()}" for place in self._places]
        words = [_program("dbfs-traverse"), "--serve", "--force", "--in-place", "--result-format", "npy", *options,
                 "--depths", depths, "--parents", parents, path]
        if ranks > 1:
            words[:0] = ["mpiexec", "-n", str(ranks)]
        self._process = _start(*words, stdin=-1, stdout=-1, stderr=self._messages, bufsize=0, start_new_session=True)

    def ask(self, root, files):
        """Sends a root, whose distances and parents go into these files."""
        for place, file in zip(self._places, files):
            os.dup2(file.fileno(), place.fileno(), inheritable=False)
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write(b"%d\n" % root)

    def answer(self):
        """The line of the last root. Error: the program has ended."""
        line = b""
        while not line.endswith(b"\n"):
            part = self._process.stdout.read(1 << 16)
            if not part:
                raise self._failure()
            line += part
        return line.decode(errors="replace")

    def _failure(self):
        self._process.wait()
        error = _failure(self._process, self._messages)
        text = str(error)
        for name in self._names:
            text = text.replace(name, f"a result in {self._folder or tempfile.gettempdir()}, dbfs.open's `folder`")
        return Error(f"{text}: dbfs.open loads the graph again" if error.code < 0 else text, error.code)

    def kill(self):
        """Ends the program in the middle of a search; whoever waits for the answer finds that out."""
        self._process.terminate()

    def stop(self):
        """Ends the program, which sees the end of its input first."""
        self._close()
        for harder in self._process.terminate, self._process.kill:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(PATIENCE_S)
                return
            harder()
        self._process.wait()

    def leave(self):
        """Leaves the program to the process that this one was forked from."""
        self._close()
        self._process.poll()  # notes that this process has no such child

    def _close(self):
        for file in self._process.stdin, self._process.stdout, self._messages, *self._places:
            file.close()


class _OfThread(threading.local):
    """What the last search of each thread has told."""
    figures = {}


class Graph:
    """A loaded graph: a dbfs-traverse --serve that waits for roots. dbfs.open makes it.

    The program starts with the first search: in a process that got the graph by fork or by pickle, too.
    """

    def __init__(self, *opened):
        self._opened = opened  # path, ranks, folder, options
        self._lock = threading.RLock()  # held from a question to the end of its answer
        self._asking = False
        self._server = None
        self._ended = None  # the exception of all searches that come
        self._files = _Files(opened[2])
        self._mapped = weakref.WeakSet()  # files of results that somebody has
        self._last = None
        self._of_thread = _OfThread()
        _graphs[id(self)] = self

    @property
    def figures(self):
        """What dbfs-traverse says of this thread's last search, as text: time_s, levels, reached, edges, answer_s, others."""
        return self._of_thread.figures

    def _ask(self, root, files):
        """The line of a root, when its results are in the files."""
        try:
            self._asking = True
            if self._server is None:
                self._server = _Server(*self._opened)
            self._server.ask(root, files)
            self._last = None  # its memory is given back while the search runs
            return self._server.answer()
        except Error as e:
            self._end(Error(*e.args))
            raise
        except BaseException:  # an interrupt: the answer that comes would be taken for that of the next question
            self._kill()
            self._end(ValueError("the graph is closed, as a search was interrupted: dbfs.open loads it again"))
            raise
        finally:
            self._asking = False

    def _take(self, file, pool):
        """The array in a file, which is lent again when nobody has the array or a part of it."""
        file_map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        width = file_map[file_map.find(b"<i") + 2] - ord("0")
        array = numpy.frombuffer(file_map, f"<i{width}", offset=NPY_HEADER_BYTES)
        if len(self._mapped) < MOST_MAPPED:
            self._mapped.add(file_map)
            weakref.finalize(file_map, pool.give_back, file).atexit = False
            return array
        array = array.copy()  # a process may have only so many files open
        array.flags.writeable = False
        pool.give_back(file)
        return array

    def search(self, root):
        """Distances from a vertex, int32, and the vertex before each. Both are read-only, and -1 where nothing leads."""
        root = _vertex(root)
        with self._lock:
            if self._asking:
                raise RuntimeError("this thread is in a search of the graph already, as in a handler of a signal")
            if self._ended is not None:
                raise type(self._ended)(*self._ended.args)
            pool = self._files
            files = pool.lend(), pool.lend()
            words = self._ask(root, files).split()
            if words[0] == "error":
                for file in files:
                    pool.give_back(file)
                raise Error(" ".join(words[1:]), 2)
            self._of_thread.figures = dict(zip(words[0::2], words[1::2]))
            self._last = root, Search(*(self._take(file, pool) for file in files))
            return self._last[1]

    def search_many(self, roots):
        """The searches from several vertices, one after the other, as they are asked for."""
        return (self.search(root) for root in roots)

    def path(self, start, end):
        """The vertices of a shortest path from `start` to `end`; None: there is none."""
        start, end = _vertex(start), _vertex(end)
        with self._lock:
            last = self._last
            distances, parents = last[1] if last is not None and last[0] == start else self.search(start)
        if not 0 <= end < len(distances):
            raise Error(f"vertex {end}: the graph has vertices 0 to {len(distances) - 1}", 2)
        if distances[end] < 0:
            return None
        way = [end]
        while way[-1] != start:
            way.append(int(parents[way[-1]]))
        return way[::-1]

    def close(self):
        """Ends the program; arrays that were given out stay."""
        with self._lock:
            if self._asking:  # this is a handler of a signal: the search finds that the program has ended
                self._kill()
            elif self._ended is None:
                self._end(ValueError("the graph is closed: dbfs.open loads it again"))

    def _kill(self):
        if self._server is not None:
            self._server.kill()

    def _end(self, reason):
        server, self._server, self._last, self._ended = self._server, None, None, reason
        self._files.retire()
        if server is not None:
            server.stop()

    def _forked(self, is_child):
        """Results that both processes have stay as they are. Only the parent has the program, and threads that wait."""
        self._files.retire()
        self._files = _Files(self._opened[2])
        if is_child:
            self._lock, self._asking = threading.RLock(), False
            server, self._server = self._server, None
            if server is not None:
                server.leave()

    def __reduce__(self):
        if self._ended is not None:
            raise type(self._ended)(*self._ended.args)
        return Graph, self._opened

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        if getattr(self, "_server", None) is not None and not sys.is_finalizing():
            self.close()


_graphs = weakref.WeakValueDictionary()


def _forked(is_child):
    for reference in _graphs.valuerefs():
        graph = reference()
        if graph is not None:
            graph._forked(is_child)


os.register_at_fork(after_in_parent=lambda: _forked(False), after_in_child=lambda: _forked(True))


def open(path, *, ranks=1, folder=None, options=()):
    """Loads the shards in `path`, and keeps them for searches: dbfs-traverse, of `ranks` ranks, with these options.

    folder: where results are written; without it /dev/shm, which is memory, or the usual temporary folder.
    """
    if folder is None and os.access("/dev/shm", os.W_OK):
        folder = "/dev/shm"
    graph = Graph(os.path.abspath(path), operator.index(ranks), folder, _words_of(options))
    try:
        graph.search(0)  # tells of a graph that cannot be loaded, now
    except BaseException:
        graph.close()
        raise
    return graph
