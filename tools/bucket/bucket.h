/* bucket.h: a store of records in buckets, filled by many threads and read bucket by bucket.
 *
 * A bucket holds records of 4 or of 8 bytes, never both; their order is not defined. Each thread
 * fills chunks of its own, whose lines being filled stay in the cache, some thousands of them. (Lines
 * of a thread gathered aside and then streamed past the caches were no faster.) When the memory it
 * may use is full, a thread writes what it has to spill files.
 * What a reader sees is runs of records: where they lie is the store's business.
 */
#ifndef DBFS_BUCKET_H
#define DBFS_BUCKET_H

#include "formats/base/memory.h"
#include "formats/base/status.h"
#include "tools/spill/spill.h"

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

enum {
    BUCKET_LINE_BYTES = 64,
    BUCKET_READ_BYTES = 1 << 18 /* a reader's buffer for what was spilled */
};

struct bucket_chunk;
struct bucket_run;

/* One thread's side of the store. */
struct bucket_writer {
    struct bucket_store *store;
    unsigned char **cursor;     /* [buckets] where the next record goes; a chunk's end: nowhere yet */
    uintptr_t chunk_mask;       /* of an address within its chunk */
    struct bucket_chunk **last; /* [buckets] the newest chunk; the oldest after bucket_seal, cursor NULL */
    unsigned char *slab, *slab_end;
    size_t slab_count;         /* this thread's */
    struct bucket_chunk *free; /* chunks spilled or handed over, to be filled again */
    unsigned char *scrap; /* a chunk for what is appended after a failure */
    struct error error;   /* the first failure; appending goes on without effect */
    struct bucket_run *oldest_run, *newest_run; /* what was spilled */
    pthread_mutex_t lock; /* of the chunks to be spilled, against bucket_seal, and of: */
    struct bucket_chunk *returned; /* to be filled again */
};

struct bucket_store {
    uint32_t buckets;
    int threads;
    size_t chunk_bytes; /* a power of two; chunks are aligned to it */
    struct bucket_writer *writer; /* [threads] */
    struct memory_budget *budget;
    struct spill *spill;
    void **slabs; /* for freeing */
    size_t slab_count, slab_capacity, slab_bytes;
    size_t own_slabs;    /* that each thread is sure of */
    size_t common_slabs; /* for who comes first; what is left of them */
    size_t run_count;    /* spilled by all threads */
    int reading;         /* buckets sealed and not returned */
    uint64_t fixed_bytes;
};

struct bucket_options {
    uint32_t buckets;
    int threads;
    uint64_t expected_bytes; /* of records over all buckets: sizes the chunks */
    uint64_t most_bytes;     /* the same, if all have the widest records */
    uint64_t room_bytes;     /* memory for everything in the store; at most what the budget has left */
    struct spill *spill;     /* NULL: what does not fit is ST_RESOURCE */
    const struct bucket_store *like; /* NULL, or a store whose chunks this one is to inherit */
};

/* The least room that so many buckets and threads can work in. */
uint64_t bucket_store_least(const struct bucket_options *options);

enum status bucket_store_open(struct bucket_store *store, const struct bucket_options *options,
                              struct memory_budget *budget, struct error *e);
void bucket_store_close(struct bucket_store *store); /* a zeroed store is allowed */

/* Gives the bucket a new chunk and returns where its first record goes. */
unsigned char *bucket_new_chunk(struct bucket_writer *writer, uint32_t bucket);

/* Where the bucket's next record of `bytes` goes. The place after it is asked for, so that a record that
 * starts a line finds it in the cache; asking further on would take a second line of the first cache
 * for each bucket. */
static inline unsigned char *bucket_place(struct bucket_writer *writer, uint32_t bucket,
                                          unsigned bytes)
{
    unsigned char *at = writer->cursor[bucket];
    if (((uintptr_t)at & writer->chunk_mask) == 0)
        at = bucket_new_chunk(writer, bucket);
    writer->cursor[bucket] = at + bytes;
    __builtin_prefetch(at + bytes, 1);
    return at;
}

