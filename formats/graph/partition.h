/* partition.h: which shard owns a vertex, and which rank and device hold a shard. Vertex v belongs to shard v mod p, where its
 * slot is v / p. Shard s is on device s / R of rank s mod R. For p = R * G this is Algorithm 1 of Pan et al., which puts v on
 * rank v mod R, GPU (v / R) mod G. So the same shards serve every number of ranks R. */
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

/* The number of shards p and 2^64 / p, rounded up, by which a slot v / p is computed without a division. For v < 2^48
 * and p from 2 to 2^16. */
struct shard_inverse {
    uint64_t p, inverse;
};

/* The inverse by which slot_by_inverse divides. */
static inline struct shard_inverse shard_inverse(uint32_t p)
{
    return (struct shard_inverse){p, UINT64_MAX / p + 1};
}

/* The same as slot_of_vertex, without a division. */
static inline uint64_t slot_by_inverse(uint64_t v, struct shard_inverse shards)
{
    return (uint64_t)((unsigned __int128)v * shards.inverse >> 64);
}

static inline uint64_t vertex_of_slot(uint64_t slot, uint32_t shard, uint32_t p)
{
    return slot * p + shard;
}

/* Returns the number of slots of a shard: of the vertices v < n with v mod p = shard. */
static inline uint64_t slots_of_shard(uint64_t n, uint32_t shard, uint32_t p)
{
    return n / p + (shard < n % p);
}

/* Returns the bits that a local id takes in a column of nn, if the largest shard has `locals` local vertices. */
static inline uint32_t local_bits_for(uint64_t locals)
{
    uint32_t bits = 1;
    while (locals > UINT64_C(1) << bits)
        bits++;
    return bits;
}

/* Returns the bytes of a column of nn if the largest of p shards has `locals` local vertices: 4 if all columns are below
 * UINT32_MAX, which stands for "none" in head columns, else 8. */
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
