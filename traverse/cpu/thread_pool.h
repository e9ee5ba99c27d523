/* thread_pool.h: the threads that search on the CPU
 *
 * A process has one thread pool, because it has one set of cores. All devices that open the pool share it. One thread at
 * a time, the caller, gives the pool a work. A work is divided into pieces. The caller does pieces itself. Threads of the
 * pool that are awake join the work. The caller waits for threads that have joined, and never for a thread that has not
 * joined. So a thread without a core delays no other thread.
 *
 * Piece i of a work belongs to thread i mod threads. So in works of equal size a thread always does the same pieces. The
 * data that the thread wrote in one level is in its cache in the next level, and in memory near its core. A thread that
 * has finished its own pieces does pieces of other threads.
 *
 * A thread without work spins at first, because a search has new work after microseconds. After a while the thread
 * sleeps. It sleeps at once if another program wants its core. A pool has no more threads than there are cores, because
 * more threads would delay each other. If a work asks for more threads, the existing threads do all of it. */
#ifndef DBFS_THREAD_POOL_H
#define DBFS_THREAD_POOL_H

#include "formats/base/status.h"

#include <stdint.h>

enum { MOST_POOL_THREADS = 1024 };

struct thread_pool;

/* A function that does one piece of a work, as thread number `thread`. The caller is thread 0. pool_run adds up the
 * numbers that this function returns. */
typedef uint64_t pool_job(void *context, int thread, uint64_t piece);

/* A function that handles the elements begin..end of a loop. */
typedef void pool_body(void *context, uint64_t begin, uint64_t end);

/* Opens the pool of this process, and sets *pool to it. The first call starts the threads. Their number is `threads`, the
 * caller included, but at most the number of cores. Later calls get the same pool. Each pool_open needs a pool_close.
 * Fails if memory is short, or if a thread cannot be started. *pool is then NULL. */
enum status pool_open(struct thread_pool **pool, int threads, struct error *e);

/* Ends the use that a pool_open began. The last pool_close ends the threads and frees the pool. `pool` may be NULL. */
void pool_close(struct thread_pool *pool);

/* Wakes all threads of the pool, because there is work soon. The threads then spin, even if other programs wanted their
 * cores before. Returns when the threads are awake, or after 0.2 ms. */
void pool_rouse(struct thread_pool *pool);

/* Does the pieces 0..pieces of a work with up to `threads` threads, and waits until all pieces are done. There are at
 * most 2^32 pieces. Returns the sum of the numbers that `job` returned. */
uint64_t pool_run(struct thread_pool *pool, int threads, uint64_t pieces, pool_job *job, void *context);

/* Runs `body` over the elements 0..count of a loop with up to `threads` threads, and waits until all are done. One call
 * of `body` gets up to `step` elements. */
void pool_for(struct thread_pool *pool, int threads, uint64_t count, uint64_t step, pool_body *body, void *context);

/* Returns how often the caller has waited longer than 2 ms for a thread that had joined a work. Another program had the
 * core of the thread. */
uint64_t pool_late(const struct thread_pool *pool);

#endif
