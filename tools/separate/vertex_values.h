/* vertex_values.h: a 4-byte value for every vertex: its degree, then its rank (rank.h), then its label
 * (order.h), each of which is a type of its own that takes over the memory of the one before.
 *
 * Where the budget cannot hold 4n bytes, vertices are cut into windows of consecutive ids. Windows lie in
 * spill files and two are in memory. What needs the values of both ends of an edge takes one pass over the
 * stream for each pair of windows, k(k - 1)/2 passes for k windows, and each pass sees only the edges of
 * its pair. (Joining by sorting on disk would move about 100 bytes for each edge, a pass 8: pairs move less
 * up to k = 5, and are simpler beyond.) With one window this is one pass, and costs nothing.
 */
#ifndef DBFS_VERTEX_VALUES_H
#define DBFS_VERTEX_VALUES_H

#include "formats/base/memory.h"
#include "tools/stream/edge_source.h"
#include "tools/stream/edge_tiles.h"
#include "tools/spill/spill.h"

#include <stdint.h>

enum { VALUES_MOST_WINDOWS = 64 };

struct window_file {
    struct spill_extent extent;
    uint32_t crc;
};

struct vertex_values {
    uint64_t n;
    uint64_t window;  /* ids of a window; n where there is one */
    uint32_t windows; /* at least 1 */
    uint32_t *of;     /* [n], or [2][window]; NULL after values_drop */
    uint32_t loaded[2]; /* the windows in memory, where there are several */
    struct window_file *file; /* [windows] */
    uint64_t bytes;           /* charged for `of` */
    int threads;
    struct spill *spill;
    struct memory_budget *budget;
};

struct values_options {
    uint64_t n;          /* vertices */
    uint64_t granule;    /* a window is a multiple of so many ids */
    uint64_t most_bytes; /* of memory */
    int threads;
    struct spill *spill; /* NULL: all in memory, whatever most_bytes says */
};

/* Zeros for n vertices. ST_RESOURCE: over budget, or more than VALUES_MOST_WINDOWS windows. */
enum status values_open(struct vertex_values *values, const struct values_options *options,
                        struct memory_budget *budget, struct error *e);
void values_free(struct vertex_values *values); /* zeroed values are allowed */

/* Sets windows and their size for v->n vertices and v->spill, as values_open does. */
void values_choose_windows(struct vertex_values *values, uint64_t granule, uint64_t most_bytes);

/* The least most_bytes for n vertices. */
uint64_t values_least_bytes(uint64_t n);

/* The ids of window w. */
uint64_t window_begin(const struct vertex_values *values, uint32_t w);
uint64_t window_end(const struct vertex_values *values, uint32_t w);

/* Brings window w into half 0 or 1 of the memory, and returns where it is; NULL after a failure. With
 * one window, that is `of`. */
uint32_t *values_load(struct vertex_values *values, uint32_t w, int half, struct error *e);

/* Keeps what is in that half as window w. */
enum status values_keep(struct vertex_values *values, uint32_t w, int half, struct error *e);

/* Gives the memory back; the values are lost, but not their number. */
void values_drop(struct vertex_values *values);

/* The edges of a graph, for the passes after the first. */
struct edge_supply {
    const struct edge_source *source;
    const struct edges_totals *totals; /* of the source */
    struct edge_tiles *tiles; /* this rank's share in memory; NULL: in the stream */
};

/* What sees the edges of a pass: those of the stream, or those of tiles as they lie there. */
struct edge_visitors {
    edges_visitor edges;
    tile_visitor tile;
};

/* A further pass over the tiles or the stream, or one for each pair of windows: together they give every
 * edge to a visitor once, and `of` then holds the values of both its ends. With several windows the ends
 * are indices of `of`, congruent to the ids modulo the granule. The ranks of the source share each pass,
 * and need the same windows; the status is that of all, and a failure in *e makes all fail. */
enum status values_scan(struct vertex_values *values, const struct edge_supply *edges,
                        struct edge_visitors visit, void *context, struct error *e);
uint64_t values_scan_passes(const struct vertex_values *values);

#endif
