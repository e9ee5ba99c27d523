/* watch.h: notices ranks that do not go on, and ends the job instead of waiting for ever (--timeout).
 *
 * A rank that is stopped, or whose host is gone, holds all others in their next collective call. So each rank has a thread, its
 * heart, that beats in memory which the ranks of its host share. There the rank also notes what it does and whether it waits. A rank
 * whose heart stands still for the timeout is named as stopped. If all hearts beat and a rank has waited for the timeout, a rank that
 * does not wait is named, or else a rank of another host. On a single host where all wait, messages may take twice the timeout.
 */
#ifndef DBFS_WATCH_H
#define DBFS_WATCH_H

#include "comm.h"

/* Starts to watch the ranks until the program exits; `seconds` is the timeout, and 0 watches nothing. `program` is for
 * the message. Collective. */
enum status watch_start(const struct comm *comm, const char *program, double seconds,
                        struct error *e);

/* Sets what the message says that this rank was doing, such as "searching from root 17". Not collective. */
void watch_phase(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Call these two around everything that waits for other ranks. */
void watch_wait_begin(void);
void watch_wait_end(void);
#define WATCH_WAIT(call) (watch_wait_begin(), (void)(call), watch_wait_end())

#endif
