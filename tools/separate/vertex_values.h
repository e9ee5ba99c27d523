/* vertex_values.h: a 4-byte value for every vertex, in memory or, if memory is short, on disk.
 *
 * The value is first the vertex's degree, then its rank (rank.h), then its label (order.h). Each of these has a type of its
 * own, which takes over the memory of the one before.
 *
 * If the budget cannot hold 4n bytes, the vertices are divided into windows of consecutive ids, which lie in spill files; two
 * of them are in memory at a time. A step that needs the values of both ends of an edge takes a pass over the stream for each
 * pair of windows: k(k - 1)/2 passes for k windows, each of which gets only the edges of its pair. One window takes one pass,
 * at no extra cost. (Joining edges and values by sorting on disk would move more bytes up to k = 5.)
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
    uint64_t window;  /* ids in a window; n if there is only one window */
    uint32_t windows; /* at least 1 */
    uint32_t *of;     /* [n], or [2][window]; NULL after values_drop */
    uint32_t loaded[2]; /* if there are several windows: the two in memory */
    struct window_file *file; /* [windows] */
    uint64_t bytes;           /* charged for `of` */
    int threads;
    struct spill *spill;
    struct memory_budget *budget;
};

struct values_options {
    uint64_t n;          /* vertices */
    uint64_t granule;    /* the size of a window is a multiple of this */
    uint64_t most_bytes; /* of memory */
    int threads;
    struct spill *spill; /* NULL: all in memory, whatever most_bytes says */
};

/* Makes a value of 0 for each of n vertices. ST_RESOURCE if the budget is too small, or would need more than VALUES_MOST_WINDOWS
 * windows. */
enum status values_open(struct vertex_values *values, const struct values_options *options,
                        struct memory_budget *budget, struct error *e);
void values_free(struct vertex_values *values); /* zeroed values are allowed */

/* Chooses the number of windows and their size, as values_open does. Only v->n and v->spill are read. */
void values_choose_windows(struct vertex_values *values, uint64_t granule, uint64_t most_bytes);

/* The least most_bytes for n vertices. */
uint64_t values_least_bytes(uint64_t n);

/* Window w has the ids from window_begin up to, but not including, window_end. */
uint64_t window_begin(const struct vertex_values *values, uint32_t w);
uint64_t window_end(const struct vertex_values *values, uint32_t w);

/* Loads window w into half 0 or 1 of the memory and returns its address; NULL after a failure. If there is one window, it is
 * always in memory. */
uint32_t *values_load(struct vertex_values *values, uint32_t w, int half, struct error *e);

/* Saves the content of that half as window w. */
enum status values_keep(struct vertex_values *values, uint32_t w, int half, struct error *e);

/* Frees the memory. The values are lost; their number is kept. */
void values_drop(struct vertex_values *values);

/* The edges of a graph, for passes after the first one. */
struct edge_supply {
    const struct edge_source *source;
    struct edge_tiles *tiles; /* this rank's share in memory; NULL: in the stream */
};

/* The functions that a pass calls: one for edges of a stream, one for records of tiles as they lie in memory. */
struct edge_visitors {
    edges_visitor edges;
    tile_visitor tile;
};

/* Gives every edge to a visitor once, while values->of holds the values of both its ends: in one pass over the tiles or the
 * stream, or in one for each pair of windows. If there are several windows, the ends are given as indices into `of`, which are
 * congruent to the ids modulo the granule. The ranks of the job share each pass and must have the same windows. All get the
 * same status; a failure that *e already holds makes all of them fail. */
enum status values_scan(struct vertex_values *values, const struct edge_supply *edges,
                        struct edge_visitors visit, void *context, struct error *e);
uint64_t values_scan_passes(const struct vertex_values *values);

#endif
