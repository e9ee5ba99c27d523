#!/bin/bash
# emulated-answers.sh: dbfs-traverse --serve --device-answers on the emulated GPU keeps distances and parents in device memory, one
# of its own for each, until it is released; Python's search(device=True) opens them.
set -u
. tests/lib.sh
plain=$(realpath "${BUILD:-build}")/bin
use_emulated_gpus 'results that stay on an emulated GPU'
traverse=$(realpath "$BIN")/dbfs-traverse tests=$(realpath "$TESTS") package=$PWD/scripts/python
export OMP_WAIT_POLICY=passive EMULATED_PROCESSORS=2
cd "$tmp" || exit 1
"$plain/rmatgen" -q -s 9 -f text -o g.txt
"$plain/edgeconv" -q -u -o g.edges g.txt
"$plain/dbfs-pack" -q -@ 1 -p 1 -o g.dbfs g.edges
"$plain/dbfs-pack" -q -@ 1 -p 2 -o two.dbfs g.edges

# ---- lines ----

serve() { timeout 60 "$traverse" --backend cuda -@ 1 --serve --device-answers "$@" 2>err; }
handle='[0-9a-f]{128}'
printf '%s\n' 3 'release 1' 5 'release 1' 'release x' 'release 2' dog 7 | serve g.dbfs >got
check '--device-answers: a line that is no root or no answer: exit 2 at the end' test $? = 2
check '--device-answers gives the GPU, the number of values, and numbers, bytes and handles of parents and depths' \
    grep -qE "^root 3 .* gpu 0000:01:00\.0 values 512 parents 1:4:$handle depths 2:4:$handle\$" got
check 'each answer of --device-answers has a number of its own' grep -qE "^root 7 .* parents 5:4:$handle depths 6:4:$handle\$" got
cut -d ' ' -f 1-3 got | sed 's/ time_s//' >words
printf '%s\n' 'root 3' 'root 5' 'error release 1:' "error release 'x':" "error 'dog' is" 'root 7' >want
check 'a release of --device-answers has no answer, unless there is nothing to release' cmp words want
printf '%s\n' 3 5 'release 1' 'release 2' 7 | EMULATED_MEMORY=6 serve g.dbfs >got
check '--device-answers: a GPU without room for one more answer refuses, and goes on when one is released' \
    test "$(cut -d ' ' -f 1 got | tr '\n' ' ')" = 'root error root ' -a "$(grep -c 'out of memory' got)" = 1

EMULATED_GPUS=2 serve -g 2 two.dbfs </dev/null
check '--device-answers refuses two shards on two GPUs: exit 2' test $? = 2 -a "$(grep -c 'needs a graph of one shard' err)" = 1
printf '3\n' | EMULATED_GPUS=2 serve two.dbfs >got
check '--device-answers takes two shards that one GPU searches' grep -q '^root 3 .* values 512 ' got
timeout 60 "$traverse" --backend cpu -@ 1 --serve --device-answers g.dbfs </dev/null 2>err
check '--device-answers refuses the CPU: exit 2' test $? = 2 -a "$(grep -c 'needs a GPU' err)" = 1
"$traverse" --device-answers g.dbfs 2>err
check '--device-answers needs --serve' test $? = 2 -a "$(grep -c 'needs --serve' err)" = 1
for option in --together '--map m' '--depths d%d.npy' '--list-reached r%d'; do
    serve $option g.dbfs </dev/null
    check "--device-answers excludes ${option%% *}" test $? = 2 -a "$(grep -c 'device-answers excludes' err)" = 1
done

# ---- Python ----

if ! python3 -c 'import numpy' 2>/dev/null; then
    skip 'results that stay on an emulated GPU, in Python: no python3 with numpy'
    finish
