/* convert.h: a conversion: reads edges from inputs, changes their ids and writes them, with all threads. A conversion takes any
 * number of inputs, one after the other. The output has their edges in the same order, whatever the number of threads. */
#ifndef DBFS_CONVERT_H
#define DBFS_CONVERT_H

#include "tools/convert/names/compact.h"
#include "tools/convert/read/graph_reader.h"
#include "tools/convert/write/write_graph.h"

#include "formats/bijection.h"

/* What happens to ids between reading and writing; a member is NULL if that does not happen. */
struct change {
    const struct bijection *randomize;
    const struct bijection *restore;
    struct compact *compact; /* not together with randomize */
};

/* The caller may set `idle` and read the edges that were written so far. */
struct conversion {
    struct graph_writer *writer;
    const struct change *change;
    int threads;
    struct piece *pieces;
    void **slots;
    int slot_count;
    struct {
        int (*call)(void *context); /* called when an input leaves a thread without work; returns 0 if it has nothing to do, either */
        void *context;
    } idle;

    /* of the input under way */
    struct graph_reader *reader;
    int fold;

    size_t granule;
    struct edge *carry; /* edges short of a granule */
    size_t carry_count;
    uint64_t edges;   /* written */
    uint64_t bound;   /* after conversion_finish: the smallest n that is above all their ids */
    uint64_t pairs;   /* edges written that are no self-loops */
    uint64_t balance; /* their edges_tally_balance: 0 if each was written as u v and as v u */
};

/* Opens a conversion. The caller keeps `writer` and what `change` points to. `memory_bytes` bounds the memory of the pieces
 * under way; 0 is no bound. */
enum status conversion_open(struct conversion **conversion, struct graph_writer *writer,
                            const struct change *change, int threads, uint64_t memory_bytes,
                            struct error *e);
void conversion_free(struct conversion *conversion); /* NULL is allowed */

/* Reads one input to its end and finishes its reader. With `fold` the input must have two lines for each undirected edge, u v
 * and v u, of which the one with u <= v is kept. */
enum status conversion_read(struct conversion *conversion, struct graph_reader *reader, int fold,
                            struct error *e);

/* Writes the edges that are left. The graph has `n` vertices, or more if ids are larger. */
enum status conversion_finish(struct conversion *conversion, uint64_t n, struct error *e);

#endif
