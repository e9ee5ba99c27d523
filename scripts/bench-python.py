#!/usr/bin/env python3
"""bench-python.py EDGES.npy [ROOT]: from an array to distances, by dbfs and by scipy, in turns; needs scipy.

    edgeconv -q -t text FILE | python3 -c 'import numpy, sys; numpy.save("e.npy", numpy.loadtxt(sys.stdin, "i4"))'
    PATH=$PWD/build/bin:$PATH PYTHONPATH=scripts/python scripts/bench-python.py e.npy

Each line of a round has wall seconds and, at its end, those of processors, which other work on the machine changes less.
The last line is what a call of search takes beyond the search itself: the median of 200, in ms.
"""
import os
import resource
import statistics
import sys
import tempfile
import time

import dbfs
import numpy
import scipy.sparse
from scipy.sparse.csgraph import breadth_first_order


def timed(call):
    start = time.perf_counter()
    result = call()
    return time.perf_counter() - start, result


def processors():
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def by_scipy(edges, root):
    n, ones = int(edges.max()) + 1, numpy.ones(len(edges), numpy.int8)
    start = processors()
    build, matrix = timed(scipy.sparse.coo_matrix((ones, edges.T), shape=(n, n)).tocsr)
    first, (order, _) = timed(lambda: breadth_first_order(matrix, root, directed=False))
    cost = processors() - start
    both_ways = matrix.maximum(matrix.T).tocsr()
    next_one, _ = timed(lambda: breadth_first_order(both_ways, root))
    print(f"scipy: csr {build:.3f}, order {first:.3f}, together {build + first:.3f} (of a symmetric csr {next_one:.3f}); "
          f"processors {cost:.3f}")
    return len(order)


def by_dbfs(edges, root):
    start = processors()
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as folder:
        pack, _ = timed(lambda: dbfs.pack(edges, folder + "/g.dbfs"))
        opened, graph = timed(lambda: dbfs.open(folder + "/g.dbfs"))
        first, search = timed(lambda: graph.search(root))
        graph.close()
        cost = processors() - start
        with dbfs.open(folder + "/g.dbfs") as graph:
            calls = []
            for start in numpy.random.default_rng(1).choice(edges[:, 0], 200):
                wall, _ = timed(lambda: graph.search(start))
                calls.append((wall, 1e3 * (wall - float(graph.figures["time_s"]))))
    print(f"dbfs: pack {pack:.3f}, open {opened:.3f}, search {first:.4f}, together {pack + opened + first:.3f} "
          f"(the next ones {statistics.median(wall for wall, _ in calls):.4f}); processors {cost:.3f}")
    return int((search.distances >= 0).sum()), statistics.median(more for _, more in calls)


def main():
    edges = numpy.load(sys.argv[1])
    root = int(sys.argv[2]) if len(sys.argv) > 2 else int(edges[0, 0])
    beyond = []
    for _ in range(3):
        reached, more = by_dbfs(edges, root)
        beyond.append(more)
        if by_scipy(edges, root) != reached:
            sys.exit("scipy reaches other vertices")
    print(f"load {os.getloadavg()[0]:.1f}; a call beyond its search, ms, each round: {' '.join(f'{ms:.2f}' for ms in beyond)}")


if len(sys.argv) < 2:
    sys.exit(__doc__)
main()
