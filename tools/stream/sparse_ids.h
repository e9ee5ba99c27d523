/* sparse_ids.h: dense ids in place of the ids of a stream that has many vertices and few edges.
 *
 * The tools keep a value for every id below n, so that n alone would set their memory. If n is much
 * larger than the number of edge ends, the ids that occur are listed first, and a dense id stands
 * for each of them in all passes. Dense ids ascend as the ids do and are congruent to them modulo
 * p, so that orders, owners and ties are the same: the shards have the same bytes. Slots and ids of
 * delegates are looked up when they are written.
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

/* The most ids that are listed for a stream whose trailer says `totals` and which has `bytes`; 0: they are
 * not worth a list, or it does not fit the memory. */
uint64_t sparse_ids_room(const struct edges_totals *totals, uint64_t bytes, uint32_t p,
                         const struct memory_budget *budget);

enum status sparse_ids_open(struct sparse_ids *s, uint64_t room, struct memory_budget *budget,
                            struct error *e);
void sparse_ids_close(struct sparse_ids *s, struct memory_budget *budget); /* NULL is allowed */

/* A visitor whose context is the struct: notes the ids of these edges. ST_BAD_DATA: more than there is room
 * for. */
enum status sparse_ids_note(void *s, int thread, const struct edge *edges, size_t count,
                            struct error *e);

/* After all were noted: sorts them and gives each its dense id. All ranks call it together, each having noted
 * the ids of its share of the edges; then each has the ids of all. The room is the same on all ranks.
 * ST_BAD_DATA as above, on all ranks. */
enum status sparse_ids_number(struct sparse_ids *s, uint32_t p, const struct comm *comm, struct error *e);

/* Nonzero: an id was not noted. */
int sparse_ids_translate(const struct sparse_ids *s, const struct edge *edges, size_t count,
                         struct edge *dense);

/* The id that a dense id stands for; itself with NULL. */
uint64_t sparse_ids_original(const struct sparse_ids *s, uint64_t dense);

#endif
