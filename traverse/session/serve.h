/* serve.h: roots that come one after the other on standard input (--serve). Rank 0 reads a line for each root, and tells the
 * other ranks. */
#ifndef DBFS_SERVE_H
#define DBFS_SERVE_H

#include "searcher.h"

#include <stdio.h>

enum { MOST_LINE_BYTES = 1 << 20 }; /* the longest line that can be a root; names may be long */

/* The state of reading roots from standard input. */
struct serve {
    int ended;            /* standard input has no more lines */
    struct error refused; /* on rank 0: why the last line is no root; ST_OK: the line is a root */
    int any_refused;      /* on rank 0: some line was refused */
    char line[MOST_LINE_BYTES + 1]; /* on rank 0: the last line */
};

/* Collective. Waits for a line, and finds out where its root is. Sets roots->count to 1, or to 0 if standard input has
 * ended, if the line is no root of the graph, or if a file of its results must not be written. Until the line comes ranks
 * sleep, and --timeout does not count. */
enum status serve_next_root(struct serve *serve, struct searcher *searcher, struct error *e);

/* Prints why the last line was no root, on one line. */
void serve_print_refusal(FILE *out, const struct serve *serve);

#endif
