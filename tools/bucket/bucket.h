/* bucket.h: a store of records in buckets, which many threads fill and which is read bucket by bucket.
 *
 * The records of one bucket have 4, 5, 6 or 8 bytes each, in no defined order. Each thread appends to chunks of its own; the cache lines
 * that it is filling, some thousands, stay in the cache. (Collecting lines apart and writing them past the caches was no faster.) A thread
 * that has used up its memory writes its full chunks to a spill file. A reader gets runs of records and need not know where they lie.
 */
#ifndef DBFS_BUCKET_H
#define DBFS_BUCKET_H

#include "formats/base/memory.h"
#include "formats/base/status.h"
#include "tools/spill/spill.h"

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
    BUCKET_LINE_BYTES = 64,
    BUCKET_READ_BYTES = 1 << 18, /* a reader's buffer for spilled chunks */
    BUCKET_MOST_CHUNK_BYTES = 1 << 14,
    BUCKET_MOST_SLAB_BYTES = 1 << 22
};

struct bucket_chunk;
struct bucket_run;

/* The part of the store that one thread fills. */
struct bucket_writer {
    struct bucket_store *store;
    /* [buckets] where the next record of each bucket goes; at the end of a chunk, a new chunk is needed first */
    unsigned char **cursor;
    uintptr_t chunk_mask;       /* of an address within its chunk */
    /* [buckets] the newest chunk of each bucket; after bucket_seal the oldest one, and the bucket's cursor is then NULL */
    struct bucket_chunk **last;
    unsigned char *slab, *slab_end;
    size_t slab_count;         /* slabs of this thread */
    struct bucket_chunk *free; /* chunks to fill again: they were spilled or handed over */
    unsigned char *lost_records; /* a chunk that takes the records appended after a failure */
    struct error error;   /* the first failure; later records are lost */
    struct bucket_run *oldest_run, *newest_run; /* the spilled runs */
    /* protects `returned`; spilling and bucket_seal hold the lock, too, so that they never take the same chunk */
    pthread_mutex_t lock;
    struct bucket_chunk *returned; /* chunks to fill again, from bucket_return */
};

struct bucket_store {
    uint32_t buckets;
    int threads;
    size_t chunk_bytes; /* a power of two; chunks are aligned to it */
    struct bucket_writer *writer; /* [threads] */
    struct memory_budget *budget;
    struct spill *spill;
    void **slabs; /* for freeing */
    unsigned char *fresh, *fresh_end; /* memory of which slabs are cut */
    size_t slab_count, slab_capacity, slab_bytes;
    size_t own_slabs;    /* slabs that each thread is sure to get */
    size_t common_slabs; /* slabs left for the threads that ask first */
    size_t run_count;    /* runs spilled by all threads */
    int reading;         /* buckets that are sealed and not returned yet */
    uint64_t fixed_bytes;
};

struct bucket_options {
    uint32_t buckets;
    int threads;
    uint64_t expected_bytes; /* of the records of all buckets; decides the chunk size */
    uint64_t most_bytes;     /* the same, if all have the widest records */
    uint64_t room_bytes;     /* memory for the whole store; at most the rest of the budget */
    struct spill *spill;     /* NULL: records that do not fit are ST_RESOURCE */
    const struct bucket_store *like; /* NULL, or the store that gives its memory to this one */
};

/* The least room_bytes that these buckets and threads can work in. */
uint64_t bucket_store_least(const struct bucket_options *options);

/* Returns a store without memory that has only the chunk and slab sizes of these options: for the member `like` of options of stores that
 * shall have the same sizes. */
struct bucket_store bucket_store_sizes(const struct bucket_options *options);

enum status bucket_store_open(struct bucket_store *store, const struct bucket_options *options,
                              struct memory_budget *budget, struct error *e);
void bucket_store_close(struct bucket_store *store); /* a zeroed store is allowed */

/* Gives the bucket a new chunk and returns the place of its first record, which has `bytes` bytes. */
unsigned char *bucket_new_chunk(struct bucket_writer *writer, uint32_t bucket, unsigned bytes);

/* Returns the place for the bucket's next record of `bytes` bytes. The place behind it is prefetched, so that a record that begins a
 * cache line finds it in the cache. (Prefetching further ahead would keep a second line for each bucket in the first-level cache.) */
static inline unsigned char *bucket_place(struct bucket_writer *writer, uint32_t bucket, unsigned bytes)
{
    unsigned char *at = writer->cursor[bucket];
    if (((uintptr_t)at & writer->chunk_mask) == 0)
        at = bucket_new_chunk(writer, bucket, bytes);
    writer->cursor[bucket] = at + bytes;
    __builtin_prefetch(at + bytes, 1);
    return at;
}

static inline void bucket_append_u32(struct bucket_writer *writer, uint32_t bucket, uint32_t record)
{
    *(uint32_t *)(void *)bucket_place(writer, bucket, 4) = record;
}

