/* thread_pool.h: the threads that search on the CPU
 *
 * A process has one thread pool, as it has one set of cores. All devices that open the pool share it. One thread at a time,
 * the caller, gives the pool a work. A work is cut into pieces. The caller does pieces itself, and threads of the pool that
 * are awake join it. The caller waits for threads that have joined, and never for a thread that has not joined. So a thread
 * without a core holds nobody up.
 *
 * Piece i of a work belongs to thread i mod threads. So a thread does the same pieces of works of equal size. The data that
 * it wrote in one level is in its cache in the next level, and in memory near its core. A thread that has done its own
 * pieces takes pieces of other threads.
 *
 * A thread without work spins at first, because a search has new work after microseconds. After a while it sleeps. It
 * sleeps at once if another program wants its core. A pool has no more threads than there are cores, because more threads
 * would hold each other up. A work for more threads is done by the threads that there are.
 */
#ifndef DBFS_THREAD_POOL_H
#define DBFS_THREAD_POOL_H

#include "formats/base/status.h"

#include <stdint.h>

enum { MOST_POOL_THREADS = 1024 };

struct thread_pool;

/* A function that does one piece of a work, as thread `thread`. The caller is thread 0. Returns a number: pool_run adds up
 * these numbers. */
typedef uint64_t pool_job(void *context, int thread, uint64_t piece);

/* A function that does the elements begin..end of a loop. */
typedef void pool_body(void *context, uint64_t begin, uint64_t end);

/* Opens the pool of this process: sets *pool to it. The first call starts the threads: `threads` of them, the caller
 * included, but no more than there are cores. Later calls get the same pool. Each open wants a close. Fails if there is no
 * memory, or if a thread cannot be started. *pool is NULL then. */
enum status pool_open(struct thread_pool **pool, int threads, struct error *e);

/* Gives up one pool_open. The last close ends the threads and frees the pool. `pool` may be NULL. */
void pool_close(struct thread_pool *pool);

/* Wakes all threads of the pool, because there is work soon. They then spin, even if their cores were wanted by other
 * programs before. Returns when they are awake, or after 0.2 ms. */
void pool_rouse(struct thread_pool *pool);

/* Does the pieces 0..pieces of a work by up to `threads` threads, and waits until all are done. There are at most 2^32
 * pieces. Returns the sum of the numbers that `job` returned. */
uint64_t pool_run(struct thread_pool *pool, int threads, uint64_t pieces, pool_job *job, void *context);

/* Runs `body` over the elements 0..count of a loop by up to `threads` threads, `step` elements at a time, and waits until
 * all are done. */
void pool_for(struct thread_pool *pool, int threads, uint64_t count, uint64_t step, pool_body *body, void *context);

/* Returns how often the caller has waited for more than 2 ms for a thread that had joined a work, because another program
 * had the core of the thread. */
uint64_t pool_late(const struct thread_pool *pool);

#endif
