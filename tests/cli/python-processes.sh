#!/bin/bash
# python-processes.sh: scripts/python beside threads, processes and signals: an answer is that of its own question, or
# there is an exception that says what to do; and nothing is left, however a process ends.
set -u
in_memory_mib=64
. tests/lib.sh
export DBFS_BIN=$(realpath "$BIN") PYTHONPATH=$PWD/scripts/python:${PYTHONPATH:-} PYTHONDONTWRITEBYTECODE=1
if ! python3 -c 'import numpy' 2>/dev/null; then
    skip 'Python, threads and processes: no python3 with numpy'
    finish
fi
cd "$tmp" || exit 1
export TMPDIR=$tmp/temporary
mkdir temporary

cat >common.py <<'END_OF_COMMON'
import dbfs, numpy, os, pickle, signal, sys, threading
def opened():
    return dbfs.open("r.dbfs", options=["-@", "1"])
def loaded():
    global g, want
    g = opened()
    want = [search.distances.copy() for search in g.search_many(range(len(g.search(0).distances)))]
    return g, want
def right(root, graph=None):
    graph = graph or g
    return bool((graph.search(root).distances == want[root]).all()) and graph.figures["root"] == str(root)
def depths(graph, root):
    return graph.search(root).distances.copy()
def forked(work): # the exit status of a child that does the work
    pid = os.fork()
    if pid == 0:
        try:
            os._exit(0 if work() else 1)
        finally:
            os._exit(2)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
def raises(kind, text, call):
    try:
        call()
    except kind as e:
        assert text in str(e), str(e)
    else:
        assert False, text
END_OF_COMMON
# py NAME PROGRAM: runs a program that raises an error for each mistake; other processes can import it
py() {
    printf 'from common import *\n%s\n' "$2" >test.py
    check "$1" timeout 120 python3 test.py
}
has() { # MODULE NAME
    python3 -c "import $1" 2>/dev/null && return
    skip "$2: no python3 with $1"
    return 1
}
python3 -c 'import dbfs, numpy; dbfs.pack(numpy.random.default_rng(1).integers(0, 200, (400, 2)), "r.dbfs")'

py 'twenty threads share a graph' '
import concurrent.futures
g, want = loaded()
with concurrent.futures.ThreadPoolExecutor(20) as pool:
    assert all(pool.map(right, [*range(len(want))] * 2))
    assert [way[-1] for way in pool.map(g.path, [0] * 200, range(200)) if way] == [v for v in range(len(want)) if want[0][v] >= 0][:200]
'
py 'forked processes search, beside threads that do' '
import multiprocessing
g, want = loaded()
stop, wrong = threading.Event(), []
def search_on():
    root = 0
    while not stop.is_set():
        root = (root + 7) % len(want)
        if not right(root):
            wrong.append(root)
threads = [threading.Thread(target=search_on) for _ in range(2)]
for thread in threads:
    thread.start()
with multiprocessing.get_context("fork").Pool(2) as pool:
    assert all(pool.map(right, range(100)))
assert forked(lambda: right(3)) == 0
assert forked(lambda: g.close() is None) == 0
assert forked(lambda: right(4) and os.kill(os.getpid(), signal.SIGKILL)) == -signal.SIGKILL
pid = os.fork()
if pid == 0: # ends as a program does, with its threads gone and garbage collected
    assert right(5)
    sys.exit(7)
assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 7
stop.set()
for thread in threads:
    thread.join()
assert not wrong and right(6)
'
py 'an array of before a fork stays in the child' '
g, want = loaded()
held = g.search(5).distances
reader, writer = os.pipe()
pid = os.fork()
if pid == 0:
    os.read(reader, 1)
    os._exit(0 if (held == want[5]).all() else 1)
del held
for root in range(10, 30):
    g.search(root)
