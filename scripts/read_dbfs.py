#!/usr/bin/env python3
"""Reads what dbfs writes, in plain Python, from the SPEC files alone: an example, and a test of them.

  read_dbfs.py FILE.edges    the edges of a stream, "u v" a line, as they stand
  read_dbfs.py DIR           the directed edges of all shards of a packed graph, duplicates and self-loops removed

Ids are those that are stored: they count from 0, whatever the base, and stay randomised if the graph is.
"""
import os
import struct
import sys
import zlib

M64 = 2**64 - 1


def check(ok, path, what):
    if not ok:
        raise ValueError(f"{path}: {what}")


def mix64(x):
    for _ in range(2):
        x = (x ^ x >> 32) * 0xD6E8FEB86659FD93 & M64
    return x ^ x >> 32


def hash_pair(a, b):
    return mix64(a * 0x9FB21C651E98DF25 + mix64(b + 0xA0761D6478BD642F & M64) & M64)


def edges(path):
    """SPEC-edges.md: yields (u, v); raises ValueError at the end unless the trailer agrees."""
    with open(path, "rb") as f:
        head = f.read(64)
        check(head[:8] == b"DBFSEDGE", path, "not an edge stream")
        check(zlib.crc32(head[:60]) == struct.unpack_from("<I", head, 60)[0], path, "preamble is corrupt")
        version, direction, _, provenance = struct.unpack_from("<4I", head, 8)
        check((version, struct.unpack_from("<I", head, 40)[0]) in ((1, 0), (2, 1)), path, "version or base is not supported")
        text = f.read(provenance)
        check(zlib.crc32(text) == struct.unpack_from("<I", head, 56)[0], path, "provenance is corrupt")
        count = loops = largest = checksum = 0
        while (magic := f.read(4)) == b"BLK1":
            block = magic + f.read(20)
            records, width, payload_crc, _, crc = struct.unpack_from("<5I", block, 4)
            check(zlib.crc32(block[:20]) == crc, path, "block is corrupt")
            payload = f.read(2 * records * width)
            check(zlib.crc32(payload) == payload_crc, path, "payload is corrupt")
            for u, v in struct.iter_unpack("<2I" if width == 4 else "<2Q", payload):
                low, high = (u, v) if direction != 0 or u < v else (v, u)
                checksum = checksum + hash_pair(low, high) & M64
                count, loops, largest = count + 1, loops + (u == v), max(largest, u, v)
                yield u, v
        end = magic + f.read(61)
        check(len(end) == 64 and end[:4] == b"END1", path, "ends without its trailer")
        check(zlib.crc32(end[:60]) == struct.unpack_from("<I", end, 60)[0], path, "trailer is corrupt")
        totals = struct.unpack_from("<5Q", end, 8)
        check(totals[:2] == (count, loops) and totals[3:] == (largest, checksum), path, "trailer does not match")
        check(totals[2] > largest or count == 0, path, "n is too small")


