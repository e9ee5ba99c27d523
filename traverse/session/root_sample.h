/* root_sample.h: roots that are drawn at random from the vertices from which a search goes on */
#ifndef DBFS_ROOT_SAMPLE_H
#define DBFS_ROOT_SAMPLE_H

#include "traverse/engine/rank_devices.h"

/* Draws up to *count distinct vertices that have edges (in a directed graph: in the direction of the search), and puts
 * their input ids into ids[0] to ids[*count - 1]. *count becomes smaller if the graph has fewer. A seed gives the same ids
 * for every number of shards, ranks and threads. Collective. ST_BAD_DATA: parts contradict themselves. */
enum status roots_sample(uint64_t *ids, uint64_t *count, const struct rank *rank, uint64_t seed, struct error *e);

#endif
