/* thread_pool.h: the threads that search on the CPU
 *
 * A process has one thread pool, as it has one set of cores; devices that open the pool share it. One thread at a time, the
 * caller, gives it work, which is cut into pieces. The caller does pieces itself, and threads of the pool join it if they
 * are awake. The caller waits for those that have joined, never for one that has not come: a thread without a core holds
 * nobody up.
 *
 * Piece i belongs to thread i mod threads. So the same thread does the same pieces of works of equal size, and what it wrote
 * in one level is in its cache, and in memory near it, in the next. A thread that has done its own pieces takes those of
 * others.
 *
 * A thread without work spins, because a search has work again after microseconds, and sleeps after a while. It sleeps at
 * once if another program wants its core. A pool has no more threads than there are cores, which would hold up each other:
 * work for more threads is done by those that there are.
 */
#ifndef DBFS_THREAD_POOL_H
#define DBFS_THREAD_POOL_H

#include "formats/base/status.h"

#include <stdint.h>

enum { MOST_POOL_THREADS = 1024 };

struct thread_pool;

/* Does a piece, as thread `thread`; the caller is thread 0. Returns a number for the sum of the work. */
typedef uint64_t pool_job(void *context, int thread, uint64_t piece);

/* Does the elements begin..end of a loop. */
typedef void pool_body(void *context, uint64_t begin, uint64_t end);

/* Opens the pool of this process. The first call sets its threads, the caller included: at most one a core. Each open wants
 * a close. Fails if there is no memory, or a thread cannot be started. */
enum status pool_open(struct thread_pool **pool, int threads, struct error *e);
void pool_close(struct thread_pool *pool); /* NULL is allowed */

/* Wakes all threads, as there is work soon: they spin, and forget that their cores were wanted. Returns when they are awake,
 * or after 0.2 ms. */
void pool_rouse(struct thread_pool *pool);

/* Does the pieces 0..pieces, at most 2^32, by up to `threads` threads, and waits. Returns the sum of what jobs returned. */
uint64_t pool_run(struct thread_pool *pool, int threads, uint64_t pieces, pool_job *job, void *context);

/* Runs a loop over 0..count, in pieces of `step` elements. */
void pool_for(struct thread_pool *pool, int threads, uint64_t count, uint64_t step, pool_body *body, void *context);

/* How often the caller has waited for milliseconds for a thread that had joined, as another program had its core. */
uint64_t pool_late(const struct thread_pool *pool);

#endif
