"""The shards that the command dbfs keeps beside a file, found by that file."""
from __future__ import annotations

import os
import re
import shlex
import subprocess
import tempfile
import warnings
from typing import Optional

from dbfs._pack import MANIFEST
from dbfs._programs import Error, failure, program, start


def _list_kept(place: list[str]) -> list[tuple[str, str]]:
    """The keys of all sets of shards that `dbfs --cache-list` has for these words, each with "current" or why it is not used. Error."""
    with tempfile.TemporaryFile() as messages:
        process = start(program("dbfs"), "--cache-list", *place, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=messages)
        text = process.communicate()[0].decode("utf-8", "surrogateescape")
        if process.returncode != 0:
            raise failure(process, messages)
    rows = [line.split("\t") for line in text.split("\n") if line]
    return [(re.findall("[0-9a-f]{16}", row[0])[-1], row[3]) for row in rows]


def _one_of(path: str, sets: list[tuple[str, str]]) -> tuple[str, str]:
    """The only set that is current, or the only one. Error: there are several."""
    current = [kept for kept in sets if kept[1] == "current"]
    sets = current if len(current) == 1 else sets
    if len(sets) > 1:
        raise Error(f"{path}: {len(sets)} graphs are kept of it, which `dbfs --cache-list {shlex.quote(path)}` tells apart: "
                    f"give the folder of one", 2)
    return sets[0]


def find_kept(path: str) -> tuple[str, Optional[str]]:
    """The folder of shards that `path` stands for, and the map of names that is kept with them, if there is one.

    A folder of shards is itself. For FILE.dbfs and for FILE they are those that `dbfs FILE` has kept. What is none of these
    is left as it is, for dbfs-traverse to tell. Error: there is no set of shards for a file, or no single one.
    """
    kept = path
    if not os.path.exists(path) or os.path.exists(os.path.join(path, MANIFEST)):
        return path, None
    if not os.path.exists(os.path.join(path, "shards", MANIFEST)):
        is_file = not os.path.isdir(path)
        sets = _list_kept([path] if is_file else ["--cache", path])
        how = f"`dbfs {shlex.quote(path)}` makes and keeps them, and dbfs.pack makes them of arrays"
        if not sets and is_file:
            raise Error(f"{path}: is no folder of shards, and no shards of it are kept: {how}", 2)
        if not sets:
            return path, None
        key, why = _one_of(path, sets)
        if why != "current" and is_file:
            raise Error(f"{path}: its kept shards are not used: {why}: {how}", 2)
        if why != "current":
            warnings.warn(f"{path}: may be another graph than that of the file now: {why}", stacklevel=3)
        kept = os.path.join(path + ".dbfs" if is_file else path, key)
    names = os.path.join(kept, "graph.map")
    return os.path.join(kept, "shards"), names if os.path.exists(names) else None
