"""dbfs: graphs of numpy arrays, packed and searched by the programs of dbfs; see dbfs-python(7).

    import dbfs
    dbfs.pack(edges, "g.dbfs")          # m x 2 integers, a sparse matrix, a table of pandas, a graph of networkx
    with dbfs.open("g.dbfs") as g:
        distances, parents = g.search(0)
        g.path(0, 17)
        g.distances(range(100))         # a row for each root
        g.search(0, device=True)        # arrays that stay on the GPU, for torch and cupy

The programs are those in the package, beside it, in PATH, or in the folder that the environment variable DBFS_BIN names.
Arrays go to them through pipes; results are files without a name, which numpy maps. An id is a row of the matrix, and
counts from 0, also where the ids of the file that shards were made from begin at 1; -1 is a vertex that was not reached.

Threads may share a graph: a question and its answer are one turn. A process that gets a graph by fork or by pickle starts a
program of its own with its first search.
"""
from dbfs._batch import Centralities, Diameter
from dbfs._components import components
from dbfs._device import DeviceArray
from dbfs._pack import pack
from dbfs._programs import Error
from dbfs._search import DeviceSearch, Graph, Search, Together, open

__version__ = "1.1.0.dev0"
# without `open`, which would hide the builtin: it is called dbfs.open
__all__ = ["Centralities", "DeviceArray", "DeviceSearch", "Diameter", "Error", "Graph", "Search", "Together", "components", "pack"]
