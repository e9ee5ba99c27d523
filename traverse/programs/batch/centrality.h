/* centrality.h: the table of --centrality, which has a line for each root, and is written batch by batch.
 *
 * If FILE is a regular file, the table grows in FILE.part, whose first two lines, with a # before them, name the graph and the
 * roots, and the columns. Its other lines have tabs between fields if they begin with a name, and blanks if they begin with an
 * id. After the last line, FILE is written from them as a text result (formats/table.h). If the run is killed, a run with --resume can
 * continue the table. It keeps all lines up to the first bad line, in which the root that should be there does not have a valid result,
 * and writes the rest again. */
#ifndef DBFS_CENTRALITY_H
#define DBFS_CENTRALITY_H

#include "batch_search.h"

#include "traverse/session/roots.h"

#include "formats/table.h"

#include <stdint.h>

struct centrality {
    /* the file name that --centrality gives */
    const char *name;
    char *part;          /* the name of the unfinished file; NULL: the table is written directly to `name` */
    char key[160];       /* the first line */
    struct table table;  /* its finished lines, while they are written */
    struct outfile *out; /* the open table; NULL: no table is wanted, or the table has been completed */
    const struct name_map *map; /* the names of vertices; NULL: the table has ids instead of names */
    uint64_t n;          /* number of vertices of the input */
    uint64_t base;       /* what people call input id 0 */
    uint64_t done;       /* number of roots that an earlier run has finished */
    /* number, from 1, of the first bad line of the unfinished file; it and all lines after it are dropped; 0: none */
    uint64_t bad_line;
};

/* Begins the table of these roots, or continues an unfinished table with --resume. All members of *c but c->map must be
 * zero before. The caller calls centrality_close even after a failure. Fails with:
 * - ST_RUNTIME: an unfinished table exists, and neither --resume nor --force is given
 * - ST_BAD_DATA: with --resume, the unfinished table belongs to another graph or to other roots
 * - ST_USAGE: with --resume, FILE is no regular file */
enum status centrality_open(struct centrality *c, const struct args *args, const struct graph *graph,
                            const struct roots *roots, struct error *e);

/* Appends the lines of `count` roots, and syncs them to disk. Root i has the input id ids[i] and the result results[i]. */
enum status centrality_add(struct centrality *c, const uint64_t *ids, const struct batch_result *results, uint64_t count,
                           struct error *e);

/* Completes the table: writes FILE, and removes the unfinished file. Sets c->out to NULL, even after a failure. It must not be NULL
 * before. */
enum status centrality_commit(struct centrality *c, struct error *e);
/* Frees all memory of *c. *c may be all zeros. If a table is not committed, its unfinished file stays on disk. */
void centrality_close(struct centrality *c);

#endif
