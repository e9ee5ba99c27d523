/* pump.h: an input as a descriptor, for readers that want one. */
#ifndef DBFS_PUMP_H
#define DBFS_PUMP_H

#include "input.h"

struct pump;

/* A descriptor that delivers the whole input, peeked bytes included, for the caller to close. What
 * cannot be handed over as it is (a pipe that was peeked at, compressed data) is pumped through a
 * pipe by a thread. SIGPIPE must be ignored. */
enum status pump_open(struct pump **pump, struct input *in, int *fd, struct error *e);

/* After the descriptor is closed: ends the thread and tells of failures that the reader of the
 * descriptor cannot know (a damaged gzip member looks like an early end). NULL is allowed. */
enum status pump_close(struct pump *pump, struct error *e);

#endif
