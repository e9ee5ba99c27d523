/* vertex_values.h: a 4-byte value for every vertex, in memory or, if memory is short, on disk.
 *
 * The value is the vertex's degree first, then its rank (rank.h), then its label (order.h). Each of these has
 * a type of its own, which takes over the memory of the one before.
 *
 * If the budget cannot hold 4n bytes, the vertices are divided into windows of consecutive ids. The windows
 * lie in spill files, and two of them are in memory. A step that needs the values of both ends of an edge
 * takes one pass over the stream for each pair of windows. With k windows it takes k(k - 1)/2 passes, and
 * each pass sees only the edges of its pair. With one window it takes one pass, at no extra cost. The
 * alternative is to join edges and values by sorting on disk, which moves more bytes up to k = 5 and is less
 * simple beyond.
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

/* Makes a value of 0 for each of n vertices. ST_RESOURCE: over budget, or more than VALUES_MOST_WINDOWS
 * windows are needed. */
enum status values_open(struct vertex_values *values, const struct values_options *options,
                        struct memory_budget *budget, struct error *e);
void values_free(struct vertex_values *values); /* zeroed values are allowed */

/* Sets the number of windows and their size, from v->n and v->spill, as values_open does. */
void values_choose_windows(struct vertex_values *values, uint64_t granule, uint64_t most_bytes);

/* The least most_bytes for n vertices. */
uint64_t values_least_bytes(uint64_t n);

/* The ids of window w: from window_begin up to, but not including, window_end. */
uint64_t window_begin(const struct vertex_values *values, uint32_t w);
uint64_t window_end(const struct vertex_values *values, uint32_t w);

/* Loads window w into half 0 or 1 of the memory and returns its address; NULL after a failure. With one
 * window the address is `of`. */
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

/* The visitors of a pass: one for the edges of a stream, one for tiles as they lie in memory. */
struct edge_visitors {
    edges_visitor edges;
    tile_visitor tile;
};

/* Makes a further pass over the tiles or the stream, or one pass for each pair of windows. Together they give
 * every edge to a visitor once, and `of` holds the values of both its ends at that time. If there are several
 * windows, the visitor gets the ends as indices into `of`, which are congruent to the ids modulo the granule.
 * The ranks of the source share each pass; they must have the same windows. All ranks get the same status. A
 * failure in *e makes all of them fail. */
enum status values_scan(struct vertex_values *values, const struct edge_supply *edges,
                        struct edge_visitors visit, void *context, struct error *e);
uint64_t values_scan_passes(const struct vertex_values *values);

#endif
