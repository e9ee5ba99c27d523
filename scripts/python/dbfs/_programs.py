"""The programs of dbfs: where they are, how one is started, and what it says when it fails."""
from __future__ import annotations

import os
import subprocess
import sys
import tempfile

try:
    from dbfs import _built  # in a wheel: what its programs were built with
except ImportError:
    _built = None

PACKAGE = os.path.dirname(os.path.abspath(__file__))


class Error(Exception):
    """A program has failed: its message, and its exit code as `code` (2 usage, 3 bad data, 5 resources, else 1)."""

    code: int

    def __init__(self, text: str, code: int):
        super().__init__(text, code)
        self.code = code

    def __str__(self) -> str:
        return self.args[0]


def _folders() -> list[str]:
    """Where programs are looked for before PATH: in the package, and in the bin of the prefix that the package is in."""
    prefix = PACKAGE.rsplit(os.sep + "lib" + os.sep, 1)
    return [os.path.join(PACKAGE, "bin"), *[os.path.join(prefix[0], "bin")] * (len(prefix) == 2)]


def program(name: str) -> str:
    """The program as a path, or as a name to be found in PATH. DBFS_BIN, where it is set, is the only folder."""
    if "DBFS_BIN" in os.environ:
        return os.path.join(os.environ["DBFS_BIN"], name)
    return next((path for path in (os.path.join(folder, name) for folder in _folders()) if os.access(path, os.X_OK)), name)


def launcher() -> str:
    """The mpiexec of the MPI that the programs are linked with, where that is known."""
    return getattr(_built, "MPIEXEC", "mpiexec")


def start(*words, **pipes) -> subprocess.Popen:
    """Starts a program. Error: it is not there."""
    try:
        return subprocess.Popen(words, **pipes)
    except (FileNotFoundError, PermissionError) as e:
        where = "is MPI in PATH?" if words[0] == launcher() else "is dbfs in PATH, or DBFS_BIN its folder?"
        raise Error(f"{words[0]}: {e.strerror}: {where}", 1) from None


def words_of(options) -> list:
    """Options as words of a command line."""
    if isinstance(options, (str, bytes)):
        raise TypeError(f"options are a list of words, such as {options.split()}, not {options!r}")
    return [word if isinstance(word, (str, bytes, os.PathLike)) else str(word) for word in options]


def said(file) -> str:
    """What a program has written to a file of messages, where names of files are in the file system's encoding."""
    file.seek(0)
    return file.read().decode(sys.getfilesystemencoding(), "backslashreplace").strip()


def failure(process: subprocess.Popen, messages) -> Error:
    """The exception for a program that has ended: in its own words, if it said any."""
    code = process.returncode
    how = f"signal {-code}" if code < 0 else f"exit status {code}"
    return Error(said(messages) or f"{os.path.basename(process.args[0])}: ended by {how}", code or 1)


def run(*words) -> None:
    """Runs a program to its end, without input or output; an interrupt ends it. Error: it has failed."""
    with tempfile.TemporaryFile() as messages:
        process = start(*words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=messages)
        try:
            process.wait()
        finally:
            process.terminate()
            process.wait()
        if process.returncode != 0:
            raise failure(process, messages)


def main() -> None:
    """The commands that a wheel installs: each is the program of its name."""
    name = os.path.basename(sys.argv[0])
    try:
        os.execv(program(name), [name, *sys.argv[1:]])
    except OSError as e:
        sys.exit(f"{name}: {program(name)}: {e.strerror}")
