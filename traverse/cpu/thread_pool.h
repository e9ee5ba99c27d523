/* thread_pool.h: the threads that search on the CPU
 *
 * A process has one thread pool, as it has one set of cores, and all its devices share the pool. One thread at a time,
 * the caller, gives the pool a work, which is divided into pieces. The caller does pieces, too, and threads of the pool
 * that are awake join it. In the end the caller waits for threads that have joined, but never for others, so a thread
 * without a core delays nobody.
 *
 * Piece i of a work belongs to thread i mod threads. So a thread does the same pieces in works of equal size, and finds
 * what it wrote in one level in its cache in the next. When its own pieces are done, it does those of other threads.
 *
 * A thread without work spins, because a search has new work after microseconds, and sleeps after a while, or at once
 * if another program wants its core. There are no more threads than cores, because more would delay each other. */
#ifndef DBFS_THREAD_POOL_H
#define DBFS_THREAD_POOL_H

#include "formats/base/status.h"

#include <stdint.h>

enum {
    MOST_POOL_THREADS = 1024,
    APART = 128 /* bytes of two cache lines: what different threads write is so far apart, as some processors fetch lines in pairs */
};

struct thread_pool;

/* A function that does one piece of a work, as thread number `thread`; the caller is thread 0. pool_run adds up its
 * results. */
typedef uint64_t pool_job(void *context, int thread, uint64_t piece);

/* A function that handles the elements begin..end of a loop. */
typedef void pool_body(void *context, uint64_t begin, uint64_t end);

/* Opens the pool of this process. The first call starts the threads: `threads` with the caller, but at most one for
 * each core. Later calls get the same pool. Each needs a pool_close. Fails if memory is short or a thread cannot be
 * started; *pool is then NULL. */
enum status pool_open(struct thread_pool **pool, int threads, struct error *e);

/* Ends one use of the pool. The last pool_close ends the threads and frees the pool, which may be NULL. */
void pool_close(struct thread_pool *pool);

/* Wakes all threads because there will be work soon. They then spin, even if other programs wanted their cores before.
 * Returns when they are awake, or after 0.2 ms. */
void pool_rouse(struct thread_pool *pool);

/* Does the pieces 0 to `pieces` - 1 of a work, by up to `threads` threads, and waits for all pieces. There are at most 2^32. Returns
 * the sum of what `job` returned. */
uint64_t pool_run(struct thread_pool *pool, int threads, uint64_t pieces, pool_job *job, void *context);

/* Runs `body` over the elements 0..count of a loop by up to `threads` threads, and waits for all. Each call of `body`
 * gets up to `step` elements. */
void pool_for(struct thread_pool *pool, int threads, uint64_t count, uint64_t step, pool_body *body, void *context);

/* Returns how often the caller has waited longer than 2 ms for a thread that had joined a work, because another program
 * had its core. */
uint64_t pool_late(const struct thread_pool *pool);

#endif
