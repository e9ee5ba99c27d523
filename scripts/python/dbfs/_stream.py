"""Small edge streams as edgeconv writes them (dbfs-edges(5)), without starting it, which would take longer than the rest."""
from __future__ import annotations

import struct
import zlib
from typing import Optional

import numpy

BLOCK_EDGES = 32768  # of the one block that such a stream has at most
DIRECTIONS = {"once": 0, "directed": 2}  # edgeconv checks the edges of other directions


def _mix64(x: numpy.ndarray) -> numpy.ndarray:
    for _ in range(2):
        x = (x ^ x >> 32) * numpy.uint64(0xD6E8FEB86659FD93)
    return x ^ x >> 32


def _checksum(u: numpy.ndarray, v: numpy.ndarray) -> int:
    """The sum of the hashes of all edges, modulo 2^64."""
    hashes = _mix64(u * numpy.uint64(0x9FB21C651E98DF25) + _mix64(v + numpy.uint64(0xA0761D6478BD642F)))
    return int(hashes.sum(dtype=numpy.uint64))


def _with_crc(part: bytes) -> bytes:
    return part + struct.pack("<I", zlib.crc32(part))


def small_stream(edges: numpy.ndarray, direction: str, vertices: Optional[int]) -> Optional[bytes]:
    """The stream of these edges; None: edgeconv has to make it, or to say what is wrong with them."""
    is_small = edges.shape[1:] == (2,) and 0 < len(edges) <= BLOCK_EDGES
    if not is_small or edges.dtype.kind not in "iu" or direction not in DIRECTIONS:
        return None
    largest = int(edges.max())
    n = largest + 1 if vertices is None else vertices
    if edges.min() < 0 or not largest < n <= 1 << 32:
        return None
    text = "edgeconv\nformat npy\n" + ("" if vertices is None else f"vertices {vertices}\n")
    provenance = text.encode() + bytes(8 - len(text) % 8)
    preamble = struct.pack("<8s4I32xI", b"DBFSEDGE", 1, DIRECTIONS[direction], 0, len(provenance), zlib.crc32(provenance))
    payload = edges.astype("<u4").tobytes()
    block = struct.pack("<4s4I", b"BLK1", len(edges), 4, zlib.crc32(payload), 0)
    u, v = edges.astype(numpy.uint64).T
    checksum = _checksum(u, v) if direction == "directed" else _checksum(numpy.minimum(u, v), numpy.maximum(u, v))
    trailer = struct.pack("<4sI5Q12x", b"END1", 0, len(edges), int((u == v).sum()), n, largest, checksum)
    return _with_crc(preamble) + provenance + _with_crc(block) + payload + _with_crc(trailer)
