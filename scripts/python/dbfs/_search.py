"""Searches of packed graphs, by a dbfs-traverse --serve that stays, and by dbfs-batch for many roots."""
from __future__ import annotations

import builtins
import collections
import contextlib
import functools
import itertools
import mmap
import operator
import os
import select
import signal
import subprocess
import sys
import tempfile
import threading
import weakref
from typing import Iterable, Iterator, NamedTuple, Optional, Union

import numpy

from dbfs import _batch
from dbfs._batch import Centralities, Diameter
from dbfs._device import DeviceArray, close_memory, open_memory
from dbfs._edges import vertex_of
from dbfs._kept import find_kept
from dbfs._pack import manifest_of, names_path
from dbfs._programs import Error, failure, launcher, program, start, words_of

NPY_HEADER_BYTES = 128  # of the files that dbfs-traverse writes
MOST_MAPPED = 128  # results of a graph that are mapped files
MOST_PROGRAMS = 2  # of a graph, with different options; each has the shards in memory
PATIENCE_S = 10  # for a program that was told to end


class Search(NamedTuple):
    """What a search found, by vertex; -1 where nothing leads."""

    distances: numpy.ndarray  # int32: edges from the root
    parents: numpy.ndarray  # int32 or int64: the vertex before each on a shortest path; the root's is itself


class Together(NamedTuple):
    """What a search from several roots found, by vertex; -1 where nothing leads."""

    distances: numpy.ndarray  # int32: edges from the nearest root
    parents: numpy.ndarray  # int32 or int64: the vertex before each; a root's is itself
    nearest: numpy.ndarray  # of the type of parents: the root to which the parents lead


