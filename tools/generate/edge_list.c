/* edge_list.c: see edge_list.h */
#include "edge_list.h"

#include <stdlib.h>

enum status edge_list_reserve(struct edge_list *list, size_t capacity, struct error *e)
{
    if (capacity <= list->capacity)
        return ST_OK;
    struct edge *edges = realloc(list->edges, capacity * sizeof *edges);
    if (edges == NULL)
        return fail_memory(e, "edge block", capacity * sizeof *edges);
    list->edges = edges;
    list->capacity = capacity;
    return ST_OK;
}
