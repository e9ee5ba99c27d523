/* centrality.h: the table of --centrality: a line for each root, written batch by batch.
 *
 * A regular file is called FILE.part until the last line is written, and only grows. Its first line names graph and roots,
 * so that another run can continue after a kill. That run keeps all lines before the first one that is not the line of its
 * root. */
#ifndef DBFS_CENTRALITY_H
#define DBFS_CENTRALITY_H

#include "batch_search.h"

#include "traverse/session/roots.h"

#include "formats/name_map.h"

#include <stdint.h>

struct centrality {
    const char *name;
    char *part;          /* the name of the unfinished file; NULL: the table is written directly */
    char key[128];       /* the first line */
    struct outfile *out; /* NULL: no table is wanted, or it is complete */
    const struct name_map *map; /* NULL: ids instead of names */
    uint64_t n;          /* vertices of the input */
    uint64_t done;       /* roots that an earlier run has finished */
    uint64_t bad_line;   /* of the unfinished file: from here on lines are dropped; 0: all are kept */
};

/* Begins the table of these roots, or continues one with --resume. ST_RUNTIME: an unfinished table exists, and neither
 * --resume nor --force is given. ST_BAD_DATA: this table belongs to another graph, or to other roots. ST_USAGE: FILE is no
 * regular file, with --resume. */
enum status centrality_open(struct centrality *c, const struct args *args, const struct graph *graph,
                            const struct roots *roots, struct error *e);

/* Appends the lines of `count` roots, with these input ids and results, and syncs them to disk. */
enum status centrality_add(struct centrality *c, const uint64_t *ids, const struct batch_result *results, uint64_t count,
                           struct error *e);

/* Completes the table: renames the unfinished file to its final name, and sets c->out to NULL. */
enum status centrality_commit(struct centrality *c, struct error *e);
/* Frees what *c holds; a zeroed one is allowed. A table that is not committed stays unfinished. */
void centrality_close(struct centrality *c);

#endif
