/* separate.h: degree separation of an edge stream, the step that degsplit and dbfs-pack share.
 *
 * Counts degrees and ranks them (one pass) and, where TH is to be suggested or its effect to be
 * known, counts the edges of each class for every TH (a second pass).
 */
#ifndef DBFS_SEPARATE_H
#define DBFS_SEPARATE_H

#include "degree.h"
#include "tools/stream/edge_source.h"
#include "formats/base/memory.h"
#include "rank.h"
#include "threshold.h"

#include <stdint.h>

/* Both passes are shared by the ranks of the source (edge_source.h); every rank has the result.
 * Stays where it was made: class counts point to the ranks. */
struct separation {
    struct degrees degrees; /* .of has become: */
    struct vertex_ranks rank_of;
    struct ranks ranks;
    struct edge_ranks edges; /* empty until separation_classes */
    double degree_seconds, class_seconds;
};

enum status separation_degrees(struct separation *s, const struct edge_source *source,
                               const struct separation_options *options,
                               struct memory_budget *budget, struct error *e);
enum status separation_classes(struct separation *s, const struct edge_source *source,
                               struct memory_budget *budget, struct error *e);
void separation_free(struct separation *s, struct memory_budget *budget);

/* Vertices of degree above th. */
uint64_t separation_delegates(const struct separation *s, uint64_t th);

/* "64" or "inf" for a TH; ST_USAGE otherwise. */
enum status th_parse(const char *text, uint64_t *th, struct error *e);
char *th_format(uint64_t th, char *buffer, size_t buffer_bytes);

#endif
