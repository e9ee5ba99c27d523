/* thread_pool.h: the threads that search on the CPU.
 *
 * A process has one thread pool, as it has one set of cores; devices that open it share it. Only one thread, the
 * caller, gives it work. Work is cut into pieces. The caller does pieces itself, and threads of the thread pool
 * join it if they are awake. The caller waits for those that have joined, never for one that has not come: a
 * thread without a core holds nobody up.
 *
 * Each thread has pieces of its own, the same ones for the same count: so its writes of one level are in
 * its cache, and in memory near it, in the next. A thread that has done its pieces takes those of others.
 *
 * A thread without work spins, because a search has work again after microseconds, and sleeps after a while.
 * It sleeps at once if another program wants its core. A thread pool has no more threads than there are cores, which would
 * hold up each other: work for more threads is done by those that there are.
 */
#ifndef DBFS_THREAD_POOL_H
#define DBFS_THREAD_POOL_H

#include "formats/base/status.h"

#include <stdint.h>

enum { MOST_POOL_THREADS = 1024 };

struct thread_pool;

/* Does a piece, by thread `thread`; the caller's is 0. Returns what it adds to the sum of the work. */
typedef uint64_t pool_job(void *context, int thread, uint64_t piece);

/* Does the elements begin..end of a loop. */
typedef void pool_body(void *context, uint64_t begin, uint64_t end);

/* Opens the thread pool, or shares it: the first call sets its threads, the caller included. */
enum status pool_open(struct thread_pool **pool, int threads, struct error *e);
void pool_close(struct thread_pool *pool); /* NULL is allowed */

/* Wakes threads, as there is work soon: they spin, and forget that their cores were wanted. Returns when they
 * are awake, or after 0.2 ms. */
void pool_rouse(struct thread_pool *pool);

/* Has up to `threads` threads do the pieces 0..pieces, and returns their sum when all are done. */
uint64_t pool_run(struct thread_pool *pool, int threads, uint64_t pieces, pool_job *job, void *context);

/* How often the caller has waited for milliseconds for a thread that had joined, as another program had its
 * core. */
uint64_t pool_late(const struct thread_pool *pool);

/* Runs the loop over 0..count, in pieces of `step` elements. */
void pool_for(struct thread_pool *pool, int threads, uint64_t count, uint64_t step, pool_body *body,
              void *context);

#endif
