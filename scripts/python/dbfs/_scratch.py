"""Temporary folders that go with the object that has them, and with this process, however it ends."""
from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import weakref

# A shell waits for the end of a pipe, whose other end this process and its forks have, and then removes the folder.
WATCH = 'exec 3<&0; (exec <&3; cat; rm -rf -- "$1") >/dev/null 2>&1 &'

_roots: dict[str, str] = {}  # folders of this process by the folder that each is in


def place(bytes_needed: int) -> str:
    """A folder with room for so many bytes: /dev/shm, which is memory, where it has four times as many free."""
    with_memory = "/dev/shm"
    if os.access(with_memory, os.W_OK):
        disk = os.statvfs(with_memory)
        if disk.f_bavail * disk.f_frsize > 4 * bytes_needed:
            return with_memory
    return tempfile.gettempdir()


def _root(parent: str) -> str:
    if parent not in _roots:
        reader, writer = os.pipe()  # the writer stays open for as long as this process lives
        _roots[parent] = tempfile.mkdtemp(prefix=f"dbfs-python.{os.getpid()}.", dir=parent)
        subprocess.run(["sh", "-c", WATCH, "sh", _roots[parent]], stdin=reader, start_new_session=True, check=True)
        os.close(reader)
    return _roots[parent]


def _remove(path: str, pid: int) -> None:
    if os.getpid() == pid:  # and no fork of that process
        shutil.rmtree(path, ignore_errors=True)


class Folder:
    """A new, empty folder in `parent`; it is removed with this object, or by remove()."""

    def __init__(self, parent: str):
        self.path = tempfile.mkdtemp(dir=_root(parent))
        self.remove = weakref.finalize(self, _remove, self.path, os.getpid())
        self.remove.atexit = False  # the shell removes them all

    def __enter__(self) -> str:
        return self.path

    def __exit__(self, *_) -> None:
        self.remove()
