/* watch.h: ends a job in which a rank does not go on, so that the other ranks do not wait for ever (--timeout).
 *
 * Each rank has a thread that notes the time every few milliseconds, in memory that the ranks of a host share: the heartbeat of
 * the rank. The rank itself notes there what it does, and since when it waits for others. The thread reads the notes of the
 * other ranks. A rank without a heartbeat for the timeout is named as stopped. If this rank has waited for the timeout, a rank
 * of the host that does not wait is named. If there is none, a rank of another host is late: the one for whose message this rank
 * waits or, as where all ranks reduce, an unknown one. If there is no other host, messages may take a second timeout.
 */
#ifndef DBFS_WATCH_H
#define DBFS_WATCH_H

#include "comm.h"

/* Starts to watch the ranks, until the program exits. `seconds` is the timeout; with 0 nothing is watched. `program` is the
 * name of the program in the message. Collective. */
enum status watch_start(const struct comm *comm, const char *program, double seconds, struct error *e);

/* Sets what the message says that this rank was doing, such as "searching from root 17". Not collective. */
void watch_phase(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Call these two around everything that waits for other ranks. */
void watch_wait_begin(void);
void watch_wait_end(void);
/* Says for which rank this one waits, until it is called again. Not needed. */
void watch_wait_for(uint32_t rank);

/* Returns 1 if a timer runs that ends this rank, with a message, when it waits too long for other ranks (--timeout). comm_close asks
 * it: only with such a timer may a rank wait for all others before MPI_Finalize. */
int watch_has_alarm(void);

#define WATCH_WAIT(call) (watch_wait_begin(), (void)(call), watch_wait_end())

#endif
