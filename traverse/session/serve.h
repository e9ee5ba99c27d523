/* serve.h: reads roots from standard input while the program runs (--serve). Rank 0 reads, and sends the roots of each line to
 * all ranks. */
#ifndef DBFS_SERVE_H
#define DBFS_SERVE_H

#include "searcher.h"

#include <stdio.h>

enum { MOST_LINE_BYTES = 1 << 24 }; /* a longer line is refused. The limit is high, because a line may have many roots */

/* The state of reading roots from standard input. */
struct serve {
    int ended;            /* 1: standard input has no more lines */
    struct error refused; /* on rank 0: the reason why the last line was refused; ST_OK: it was not */
    int any_refused;      /* on rank 0: 1: at least one line was refused */
    char line[MOST_LINE_BYTES + 1]; /* on rank 0: the line that was read last */
};

/* Collective. Waits for the next line of standard input, and finds the shard of the root on this line, or of all roots with
 * --together. All ranks sleep while they wait, and the time of --timeout does not run. Sets roots->count to 0 if the input has
 * ended (serve->ended), if the line names no vertex of the graph, or if a result file must not be written. With --device-answers
 * releases the answers that lines before it name, and also returns without a root if there is no such answer. */
enum status serve_next_root(struct serve *serve, struct searcher *searcher, struct error *e);

/* Prints one line with the reason why the last line was refused. */
void serve_print_refusal(FILE *out, const struct serve *serve);

#endif