os.write(writer, b"x")
assert os.waitpid(pid, 0)[1] == 0
'
py 'a graph is pickled: spawned processes load it again' '
import concurrent.futures, multiprocessing
if __name__ == "__main__":
    g, want = loaded()
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        got = list(pool.map(depths, [g] * 4, range(4)))
    assert all((a == b).all() for a, b in zip(got, want))
    os.chdir("/")
    with pickle.loads(pickle.dumps(g)) as copy:
        assert right(3, copy)
    raises(ValueError, "dbfs.open loads it again", lambda: pickle.dumps(copy))
    error = pickle.loads(pickle.dumps(dbfs.Error("x: y", 3)))
    assert (str(error), error.code) == ("x: y", 3)
'
if has joblib 'joblib'; then
    py 'joblib' '
import joblib
g, want = loaded()
for backend in "loky", "threading":
    got = joblib.Parallel(2, backend=backend)(joblib.delayed(depths)(g, root) for root in range(8))
    assert all((a == b).all() for a, b in zip(got, want))
'
fi
py 'after an interrupt no question gets the answer of another' '
g, want = loaded()
def interrupted(handler, use):
    graph = opened()
    server = graph._server._process
    server.send_signal(signal.SIGSTOP) # so that the search lasts
    def handle(*_):
        try:
            handler(graph)
        finally:
            server.send_signal(signal.SIGCONT)
    signal.signal(signal.SIGALRM, handle)
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    use(graph)
def stop(_):
    raise KeyboardInterrupt
def stopped(graph):
    raises(KeyboardInterrupt, "", lambda: graph.search(7))
    raises(ValueError, "closed, as a search was interrupted: dbfs.open", lambda: graph.search(8))
    graph.close()
interrupted(stop, stopped)
def killed(graph):
    raises(dbfs.Error, "ended by signal 9: dbfs.open loads the graph again", lambda: graph.search(7))
    raises(dbfs.Error, "ended by signal 9: dbfs.open loads the graph again", lambda: graph.search(8))
interrupted(lambda graph: graph._server._process.kill(), killed)
def closed(graph):
    raises(dbfs.Error, "dbfs.open loads the graph again", lambda: graph.search(7))
interrupted(lambda graph: graph.close(), closed)
both = lambda graph: right(7, graph) and right(8, graph)
interrupted(lambda graph: raises(RuntimeError, "in a search of the graph already", lambda: graph.search(9)), both)
interrupted(lambda graph: forked(lambda: right(9, graph)), both)
os.setsid() # an interrupt at the prompt goes to all processes of the terminal
signal.signal(signal.SIGINT, lambda *_: None)
os.killpg(0, signal.SIGINT)
assert right(1)
g.close()
g.close()
raises(ValueError, "closed: dbfs.open loads it again", lambda: g.search(0))
raises(ValueError, "closed: dbfs.open loads it again", lambda: g.path(0, 1))
'
for way in pass 'os._exit(0)' 'os.kill(os.getpid(), 9)'; do
    printf 'from common import *\n%s\n' "
g, want = loaded()
g.itself = g
for _ in range(2):
    threading.Thread(target=lambda: [g.search(root % 100) for root in range(10**9)], daemon=True).start()
other = opened()
if os.fork() == 0: # a child, with a program of its own, goes first
    other.search(3)
    $way
else:
    os.wait()
    assert right(3, other)
    print('its parent goes on', flush=True)
    $way" >test.py
    { timeout 60 python3 test.py >out 2>err; } 2>/dev/null
    code=$?
    check "a process ends by $way (exit $code)" test $code = "$([[ $way == *9* ]] && echo 137 || echo 0)" -a ! -s err \
        -a "$(cat out)" = 'its parent goes on'
done
no_server() { [ -z "$(ranks_of dbfs-traverse "$tmp/r.dbfs")" ]; }
check 'no program outlives its process' wait_until no_server
check 'nothing is left in temporary folders' test -z "$(ls temporary)"
# the names that Python makes there; folders of tests have a dot
check 'nothing is left in memory' test -z "$(find /dev/shm -maxdepth 1 '(' -name 'dbfs-*' -o -name 'tmp*' ')' ! -name '*.*' \
    -newer common.py -user "$(id -un)" 2>/dev/null)"
finish
