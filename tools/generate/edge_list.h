/* edge_list.h: edges in memory, which grow in number */
#ifndef DBFS_EDGE_LIST_H
#define DBFS_EDGE_LIST_H

#include "formats/base/status.h"
#include "formats/edges/edges.h"

#include <stddef.h>

struct edge_list {
    struct edge *edges;
    size_t count, capacity;
};

/* Makes room for `capacity` edges, and keeps those that are there. */
enum status edge_list_reserve(struct edge_list *list, size_t capacity, struct error *e);

#endif