class DeviceSearch(NamedTuple):
    """What a search found, by vertex, in memory of the GPU; -1 where nothing leads."""

    distances: DeviceArray  # int32: edges from the root
    parents: DeviceArray  # int32 or int64: the vertex before each on a shortest path; the root's is itself


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

    `kind` is Search or Together, whose fields are options of the program: --depths, --parents, --nearest; or DeviceSearch, for
    which no files are written.

    The program opens descriptors of this process, by their names in /proc, and writes over the files that are put
    there; so no result has a name of its own, which would have to be removed. A session of its own keeps the interrupts of
    a terminal from the program, which ends when its input does, however this process ends.
    """

    def __init__(self, path, ranks, folder, options, kind):
        self._folder = folder
        self._messages = tempfile.TemporaryFile()
        self._places = [tempfile.TemporaryFile() for _ in _fields_in_files(kind)]  # regular files from the start, as it checks them
        self._names = [f"/proc/{os.getpid()}/fd/{place.fileno()}" for place in self._places]
        outputs = itertools.chain(*zip(("--depths", "--parents", "--nearest"), self._names))
        how = ["--device-answers"] if kind is DeviceSearch else ["--force", "--in-place", "--result-format", "npy"]
        words = [program("dbfs-traverse"), "--serve", *how, *options, *["--together"] * (kind is Together), *outputs, path]
        if ranks > 1:
            words[:0] = [launcher(), "-n", str(ranks)]
        self._process = start(*words, stdin=-1, stdout=-1, stderr=self._messages, bufsize=0, start_new_session=True)

    def ask(self, roots, files):
        """Sends the roots of a search, whose results go into these files."""
        for place, file in zip(self._places, files):
            os.dup2(file.fileno(), place.fileno(), inheritable=False)
        self._send(",".join(map(str, roots)))

    def _send(self, text):
        line = (text + "\n").encode()
        with contextlib.suppress(BrokenPipeError):
            while line:
                line = line[self._process.stdin.write(line):]

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
        error = failure(self._process, self._messages)
        text = str(error)
        for name in self._names:
            text = text.replace(name, f"a result in {self._folder or tempfile.gettempdir()}, dbfs.open's `folder`")
        return Error(f"{text}: dbfs.open loads the graph again" if error.code < 0 else text, error.code)

    def kill(self):
        """Ends the program in the middle of a search; whoever waits for the answer finds that out."""
        self._process.terminate()

    def stop(self):
        """Ends the program, which sees the end of its input first."""
        self._process.stdin.close()
        end = select.poll()  # of its output: Popen.wait with a timeout sleeps between looks
        end.register(self._process.stdout, 0)
        end.poll(1000 * PATIENCE_S)
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


class _DeviceServer(_Server):
    """A dbfs-traverse --serve --device-answers. Each array has memory of its own, which the program frees when nobody has the array.

    As long as somebody has an array, the program does not end, even if the graph is closed.
    """

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self._owner = os.getpid()
        self._held = set()  # the numbers of arrays that somebody has
        self._released = collections.deque()  # numbers that the program is to be told
        self._writing = threading.Lock()
        self.leaves = False  # it ends with the last array

    def ask(self, roots, files):
        with self._writing:
            self._tell_released()
            super().ask(roots, files)

    def take(self, figures) -> DeviceSearch:
        """The arrays that the line of a root tells of; their words are taken out of `figures`."""
        gpu, n = figures.pop("gpu"), int(figures.pop("values"))
        fields = [figures.pop(name).split(":") for name in ("depths", "parents")]
        arrays = []
        try:
            for number, width, handle in fields:
                array = DeviceArray(gpu, open_memory(gpu, handle), n, int(width))
                self._held.add(number)
                weakref.finalize(array, self._give_back, number, array._address, gpu).atexit = False
                arrays.append(array)
        except Error:
            self._released.extend(number for number, _, _ in fields[len(arrays):])
            raise
        return DeviceSearch(*arrays)

    def _give_back(self, number, address, gpu):
        """Nobody has the array any more. Any thread may call this, also in the middle of a question."""
        if os.getpid() != self._owner:
            return
        with contextlib.suppress(Error):
            close_memory(gpu, address)
        self._held.discard(number)
        self._released.append(number)
        if self._writing.acquire(blocking=False):
            try:
                self._tell_released()
            finally:
                self._writing.release()
        if self.leaves and not self._held:
            self.leave()

    def _tell_released(self):
        with contextlib.suppress(ValueError):  # the pipe is closed, as the program ends
            while self._released:
                self._send(f"release {self._released.popleft()}")

    def kill(self):
        self.leaves = True
        if not self._held:
            super().kill()

    def stop(self):
        self.leaves = True
        if not self._held:
            super().stop()


class _OfThread(threading.local):
    """What the last search of each thread has told."""
    figures = {}


class Graph:
    """A loaded graph: a dbfs-traverse --serve that waits for roots. dbfs.open makes it.

    The program starts with the first search: in a process that got the graph by fork or by pickle, too. Threads may share a
    graph: a question and its answer are one turn.

    A vertex is an id, a whole number from 0 to n - 1, or a name, if the graph has names.
    """

    def __init__(self, path: str, ranks: int, folder: Optional[str], options: list, names: Optional[str]):
        self._opened = path, ranks, folder, options, names
        self._lock = threading.RLock()  # held from a question to the end of its answer
        self._asking = False
        self._servers: dict = {}  # by their options, beside those of all; the last one used is last
        self._ended = None  # the exception of all searches that come
        self._files = _Files(folder)
        self._mapped = weakref.WeakSet()  # files of results that somebody has
        self._last = None
        self._of_thread = _OfThread()
        _graphs[id(self)] = self

    # ---- what the graph is ----

    @functools.cached_property
    def _manifest(self) -> dict[str, str]:
        return manifest_of(self._opened[0])

    @functools.cached_property
    def _ids(self) -> dict[str, int]:
        return {} if self.names is None else dict(zip(self.names, range(self.n)))

    @property
    def n(self) -> int:
        """The number of vertices, those without edges included."""
        return int(self._manifest["n"])

    @property
    def edges(self) -> int:
        """The number of edges of the input, each counted once for each time that it was there."""
        return int(self._manifest["input-edges"])

    @property
    def directed(self) -> bool:
        """Whether edges are followed in one direction only."""
        return self._manifest["input-direction"] == "directed"

    @property
    def shards(self) -> str:
        """The folder of the shards."""
        return self._opened[0]

    @functools.cached_property
    def names(self) -> Optional[numpy.ndarray]:
        """The names of the vertices by id, an array of strings (objects); None: vertices have only ids."""
        path = self._opened[4] or names_path(self._opened[0], self._manifest)
        if self._opened[4] is None and not os.path.exists(path):
            return None
        with builtins.open(path, encoding="utf-8", errors="surrogateescape", newline="\n") as file:
            names = file.read().split("\n")[:-1]
        if len(names) != self.n:
            raise Error(f"{path}: found {len(names)} names, expected {self.n}, one for each vertex of the graph", 3)
        array = numpy.empty(self.n, object)
        array[:] = names
        array.flags.writeable = False
        return array

    def _vertex(self, value) -> int:
        if not isinstance(value, str):
            return vertex_of(value)
        if self.names is None:
            raise TypeError(f"{value!r} is a name: this graph has only ids, from 0 to {self.n - 1}")
        if value not in self._ids:
            raise Error(f"no vertex has the name {value!r}", 2)
        return self._ids[value]

    def _vertices(self, values) -> numpy.ndarray:
        """Ids of vertices of the graph."""
        if isinstance(values, str):
            raise TypeError(f"a list of vertices is expected, such as [{values!r}], not {values!r}")
        ids = [self._vertex(value) for value in values]
        wrong = next((vertex for vertex in ids if not 0 <= vertex < self.n), None)
        if wrong is not None:
            raise Error(f"vertex {wrong}: the graph has vertices 0 to {self.n - 1}", 2)
        return numpy.array(ids, numpy.int64)

    @property
    def figures(self) -> dict[str, str]:
        """What dbfs-traverse says of this thread's last search, as text: time_s, levels, reached, edges, answer_s, others."""
        return self._of_thread.figures

    def __repr__(self) -> str:
        path, ranks, _, options, _ = self._opened
        try:
            shards = int(self._manifest["p"])
            what = (f"{self.n} vertices{'' if self.names is None else ' with names'}, {self.edges} "
                    f"{'directed' if self.directed else 'undirected'} edges, {shards} shard{'s' * (shards > 1)}")
        except (OSError, KeyError, ValueError, Error):
            what = "its manifest cannot be read"
        how = [f"{ranks} ranks"] * (ranks > 1) + [" ".join(map(str, options))] * bool(options) + ["closed"] * (self._ended is not None)
        return f"<dbfs.Graph {path!r}: {', '.join([what, *how])}>"

    # ---- questions ----

    def search(self, root, *, reverse: bool = False, max_depth: Optional[int] = None, direction: Optional[str] = None,
               together: bool = False, targets=None, device: bool = False) -> Union[Search, Together, DeviceSearch]:
        """Distances from a vertex, and the vertex before each: two read-only arrays of n values, -1 where nothing leads.

        reverse: against the edges of a directed graph, so that distances are those to the root. max_depth: vertices beyond
        count as not reached. direction: how, "push", "pull" or "auto" of dbfs-traverse(1); results are the same.
        together: root is a list of vertices, distances are those from the nearest of them, and a third array, `nearest`,
        says which that is. targets: a list of vertices; the arrays have a value for each of these alone, in their order.
        device: the arrays stay on the GPU, as DeviceArray, for torch.as_tensor(array, device="cuda") and cupy.asarray(array);
        this needs a graph of one shard, and neither together nor targets.

        The first search with other options than those of the last two starts a program of its own, which loads the shards.

        Error: code 2, there is no such vertex, or with device no GPU; code 5, the GPU has no room for one more result; else the
        program has failed. TypeError: this is no vertex.
        """
        words = _words_of_search(reverse, max_depth, direction)
        chosen = None if targets is None else self._vertices(targets)
        if device:
            if together or targets is not None:
                raise ValueError("a search with device=True has one root, and a result for all vertices")
            if self._opened[1] > 1 or int(self._manifest["p"]) > 1:
                raise Error("results stay on a GPU only if a graph has one shard, and is opened with one rank", 2)
            roots, kind = tuple(self._vertices([root]).tolist()), DeviceSearch
        elif together:
            roots, kind = tuple(self._vertices(root).tolist()), Together
            if not roots:
                raise ValueError("a search needs a root")
        else:
            roots, kind = (self._vertex(root),), Search
        found = self._search(roots, words, kind)
        return found if chosen is None else kind(*(_read_only(array[chosen]) for array in found))

    def search_many(self, roots: Iterable, **options) -> Iterator[Search]:
        """The searches from several vertices, one after the other, as they are asked for; options are those of search."""
        return (self.search(root, **options) for root in roots)

    def distances(self, roots: Iterable, *, reverse: bool = False, max_depth: Optional[int] = None, targets=None,
                  options=()) -> numpy.ndarray:
        """A matrix of distances, int32, of a row for each root and a column for each vertex, or for each of the targets.

        From 16 roots on they are searched from at once, by dbfs-batch(1), which loads the shards; options are words for it.
        The other arguments are those of search. The matrix is read-only, and has 4 bytes for each root and vertex.
        """
        roots = self._vertices(roots)
        chosen = slice(None) if targets is None else self._vertices(targets)
        if len(roots) < _batch.WORTH_IT or targets is not None and len(chosen) == 0:
            rows = [self.search(root, reverse=reverse, max_depth=max_depth).distances[chosen] for root in roots]
            return _read_only(numpy.array(rows, numpy.int32).reshape(len(rows), self.n if targets is None else len(chosen)))
        depth = None if max_depth is None else operator.index(max_depth)
        to = self.n if targets is None else chosen
        return _batch.distances(self.shards, roots, to, reverse=reverse, max_depth=depth, options=words_of(options))

    def centralities(self, roots: Optional[Iterable] = None, *, reverse: bool = False, options=()) -> Centralities:
        """Eccentricity, sum of distances, closeness and harmonic centrality of these vertices, or of all that have edges.

        The result has an array for each; see CENTRALITY of dbfs-batch(1), which makes them, and for which options are words.
        """
        roots = None if roots is None else self._vertices(roots)
        kept = sum(int(self._manifest[f"edges-{kind}"]) for kind in ("nn", "nd", "dn", "dd"))  # none is a loop
        rows = min(self.n, kept) if roots is None else len(roots)
        return _batch.centralities(self.shards, roots, rows, reverse=reverse, options=words_of(options))

    def diameter(self, *, options=()) -> Diameter:
        """Diameter and radius, and vertices that show them: of the largest component, or of a directed graph as a whole.

        dbfs-diameter(1) says what they are of a directed graph, and finds them, mostly by few searches; options are words for
        it, such as ["-r", 17] for the component of a vertex of an undirected graph.
        """
        found = _batch.diameter(self.shards, most_searches=None, options=words_of(options))
        if found is None:
            raise Error("dbfs-diameter: the bounds have not met within --searches", 1)
        return found

    def eccentricities(self, *, options=()) -> numpy.ndarray:
        """The largest distance from each vertex, int32: read-only. -1 outside the largest component of an undirected graph.

        Edges of a directed graph are followed, to vertices that can be reached. dbfs-diameter(1) --all finds them, and options are
        words for it, such as ["--every"].
        """
        return _batch.eccentricities(self.shards, self.n, most_searches=None, options=words_of(options))

    def path(self, start, end) -> Optional[list[int]]:
        """The vertices of a shortest path from `start` to `end`, by id, both included; None: there is none."""
        start, end = self._vertex(start), self._vertex(end)
        distances, parents = self._search((start,), (), Search, may_be_last=True)
        if not 0 <= end < len(distances):
            raise Error(f"vertex {end}: the graph has vertices 0 to {len(distances) - 1}", 2)
        if distances[end] < 0:
            return None
        way = [end]
        while way[-1] != start:
            way.append(int(parents[way[-1]]))
        return way[::-1]

    def close(self) -> None:
        """Ends the programs; arrays that were given out stay."""
        with self._lock:
            if self._asking:  # this is a handler of a signal: the search finds that the program has ended
                self._kill()
            elif self._ended is None:
                self._end(ValueError("the graph is closed: dbfs.open loads it again"))

    # ---- programs ----

    def _search(self, roots: tuple, words: tuple, kind, *, may_be_last: bool = False):
        """A search by the program with these options. may_be_last: an equal search that was the last one will do."""
        question = roots, words, kind
        with self._lock:
            if may_be_last and self._last is not None and self._last[0] == question:
                return self._last[1]
            if self._asking:
                raise RuntimeError("this thread is in a search of the graph already, as in a handler of a signal")
            if self._ended is not None:
                raise type(self._ended)(*self._ended.args)
            pool = self._files
            files = [pool.lend() for _ in _fields_in_files(kind)]
            answer = self._ask(question, files).split()
            if answer[0] == "error":
                for file in files:
                    pool.give_back(file)
                raise Error(" ".join(answer[1:]), 5 if kind is DeviceSearch else 2)
            figures = self._of_thread.figures = dict(zip(answer[0::2], answer[1::2]))
            if kind is DeviceSearch:
                return self._server.take(figures)
            self._last = question, kind(*(self._take(file, pool) for file in files))
            return self._last[1]

    @property
    def _server(self):
        """The program of the last search; None: there is none."""
        return next(reversed(self._servers.values()), None)

    def _server_with(self, words: tuple, kind):
        """The program with these options, which becomes the last one. Of too many the one that waited longest ends."""
        server = self._servers.pop((words, kind), None)
        if server is None:
            while len(self._servers) >= MOST_PROGRAMS:
                self._servers.pop(next(iter(self._servers))).stop()
            path, ranks, folder, options, _ = self._opened
            server = (_DeviceServer if kind is DeviceSearch else _Server)(path, ranks, folder, [*options, *words], kind)
        self._servers[words, kind] = server
        return server

    def _ask(self, question: tuple, files) -> str:
        """The line of a search, when its results are in the files."""
        roots, words, kind = question
        try:
            self._asking = True
            server = self._server_with(words, kind)
            server.ask(roots, files)
            self._last = None  # its memory is given back while the search runs
            answer = server.answer()
            if kind is DeviceSearch and server.leaves:
                raise ValueError("the graph was closed in the middle of a search")
            return answer
        except Error as e:
            if kind is DeviceSearch and e.code > 0:  # such as: no GPU. Other searches go on
                if self._servers.pop((words, kind), None) is not None:
                    server.leave()
                raise
            self._end(Error(*e.args))
            raise
        except BaseException:  # an interrupt: the answer that comes would be taken for that of the next question
            self._kill()
            self._end(ValueError("the graph is closed, as a search was interrupted: dbfs.open loads it again"))
            raise
        finally:
            self._asking = False

    def _take(self, file, pool: _Files) -> numpy.ndarray:
        """The array in a file, which is lent again when nobody has the array or a part of it."""
        file_map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        width = file_map[file_map.find(b"<i") + 2] - ord("0")
        array = numpy.frombuffer(file_map, f"<i{width}", offset=NPY_HEADER_BYTES)
        if len(self._mapped) < MOST_MAPPED:
            self._mapped.add(file_map)
            weakref.finalize(file_map, pool.give_back, file).atexit = False
            return array
        array = array.copy()  # a process may have only so many files open
        pool.give_back(file)
        return _read_only(array)

    def _kill(self) -> None:
        for server in list(self._servers.values()):
            server.kill()

    def _end(self, reason: Exception) -> None:
        servers, self._servers, self._last, self._ended = self._servers, {}, None, reason
        self._files.retire()
        for server in servers.values():
            server.stop()

    def _forked(self, is_child: bool) -> None:
        """Results that both processes have stay as they are. Only the parent has the programs, and threads that wait."""
        self._files.retire()
        self._files = _Files(self._opened[2])
        if is_child:
            self._lock, self._asking = threading.RLock(), False
            servers, self._servers = self._servers, {}
            for server in servers.values():
                server.leave()

    def __reduce__(self):
        if self._ended is not None:
            raise type(self._ended)(*self._ended.args)
        return Graph, self._opened

    def __enter__(self) -> Graph:
        return self

    def __exit__(self, *_) -> None:
        self.close()

    def __del__(self):
        if getattr(self, "_servers", None) and not sys.is_finalizing():
            self.close()


