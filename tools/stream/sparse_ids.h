/* sparse_ids.h: replaces the ids of a stream that has many vertices and few edges by dense ids.
 *
 * The tools keep a value for every id below n, so n alone would set their memory. If n is much larger than the number of edge
 * ends, the ids that occur are listed first, and in all later passes each has a dense id. Dense ids ascend as the ids do and
 * are congruent to them modulo p, so that orders, owners and ties are the same and the shards have the same bytes. Slots and
 * ids of delegates are looked up when they are written.
 */
#ifndef DBFS_SPARSE_IDS_H
#define DBFS_SPARSE_IDS_H

#include "formats/base/memory.h"
#include "formats/edges/edges.h"
#include "formats/mpi/comm.h"

struct sparse_ids {
    uint64_t count;
    uint64_t *ids;   /* [count], ascending */
    uint64_t *dense; /* [count], ascending */
    uint64_t n;      /* above all dense ids; at least one dense id stands for nothing */
    uint64_t room;   /* while ids are listed: entries of `ids` */
};

/* Returns for how many ids, at most, a list would need room, for a stream with these totals in `bytes` bytes; 0 if a list is
 * not worth it, or does not fit the memory. */
uint64_t sparse_ids_room(const struct edges_totals *totals, uint64_t bytes, uint32_t p,
                         const struct memory_budget *budget);

enum status sparse_ids_open(struct sparse_ids *s, uint64_t room, struct memory_budget *budget,
                            struct error *e);
void sparse_ids_close(struct sparse_ids *s, struct memory_budget *budget); /* NULL is allowed */

/* A visitor of edges (its context is a struct sparse_ids) that notes their ids. ST_BAD_DATA if there are more than there is room for. */
enum status sparse_ids_note(void *s, int thread, const struct edge *edges, size_t count,
                            struct error *e);

/* Sorts the noted ids and gives each its dense id. All ranks call it together, each with the ids of its share of the edges, and
 * then have all ids. Every rank must have the same room. ST_BAD_DATA, on all ranks, if that room is too small for all ids. */
enum status sparse_ids_number(struct sparse_ids *s, uint32_t p, const struct comm *comm, struct error *e);

/* Nonzero: an id was not noted. */
int sparse_ids_translate(const struct sparse_ids *s, const struct edge *edges, size_t count,
                         struct edge *dense);

/* The id that a dense id stands for; itself with NULL. */
uint64_t sparse_ids_original(const struct sparse_ids *s, uint64_t dense);

#endif
