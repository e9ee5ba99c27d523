/* read_ahead.h: the inputs of a conversion, in order, the next ones being read while one is
 * converted: hundreds of compressed parts then keep as many cores busy as there are.
 *
 * What is read ahead is kept decompressed, within a bound of memory, so parts that fit into it are
 * decompressed side by side, and of larger ones the first bytes. Order and errors do not depend on
 * it: a fault is told when the reader comes to it.
 */
#ifndef DBFS_READ_AHEAD_H
#define DBFS_READ_AHEAD_H

#include "input.h"

struct read_ahead;

/* `ahead`: how many inputs at most are open before their turn. Paths stay the caller's; NULL for an
 * input that the caller has open itself. `glob`: see input_open_first. */
enum status read_ahead_open(struct read_ahead **read_ahead, const char *const *paths, int count,
                            int ahead, uint64_t memory_bytes, const char *glob, struct error *e);
void read_ahead_close(struct read_ahead *read_ahead); /* NULL is allowed */

/* The next input, at its start; it stays open until the next call. NULL for those of the caller. */
enum status read_ahead_next(struct read_ahead *read_ahead, struct input **in, struct error *e);

/* Opens one of the next inputs or reads a little of it. From any thread, beside each other and
 * beside the reading of the input given out. Zero when there is nothing to do for now. */
int read_ahead_work(void *read_ahead);

#endif