static inline void bucket_append_u32(struct bucket_writer *writer, uint32_t bucket,
                                     uint32_t record)
{
    *(uint32_t *)(void *)bucket_place(writer, bucket, 4) = record;
}

static inline void bucket_append_u64(struct bucket_writer *writer, uint32_t bucket,
                                     uint64_t record)
{
    *(uint64_t *)(void *)bucket_place(writer, bucket, 8) = record;
}

/* Where the bucket's next records go, and for how many bytes; bucket_filled tells how many were used. */
static inline unsigned char *bucket_room(struct bucket_writer *writer, uint32_t bucket, size_t *bytes)
{
    unsigned char *at = writer->cursor[bucket];
    if (((uintptr_t)at & writer->chunk_mask) == 0)
        at = bucket_new_chunk(writer, bucket);
    *bytes = writer->chunk_mask + 1 - ((uintptr_t)at & writer->chunk_mask);
    return at;
}

static inline void bucket_filled(struct bucket_writer *writer, uint32_t bucket, unsigned char *end)
{
    writer->cursor[bucket] = end;
    __builtin_prefetch(end, 1);
}

/* Ends the filling, once, after all threads have finished; reports what appending could not. */
enum status bucket_store_seal(struct bucket_store *store, struct error *e);

/* Ends the filling of one bucket while threads fill others. When it has been read for the last time,
 * bucket_return gives its memory back to the threads that filled it; nobody waits between these two. */
void bucket_seal(struct bucket_store *store, uint32_t bucket);
void bucket_return(struct bucket_store *store, uint32_t bucket);

/* Reads a bucket of a sealed store, whose records have `width` bytes: any thread, any number of
 * times.
 *     struct bucket_reader r = bucket_read(store, bucket, 4, buffer, &error);
 *     while ((count = bucket_reader_next(&r, &records)) > 0) ...
 * `buffer` has bucket_read_bytes(store) bytes. A failure ends the reader and is in `error`. */
struct bucket_reader {
    const struct bucket_store *store;
    uint32_t bucket;
    unsigned width;
    struct error *error;
    int thread, threads; /* whose records come next; the end of them */
    const struct bucket_chunk *chunk; /* in memory, after all that was spilled */
    const struct bucket_run *run;
    uint32_t run_chunk; /* next to be handed out */
    void *buffer;       /* chunks of the run */
    size_t buffer_bytes;
    uint32_t buffer_at, buffered;
};

struct bucket_reader bucket_read(const struct bucket_store *store, uint32_t bucket,
                                 unsigned width, void *buffer, struct error *e);
size_t bucket_reader_next(struct bucket_reader *reader, const void **records);

/* The same for what threads `first` to `end` - 1 have put into the bucket. Of a bucket that bucket_seal has
 * ended, each thread's records come in the order of appending. Where anything was spilled, the reader is
 * given a buffer of at least a chunk before its first use. */
struct bucket_reader bucket_read_share(const struct bucket_store *store, uint32_t bucket, int first,
                                      int end, unsigned width);
void bucket_reader_buffer(struct bucket_reader *reader, void *buffer, size_t bytes, struct error *e);

/* How many bytes one thread has in memory of a bucket. */
uint64_t bucket_share_bytes(const struct bucket_store *store, uint32_t bucket, int writer);

/* ---- from one store to the next ---- */

/* All memory of the chunks of `from`, which has spilled nothing, becomes that of `heir`, opened to be
 * like it. The records of `from` stay where they are until they are handed over. */
enum status bucket_store_inherit(struct bucket_store *heir, struct bucket_store *from,
                                 struct error *e);

/* Chunks in memory of one thread's records in a bucket, read for the last time, are `to`'s to fill: a
 * writer of the calling thread, of a store with chunks of that size that `from` or its heir outlives. */
void bucket_hand_over(struct bucket_store *from, uint32_t bucket, int writer,
                      struct bucket_writer *to);

/* 0 where nothing was spilled, else BUCKET_READ_BYTES. */
uint64_t bucket_read_bytes(const struct bucket_store *store);

#endif
