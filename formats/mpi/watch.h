/* watch.h: notices ranks that do not go on, and ends the job instead of waiting for ever (--timeout).
 *
 * A rank that is stopped, or whose host is gone, holds all others in their next collective call. Each rank
 * has a thread that beats in memory which the ranks of its host share. There the rank also notes what it does
 * and whether it waits for others. A rank whose heart stands still for the timeout has been stopped. If all
 * hearts beat and a rank has waited for the timeout, a rank that does not wait is named; if there is none on
 * this host, it is on another. If there is no other host, messages take their time, and get twice the
 * timeout.
 */
#ifndef DBFS_WATCH_H
#define DBFS_WATCH_H

#include "comm.h"

/* Collective. Starts to watch, until the program exits; 0 seconds: does nothing. `program` is for the message. */
enum status watch_start(const struct comm *comm, const char *program, double seconds,
                        struct error *e);

/* Tells the message what this rank does from here on, such as "searching from root 17". Not collective. */
void watch_phase(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Call these two around everything that waits for other ranks. */
void watch_wait_begin(void);
void watch_wait_end(void);
#define WATCH_WAIT(call) (watch_wait_begin(), (void)(call), watch_wait_end())

#endif