def unpack(data, width, count, starts):
    """packed.h: a packed section; `starts` is, by the first stored element of each row, what its gap counts from."""
    blocks, groups = -(-count // 128), -(-count // (128 * 4096))
    at = len(data) - 8 * (groups + 1) - blocks * (width + 4)
    group = struct.unpack_from(f"<{groups + 1}Q", data, at)
    base = struct.unpack_from(f"<{blocks}{'I' if width == 4 else 'Q'}", data, at + 8 * (groups + 1))
    entry = struct.unpack_from(f"<{blocks}I", data, len(data) - 4 * blocks)
    place = [group[b // 4096] + (entry[b] & 0xFFFFFF) for b in range(blocks)] + [group[-1]]
    elements = []
    for b in range(blocks):
        bits, kind = int.from_bytes(data[4 * place[b]:4 * place[b + 1]], "little"), entry[b] >> 24
        if kind <= 64:
            elements += [base[b] + (bits >> i * kind & (1 << kind) - 1) for i in range(128)]
            continue
        low_bits, step = kind & 0x3F, 0 if kind & 0x40 else 1
        ones = [q for q, bit in enumerate(reversed(f"{bits >> 128 * low_bits:b}")) if bit == "1"] or range(128)
        start, before, row, last = base[b], 0, 0, 0
        for i, q in enumerate(ones):
            total = q - i << low_bits | bits >> i * low_bits & (1 << low_bits) - 1
            if i > 0 and 128 * b + i in starts:
                start, before, row = starts[128 * b + i], last, i
            last = total
            elements.append(start + total - before + step * (i - row))
    return [e & (1 << 8 * width) - 1 for e in elements[:count]]


class Container:
    """SPEC-split.md."""
    def __init__(self, path, magic, versions):
        self.path = path
        with open(path, "rb") as f:
            self.data = data = f.read()
        check(data[:8] == magic, path, "wrong kind of file")
        check(zlib.crc32(data[:28]) == struct.unpack_from("<I", data, 28)[0], path, "header is corrupt")
        found, sections, size, self.table_crc = struct.unpack_from("<2IQI", data, 8)
        check(found in versions and size == len(data), path, "version or length is wrong")
        check(zlib.crc32(table := data[32:32 + 48 * sections]) == self.table_crc, path, "section table is corrupt")
        self.sections = {entry[0]: entry[1:] for entry in struct.iter_unpack("<4I4Q", table)}

    def section(self, kind, starts=()):
        if kind not in self.sections:
            return []
        packed, width, crc, offset, size, count, _ = self.sections[kind]
        data = self.data[offset:offset + size]
        check(zlib.crc32(data) == crc, self.path, f"section {kind} is corrupt")
        if packed:
            return unpack(data, width, count, starts) if count > 0 else []
        return [e for e, in struct.iter_unpack("<I" if width == 4 else "<Q", data)]


def shard_edges(folder):
    """SPEC-shard.md: yields the directed edges (u, v) of all shards."""
    with open(os.path.join(folder, "manifest"), "rb") as f:
        text = f.read()
    cut = text.rindex(b"crc ")
    check(int(text[cut + 4:], 16) == zlib.crc32(text[:cut]), folder, "manifest is corrupt")
    lines = [line.split(" ") for line in text[:cut].decode().splitlines()]
    check(lines[0] in (["dbfs-manifest", "2"], ["dbfs-manifest", "4"]), folder, "version is not supported")
    p = int(dict(line[:2] for line in lines)["p"])
    parts = [Container(os.path.join(folder, f"part-{s:04}-of-{p:04}.dbfs"), b"DBFSSHRD", (2, 4)) for s in range(p)]
    listed = sorted((int(line[1]), int(line[2]), int(line[3], 16)) for line in lines if line[0] == "part")
    check(listed == [(s, len(c.data), c.table_crc) for s, c in enumerate(parts)], folder, "parts do not belong")
    slots = [part.section(2) for part in parts]
    for s, part in enumerate(parts):
        attributes, delegates, local = part.section(1), part.section(4), [slot * p + s for slot in slots[s]]
        bits = attributes[6]
        for g in range(4):
            row_ids, k = (local if g < 2 else delegates), attributes[12 + g]
            offsets, heads, rows = part.section(16 + 4 * g), part.section(18 + 4 * g), len(row_ids)
            starts = {offsets[r]: heads[(k - 1) * rows + r] + 1 & 0xFFFFFFFF if k else 0
                      for r in range(rows) if offsets[r] < offsets[r + 1]}
            columns = part.section(17 + 4 * g, starts)
            for r in range(rows):
                first = [heads[j * rows + r] for j in range(k)]
                for c in [h for h in first if h != 2**32 - 1] + columns[offsets[r]:offsets[r + 1]]:
                    owner = c >> bits
                    yield row_ids[r], (slots[owner][c - (owner << bits)] * p + owner if g == 0
                                       else local[c] if g == 2 else delegates[c])


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    try:
        for u, v in (shard_edges if os.path.isdir(sys.argv[1]) else edges)(sys.argv[1]):
            print(u, v)
    except (ValueError, struct.error, OSError) as error:
        sys.exit(f"read_dbfs.py: {error}")
