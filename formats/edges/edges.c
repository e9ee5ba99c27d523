/* edges.c: encodes and decodes the preamble, the blocks and the trailer of an edge stream; see edges.h and SPEC-edges.md */
#include "edges.h"
#include "edges_layout.h"

#include "formats/base/crc.h"
#include "formats/base/bytes.h"
#include "formats/base/clones.h"
#include "formats/base/hash.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

const char *edges_direction_name(enum edges_direction direction)
{
    switch (direction) {
    case EDGES_UNDIRECTED_ONCE: return "undirected-once";
    case EDGES_SYMMETRIC: return "symmetric";
    case EDGES_DIRECTED: return "directed";
    }
    return "unknown";
}

int edges_sniff(const unsigned char *bytes, size_t count)
{
    return count >= 8 && memcmp(bytes, EDGES_MAGIC, 8) == 0;
}

uint32_t edges_crc(const void *bytes, size_t count)
{
    return crc32_bytes(0, bytes, count);
}

/* ---- tallies ---- */

/* Adds edges to the tally. If `balanced`, returns their balance (edges_tally_balance), else 0. */
static inline uint64_t add_to_tally(struct edges_totals *tally, enum edges_direction direction,
                                    const struct edge *edges, size_t count, int balanced)
{
    uint64_t checksum = 0, balance = 0, loops = 0, max_id = tally->max_id;
    uint64_t turn = direction == EDGES_UNDIRECTED_ONCE ? UINT64_MAX : 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t u = edges[i].u, v = edges[i].v, larger = u > v ? u : v;
        uint64_t falls = -(uint64_t)(u > v), rises = -(uint64_t)(u < v);
        uint64_t swap = (u ^ v) & falls & turn; /* the smaller id first */
        uint64_t hash = hash_pair(u ^ swap, v ^ swap);
        checksum += hash;
        loops += u == v;
        max_id = larger > max_id ? larger : max_id;
        if (balanced) /* known when this is compiled; masks, as a branch would keep vectors out */
            balance += (hash & rises) - (hash & falls);
    }
    tally->edges += count;
    tally->loops += loops;
    tally->max_id = max_id;
    tally->checksum += checksum;
    return balance;
}

/* Adds edges to a tally. Compiled for several vector widths: five 64-bit products take a fifth of the time with the widest. */
WIDE_CLONES
void edges_tally(struct edges_totals *tally, enum edges_direction direction, const struct edge *edges, size_t count)
{
    add_to_tally(tally, direction, edges, count, /* balanced */ 0);
}

/* Adds undirected edges to a tally. Returns the sum of the hashes of pairs u < v, less that of pairs u > v. */
WIDE_CLONES
uint64_t edges_tally_balance(struct edges_totals *tally, const struct edge *edges, size_t count)
{
    return add_to_tally(tally, EDGES_UNDIRECTED_ONCE, edges, count, /* balanced */ 1);
}

void edges_tally_merge(struct edges_totals *into, const struct edges_totals *from)
{
    into->edges += from->edges;
    into->loops += from->loops;
    into->max_id = from->max_id > into->max_id ? from->max_id : into->max_id;
    into->checksum += from->checksum;
}

/* ---- blocks ---- */

enum status edges_block_init(struct edges_block *block, struct error *e)
{
    memset(block, 0, sizeof *block);
    block->capacity = EDGES_BLOCK_HEADER_BYTES + 16 * EDGES_BLOCK_EDGES;
    block->bytes = malloc(block->capacity);
    return block->bytes != NULL ? ST_OK : fail_memory(e, "edge block", block->capacity);
}

void edges_block_free(struct edges_block *block)
{
    free(block->bytes);
    memset(block, 0, sizeof *block);
}

/* Stores the ends of the edges as ids of `width` bytes. */
WIDE_CLONES
static void encode_ids(unsigned char *payload, unsigned width, const struct edge *edges, size_t count)
{
    if (width == 8) {
        memcpy(payload, edges, 16 * count);
        return;
    }
    uint32_t *ids = (uint32_t *)(void *)payload; /* the header keeps the payload aligned */
    for (size_t i = 0; i < count; i++) {
        ids[2 * i] = (uint32_t)edges[i].u;
        ids[2 * i + 1] = (uint32_t)edges[i].v;
    }
}