def _read_only(array: numpy.ndarray) -> numpy.ndarray:
    array.flags.writeable = False
    return array


def _fields_in_files(kind) -> tuple:
    """The fields of a result that are files."""
    return () if kind is DeviceSearch else kind._fields


def _words_of_search(reverse: bool, max_depth: Optional[int], direction: Optional[str]) -> tuple:
    """The options of dbfs-traverse(1) that differ between searches."""
    words = ("--reverse",) * bool(reverse)
    if max_depth is not None:
        words += (f"--max-depth={operator.index(max_depth)}",)
    return words if direction is None else (*words, f"--direction={direction}")


_graphs = weakref.WeakValueDictionary()


def _forked(is_child):
    for reference in _graphs.valuerefs():
        graph = reference()
        if graph is not None:
            graph._forked(is_child)


os.register_at_fork(after_in_parent=lambda: _forked(False), after_in_child=lambda: _forked(True))


def results_folder() -> Optional[str]:
    """Where results are written unless a folder is given; None: the usual temporary folder."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


def open(path, *, ranks: int = 1, folder: Optional[str] = None, names: Optional[str] = None, options=()) -> Graph:
    """Loads the shards in `path`, and keeps them for searches: dbfs-traverse, of `ranks` ranks, with these options.

    path: a folder of shards; or the file of a graph, or the folder FILE.dbfs beside it, for the shards that `dbfs FILE` has
    kept there. folder: where results are written; without it /dev/shm, which is memory, or the usual temporary folder. names: a
    dbfs-map(5) with the names of the vertices, such as one of `edgeconv --compact`; without it those that pack, or
    dbfs --compact, has left.

    Error: the shards cannot be loaded.
    """
    folder = results_folder() if folder is None else folder
    path, kept_names = find_kept(os.fsdecode(os.path.abspath(path)))
    names = kept_names if names is None else os.fsdecode(os.path.abspath(names))
    graph = Graph(path, operator.index(ranks), folder, words_of(options), names)
    try:
        graph.search(0)  # tells of a graph that cannot be loaded, now
        if names is not None:
            graph.names  # and of a map of another graph
    except BaseException:
        graph.close()
        raise
    return graph