/* Writes a record of 5, 6 or 8 bytes; returns where the next one goes. */
static inline unsigned char *bucket_write_long(unsigned char *at, uint64_t record, unsigned bytes)
{
    const uint32_t low = (uint32_t)record, high = (uint32_t)(record >> 32);
    memcpy(at, &low, 4);
    if (bytes == 5)
        at[4] = (unsigned char)high;
    else if (bytes == 6)
        memcpy(at + 4, &high, 2);
    else
        memcpy(at + 4, &high, 4);
    return at + bytes;
}

/* Appends a record of 5, 6 or 8 bytes. */
static inline void bucket_append_long(struct bucket_writer *writer, uint32_t bucket, uint64_t record, unsigned bytes)
{
    bucket_write_long(bucket_place(writer, bucket, bytes), record, bytes);
}

/* Returns record i of a chunk, of 5 or 6 bytes; fastest if `bytes` is a constant. Some bytes before the first record are read,
 * too, but none behind the last one. */
static inline uint64_t bucket_odd_record(const void *records, unsigned bytes, size_t i)
{
    uint64_t word;
    memcpy(&word, (const unsigned char *)records + (i + 1) * bytes - sizeof word, sizeof word);
    return word >> (64 - 8 * bytes);
}

/* Returns the place for the bucket's next records of `bytes` bytes each, and sets *count to how many fit there. After writing
 * them, call bucket_filled with their end. */
static inline unsigned char *bucket_room(struct bucket_writer *writer, uint32_t bucket, unsigned bytes, size_t *count)
{
    unsigned char *at = writer->cursor[bucket];
    if (((uintptr_t)at & writer->chunk_mask) == 0)
        at = bucket_new_chunk(writer, bucket, bytes);
    *count = (writer->chunk_mask + 1 - ((uintptr_t)at & writer->chunk_mask)) / bytes;
    return at;
}

/* Ends what bucket_room began: the next record goes to `end`. */
static inline void bucket_filled(struct bucket_writer *writer, uint32_t bucket, unsigned char *end)
{
    writer->cursor[bucket] = end;
    __builtin_prefetch(end, 1);
}

/* Ends the filling of the store, and returns the first failure of appending. Call it once, when all threads have finished. */
enum status bucket_store_seal(struct bucket_store *store, struct error *e);

/* bucket_seal ends the filling of one bucket, while threads go on to fill others. After the last reading of that bucket,
 * bucket_return gives its memory back to the threads that filled it. Between the two calls, the caller must not wait for
 * another thread, which may be waiting for this memory. */
void bucket_seal(struct bucket_store *store, uint32_t bucket);
void bucket_return(struct bucket_store *store, uint32_t bucket);

/* A reader of one bucket of a sealed store. Any number of readers may read a bucket, in any threads.
 *     struct bucket_reader r = bucket_read(store, bucket, width, buffer, &error);
 *     while ((count = bucket_reader_next(&r, &records)) > 0) ...
 * `width` is the bytes of a record, and `buffer` has bucket_read_bytes(store) bytes. A failure ends the reading and is stored
 * in `error`. */
struct bucket_reader {
    const struct bucket_store *store;
    uint32_t bucket;
    unsigned width;
    struct error *error;
    int thread, threads; /* the thread with the next records; the end of the threads */
    const struct bucket_chunk *chunk; /* the next one in memory; the spilled ones come first */
    const struct bucket_run *run;
    uint32_t run_chunk; /* chunk of the run that is given next */
    void *buffer;       /* chunks of the run */
    size_t buffer_bytes;
    uint32_t buffer_at, buffered;
};

struct bucket_reader bucket_read(const struct bucket_store *store, uint32_t bucket,
                                 unsigned width, void *buffer, struct error *e);
size_t bucket_reader_next(struct bucket_reader *reader, const void **records);

/* Opens a reader of the records that threads `first` to `end` - 1 have appended to the bucket. After bucket_seal the records of
 * each thread come in the order in which they were appended. If anything was spilled, the reader needs a buffer of at least a
 * chunk (bucket_reader_buffer) before its first use. */
struct bucket_reader bucket_read_share(const struct bucket_store *store, uint32_t bucket, int first,
                                      int end, unsigned width);
void bucket_reader_buffer(struct bucket_reader *reader, void *buffer, size_t bytes, struct error *e);

/* The bytes of records that one thread has in memory in a bucket. */
uint64_t bucket_share_bytes(const struct bucket_store *store, uint32_t bucket, int writer);

/* ---- from one store to the next ---- */

/* Gives the memory of all chunks of `from` to `heir`, which was opened with `like` set to `from`. No chunk of `from` may have
 * been spilled. The records stay readable, and a chunk is filled again only after bucket_hand_over. */
enum status bucket_store_inherit(struct bucket_store *heir, struct bucket_store *from, struct error *e);

/* After the last reading of what thread `writer` appended to a bucket, gives those chunks to the writer `to`, to fill again.
 * `to` belongs to the calling thread; its store has chunks of the same size, and is closed before `from` and its heir. */
void bucket_hand_over(struct bucket_store *from, uint32_t bucket, int writer, struct bucket_writer *to);

/* Returns the bytes that a reader's buffer needs: 0 if nothing was spilled, else BUCKET_READ_BYTES. */
uint64_t bucket_read_bytes(const struct bucket_store *store);

#endif
