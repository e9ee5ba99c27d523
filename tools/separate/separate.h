/* separate.h: degree separation of an edge stream, the step that degsplit and dbfs-pack share. The first pass counts the degrees and ranks
 * them. A second pass, needed only to suggest a TH or to know the effect of one, counts the edges of nn, nd, dn and dd for every TH. */
#ifndef DBFS_SEPARATE_H
#define DBFS_SEPARATE_H

#include "degree.h"
#include "tools/stream/edge_source.h"
#include "formats/base/memory.h"
#include "rank.h"
#include "threshold.h"

#include <stdint.h>

/* The result of both passes. Ranks of the job share each pass (edge_source.h), and every rank has the result. The struct must
 * not be moved, because `edges` points to `ranks`. */
struct separation {
    const struct sparse_ids *sparse; /* of the source; NULL: ids are those of the stream */
    struct degrees degrees; /* .of is empty: its memory is now that of rank_of */
    struct vertex_ranks rank_of;
    struct ranks ranks;
    struct edge_ranks edges; /* empty until separation_classes */
    double degree_seconds, class_seconds;
};

/* The first pass. If it sets s->degrees.again, call it again, with options for the totals that the source has now. */
enum status separation_degrees(struct separation *s, struct edge_source *source,
                               const struct separation_options *options,
                               struct memory_budget *budget, struct error *e);
enum status separation_classes(struct separation *s, const struct edge_source *source,
                               struct memory_budget *budget, struct error *e);
void separation_free(struct separation *s, struct memory_budget *budget);

/* Nonzero if a search of the graph is likely to have many small levels: if most edges join near ids, as in meshes, grids and road networks
 * numbered from place to place, or if all degrees are small and about equal, as in meshes and lattices however they are numbered. */
int separation_planar(const struct separation *s);

/* The number of vertices of degree above th. */
uint64_t separation_delegates(const struct separation *s, uint64_t th);

/* Reads a TH such as "64" or "inf". Anything else is ST_USAGE. */
enum status th_parse(const char *text, uint64_t *th, struct error *e);
char *th_format(uint64_t th, char *buffer, size_t buffer_bytes);

#endif
