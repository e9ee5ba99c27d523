/* serve.h: roots that come one after the other on standard input (--serve)
 *
 * Rank 0 reads a line for each and passes it on. Until it comes ranks sleep, and --timeout does not count.
 */
#ifndef DBFS_SERVE_H
#define DBFS_SERVE_H

#include "roots.h"

struct serve {
    int ended;            /* standard input has no more lines */
    struct error refused; /* of rank 0: why the last line is no root; ST_OK: it is one */
    int any_refused;      /* of rank 0: some line was refused */
    char *line;           /* of rank 0, as it was read */
    size_t room;
};

/* Collective. Waits for a line, and finds out where its root is. `roots` has room for one. Its count
 * becomes 1; or 0 if standard input has ended, the line is no root of the graph, or a file of its results
 * must not be written. Rank 0 has the map of names; NULL: there is none. */
enum status serve_next(struct serve *serve, struct roots *roots, const struct rank *rank, const struct args *args,
                       const struct name_map *map, struct error *e);
void serve_close(struct serve *serve);

#endif