/* Makes the whole block of the edges: header, ids, tally and balance. */
void edges_encode_block(struct edges_block *block, enum edges_direction direction,
                        const struct edge *edges, size_t count)
{
    memset(&block->tally, 0, sizeof block->tally);
    block->balance = 0;
    if (direction == EDGES_UNDIRECTED_ONCE)
        block->balance = edges_tally_balance(&block->tally, edges, count);
    else
        edges_tally(&block->tally, direction, edges, count);
    unsigned width = block->tally.max_id <= UINT32_MAX ? 4 : 8;
    unsigned char *header = block->bytes, *payload = header + EDGES_BLOCK_HEADER_BYTES;
    size_t payload_bytes = 2 * (size_t)width * count;
    encode_ids(payload, width, edges, count);
    memset(header, 0, EDGES_BLOCK_HEADER_BYTES);
    put_u32(header + BLOCK_MAGIC_AT, EDGES_BLOCK_MAGIC);
    put_u32(header + BLOCK_COUNT_AT, (uint32_t)count);
    put_u32(header + BLOCK_WIDTH_AT, width);
    put_u32(header + BLOCK_PAYLOAD_CRC_AT, edges_crc(payload, payload_bytes));
    put_u32(header + BLOCK_CRC_AT, edges_crc(header, BLOCK_CRC_AT));
    block->size = EDGES_BLOCK_HEADER_BYTES + payload_bytes;
}

size_t edges_block_count(const struct edges_block *block)
{
    return get_u32(block->bytes + BLOCK_COUNT_AT);
}

/* Compares the payload of a block with its CRC. */
enum status edges_check_block(const struct edges_block *block, const char *name, struct error *e)
{
    const unsigned char *header = block->bytes, *payload = header + EDGES_BLOCK_HEADER_BYTES;
    if (edges_crc(payload, block->size - EDGES_BLOCK_HEADER_BYTES) ==
        get_u32(header + BLOCK_PAYLOAD_CRC_AT))
        return ST_OK;
    return fail(e, ST_BAD_DATA, "%s: block %llu at byte %llu: payload is corrupt (CRC differs)",
                name, (unsigned long long)block->index, (unsigned long long)block->offset);
}

/* Decodes `count` edges from number `first` on. Returns the OR of all their ids, which no id exceeds. */
WIDE_CLONES
uint64_t edges_decode_ids(const struct edges_block *block, size_t first, struct edge *edges, size_t count)
{
    const unsigned char *payload = block->bytes + EDGES_BLOCK_HEADER_BYTES;
    uint64_t joined = 0;
    if (get_u32(block->bytes + BLOCK_WIDTH_AT) == 8) {
        memcpy(edges, payload + 16 * first, 16 * count);
        for (size_t i = 0; i < count; i++)
            joined |= edges[i].u | edges[i].v;
        return joined;
    }
    const uint32_t *ids = (const uint32_t *)(const void *)payload + 2 * first;
    for (size_t i = 0; i < count; i++) {
        edges[i].u = ids[2 * i];
        edges[i].v = ids[2 * i + 1];
        joined |= edges[i].u | edges[i].v;
    }
    return joined;
}

/* The same, and adds them to block->tally, which begins anew at the first edge. Fails if an id is too large. */
enum status edges_decode_piece(struct edges_block *block, enum edges_direction direction,
                               const char *name, size_t first, struct edge *edges, size_t count,
                               struct error *e)
{
    edges_decode_ids(block, first, edges, count);
    if (first == 0)
        memset(&block->tally, 0, sizeof block->tally);
    edges_tally(&block->tally, direction, edges, count);
    if (block->tally.max_id < DBFS_MAX_VERTICES)
        return ST_OK;
    return fail(e, ST_BAD_DATA, "%s: block %llu at byte %llu: id %llu is not below 2^48", name,
                (unsigned long long)block->index, (unsigned long long)block->offset,
                (unsigned long long)block->tally.max_id);
}

/* Checks a block, decodes and tallies all its edges, and sets *count. */
enum status edges_decode_block(struct edges_block *block, enum edges_direction direction,
                               const char *name, struct edge *edges, size_t *count,
                               struct error *e)
{
    *count = edges_block_count(block);
    if (edges_check_block(block, name, e) != ST_OK)
        return e->status;
    return edges_decode_piece(block, direction, name, 0, edges, *count, e);
}
