/* serve.h: roots that come one after the other on standard input (--serve). Rank 0 reads a line for each, and passes the
 * root on. */
#ifndef DBFS_SERVE_H
#define DBFS_SERVE_H

#include "searcher.h"

#include <stdio.h>

enum { MOST_LINE_BYTES = 1 << 20 }; /* of a line that can be a root: names may be long */

struct serve {
    int ended;            /* standard input has no more lines */
    struct error refused; /* of rank 0: why the last line is no root; ST_OK: the line is a root */
    int any_refused;      /* of rank 0: some line was refused */
    char line[MOST_LINE_BYTES + 1]; /* of rank 0 */
};

/* Collective. Waits for a line, and finds out where its root is: roots->count becomes 1; or 0 if standard input has
 * ended, the line is no root of the graph, or a file of its results must not be written. Until the line comes ranks
 * sleep, and --timeout does not count. */
enum status serve_next_root(struct serve *serve, struct searcher *searcher, struct error *e);

/* Prints on one line why the last line was no root. */
void serve_print_refusal(FILE *out, const struct serve *serve);

#endif
