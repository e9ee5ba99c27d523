/* partition.h: the shard that owns a vertex, and the rank and device that hold a shard.
 *
 * Vertex v belongs to shard v mod p, where it has slot v / p. This is Algorithm 1 of Pan et al., which puts v
 * on rank v mod R, GPU (v / R) mod G: with p = R*G, shard s = v mod p is on rank s mod R, GPU s / R. So one
 * set of shards serves every factorisation of p.
 */
#ifndef DBFS_PARTITION_H
#define DBFS_PARTITION_H

#include <stdint.h>

static inline uint32_t shard_of_vertex(uint64_t v, uint32_t p)
{
    return (uint32_t)(v % p);
}

static inline uint64_t slot_of_vertex(uint64_t v, uint32_t p)
{
    return v / p;
}

/* The number of shards, and 2^64 / p, rounded up: slots without a division, for v < 2^48 and p from 2 to 2^16. */
struct shard_inverse {
    uint64_t p, inverse;
};

static inline struct shard_inverse shard_inverse(uint32_t p)
{
    return (struct shard_inverse){p, UINT64_MAX / p + 1};
}

static inline uint64_t slot_by_inverse(uint64_t v, struct shard_inverse shards)
{
    return (uint64_t)((unsigned __int128)v * shards.inverse >> 64);
}

static inline uint64_t vertex_of_slot(uint64_t slot, uint32_t shard, uint32_t p)
{
    return slot * p + shard;
}

/* The slots of a shard: as many as there are vertices v < n with v mod p = shard. */
static inline uint64_t slots_of_shard(uint64_t n, uint32_t shard, uint32_t p)
{
    return n / p + (shard < n % p);
}

/* The bits of a local id in a column of nn, if the largest shard has so many local vertices. */
static inline uint32_t local_bits_for(uint64_t locals)
{
    uint32_t bits = 1;
    while (locals > UINT64_C(1) << bits)
        bits++;
    return bits;
}

/* The bytes of such a column. All ones stand for "none" in head columns, so no column reaches them. */
static inline uint32_t nn_column_bytes_for(uint64_t locals, uint32_t p)
{
    return ((uint64_t)(p - 1) << local_bits_for(locals)) + locals <= UINT32_MAX ? 4 : 8;
}

static inline uint32_t rank_of_shard(uint32_t shard, uint32_t ranks)
{
    return shard % ranks;
}

static inline uint32_t device_of_shard(uint32_t shard, uint32_t ranks)
{
    return shard / ranks;
}

static inline uint32_t shard_of_device(uint32_t rank, uint32_t device, uint32_t ranks)
{
    return device * ranks + rank;
}

#endif
