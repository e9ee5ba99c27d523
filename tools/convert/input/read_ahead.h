/* read_ahead.h: gives the inputs of a conversion in order, and reads the next ones while one is converted.
 *
 * So hundreds of compressed inputs keep all cores busy. What is read ahead is kept decompressed, within a bound of memory:
 * inputs that fit are decompressed side by side, and of one that does not, only the first bytes. Reading ahead changes neither
 * order nor errors, because a fault is reported when its input's turn comes.
 */
#ifndef DBFS_READ_AHEAD_H
#define DBFS_READ_AHEAD_H

#include "input.h"

struct read_ahead;

/* Opens the inputs; at most `ahead` of them are open before their turn. The caller keeps the paths. A path is NULL for an input
 * that the caller opens itself. input_open_first explains `member`. */
enum status read_ahead_open(struct read_ahead **read_ahead, const char *const *paths, int count,
                            int ahead, uint64_t memory_bytes, const char *member, struct error *e);
void read_ahead_close(struct read_ahead *read_ahead); /* NULL is allowed */

/* Gives the next input, at its start; NULL if the caller opens it itself. It stays open until the next call. */
enum status read_ahead_next(struct read_ahead *read_ahead, struct input **in, struct error *e);

/* Opens one of the next inputs or reads a little of it. Several threads may call it at once, also while another reads the
 * current input. Returns 0 if there is nothing to do at present. */
int read_ahead_work(void *read_ahead);

#endif
