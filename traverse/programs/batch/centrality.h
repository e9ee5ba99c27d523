/* centrality.h: the table of --centrality. The table has a line for each root, and is written batch by batch.
 *
 * A regular file is called FILE.part until the last line is written, and it only grows. The first line names the graph and
 * the roots, so that another run can continue the table after a kill. That run keeps all lines up to the first line that is
 * not the line of its root, and makes that line and the lines after it again. */
#ifndef DBFS_CENTRALITY_H
#define DBFS_CENTRALITY_H

#include "batch_search.h"

#include "traverse/session/roots.h"

#include "formats/name_map.h"

#include <stdint.h>

struct centrality {
    /* the name that --centrality gives */
    const char *name;
    char *part;          /* the name of the unfinished file; NULL: the table is written directly to `name` */
    char key[128];       /* the first line */
    struct outfile *out; /* the open table; NULL: no table is wanted, or the table has been completed */
    const struct name_map *map; /* the names of vertices; NULL: the table has ids */
    uint64_t n;          /* number of vertices of the input */
    uint64_t done;       /* number of roots that an earlier run has finished */
    /* number, from 1, of the first line of the unfinished file that is dropped, with all lines after it; 0: all lines are
     * kept */
    uint64_t bad_line;
};

/* Begins the table of these roots, or with --resume continues an unfinished table. *c must be zeroed before, but for
 * c->map. Fails with ST_RUNTIME if an unfinished table exists, and neither --resume nor --force is given. Fails with
 * ST_BAD_DATA if the unfinished table belongs to another graph or to other roots. Fails with ST_USAGE if FILE is no regular
 * file, with --resume. After a failure, too, centrality_close is to be called. */
enum status centrality_open(struct centrality *c, const struct args *args, const struct graph *graph,
                            const struct roots *roots, struct error *e);

/* Appends the lines of `count` roots, and syncs the lines to disk. Root i has the input id ids[i] and the result
 * results[i]. */
enum status centrality_add(struct centrality *c, const uint64_t *ids, const struct batch_result *results, uint64_t count,
                           struct error *e);

/* Completes the table: renames the unfinished file to its final name. Sets c->out to NULL, after a failure, too. c->out
 * must not be NULL before. */
enum status centrality_commit(struct centrality *c, struct error *e);
/* Frees all memory of *c, which may be all zeros. A table that is not committed stays on disk as its unfinished file. */
void centrality_close(struct centrality *c);

#endif