fi
export DBFS_BIN=${traverse%/*} PYTHONPATH=$package:${PYTHONPATH:-} PYTHONDONTWRITEBYTECODE=1
export LD_LIBRARY_PATH=$tests${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
cat >common.py <<'END_OF_COMMON'
import ctypes, dbfs, gc, numpy, os, pickle
def values(array): # a copy: device memory is memory of the host here
    told = array.__cuda_array_interface__
    assert told["version"] == 3 and told["typestr"] == "<i4" and told["shape"] == (512,)
    return numpy.frombuffer(ctypes.string_at(told["data"][0], 512 * 4), "<i4")
def mapped(): # arrays that this process has opened
    return open("/proc/self/maps").read().count("emulated-gpu")
def raises(kind, text, call):
    try:
        call()
    except kind as e:
        assert text in str(e), e
        return e
    assert False, text
def gpu(path="g.dbfs"):
    return dbfs.open(path, options=["-@", 1, "--backend", "cuda"])
END_OF_COMMON
py() { # NAME PROGRAM: runs a program that raises an error for each mistake
    printf 'from common import *\n%s\n' "$2" >test.py
    check "$1" timeout 120 python3 -W ignore::ResourceWarning test.py
}
py 'search(device=True) gives what other searches give, and later searches leave that as it is' '
with gpu() as g:
    held = {}
    for root in [3, 5, 7, 9, 11]:
        held[root] = g.search(root, device=True)
        assert g.figures["root"] == str(root) and "depths" not in g.figures
    for root, (distances, parents) in held.items():
        found = g.search(root)
        assert (values(distances) == found.distances).all()
        reached = numpy.flatnonzero(found.distances > 0)
        assert (found.distances[values(parents)[reached]] == found.distances[reached] - 1).all() and values(parents)[root] == root
    assert mapped() == 10 and len(distances) == 512 and distances.dtype == numpy.int32
    assert values(g.search(3, device=True, max_depth=1).distances).max() == 1
'
py 'memory of an array goes back when nobody has the array, and not before' '
os.environ["EMULATED_MEMORY"] = "40" # has room for 9 searches
with gpu() as g:
    for root in range(30):
        found = g.search(root, device=True)
    assert mapped() == 2
    distances, found = found.distances, None
    assert mapped() == 1
    held = []
    error = raises(dbfs.Error, "out of memory", lambda: held.extend(g.search(3, device=True) for _ in range(30)))
    assert error.code == 5 and 5 < len(held) < 10, (error.code, len(held))
    held.clear()
    assert (values(g.search(3, device=True).distances) == g.search(3).distances).all()
'
py 'an array outlives the graph, and its program ends with the last array' '
def programs(): # of this process, that run
    import subprocess
    lines = subprocess.run(["ps", "-o", "stat=,comm=", "--ppid", str(os.getpid())], stdout=subprocess.PIPE).stdout.decode().split("\n")
    return [line for line in lines if "dbfs-traverse" in line and not line.startswith("Z")]
g = gpu()
want = g.search(3).distances
found = g.search(3, device=True)
g.close()
raises(ValueError, "closed", lambda: g.search(3, device=True))
assert (values(found.distances) == want).all() and len(programs()) == 1
distances, found = found.distances, None
assert (values(distances) == want).all() and len(programs()) == 1
del distances
import time
end = time.time() + 60
while programs() and time.time() < end:
    time.sleep(.01)
assert mapped() == 0 and not programs()
'
py 'what cannot stay on a GPU is refused, and the graph stays open' '
with gpu() as g:
    raises(ValueError, "one root", lambda: g.search([3], together=True, device=True))
    raises(ValueError, "one root", lambda: g.search(3, targets=[5], device=True))
    assert raises(dbfs.Error, "vertices 0 to 511", lambda: g.search(512, device=True)).code == 2
    array = g.search(3, device=True).parents
    raises(TypeError, "copy it", lambda: pickle.dumps(array))
    if os.fork() == 0:
        raises(dbfs.Error, "forked", lambda: array.__cuda_array_interface__)
        os._exit(0)
    assert os.wait()[1] == 0 and values(array)[3] == 3
with gpu("two.dbfs") as g:
    assert raises(dbfs.Error, "one shard", lambda: g.search(3, device=True)).code == 2
    assert g.search(3).distances[3] == 0
with dbfs.open("g.dbfs", options=["-@", 1, "--backend", "cpu"]) as g:
    assert raises(dbfs.Error, "needs a GPU", lambda: g.search(3, device=True)).code == 2
    assert g.search(3).distances[3] == 0
'
py 'an interrupt in the middle of a search closes the graph and leaves arrays as they are' '
import signal, threading
g = gpu()
want = g.search(3).distances
found = g.search(3, device=True)
def handler(*_):
    raise KeyboardInterrupt
signal.signal(signal.SIGALRM, handler)
signal.setitimer(signal.ITIMER_REAL, .05)
def many():
    while True:
        g.search(5, device=True)
raises(KeyboardInterrupt, "", many)
assert (values(found.distances) == want).all()
g.close()
assert (values(found.distances) == want).all()
'
finish
