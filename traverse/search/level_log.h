/* level_log.h: notes of each level of a search on this rank, kept until the search is over */
#ifndef DBFS_LEVEL_LOG_H
#define DBFS_LEVEL_LOG_H

#include "bfs.h"

extern const char *const visit_way_name[WAYS];

struct level_log {
    struct level_trace *level; /* [count], owned */
    uint32_t count;
    int failed; /* there was no memory for a level; it and those after it are lost */
};

/* Appends a level. */
void level_log_add(struct level_log *log, const struct level_trace *level);

/* Frees the levels. The log is empty afterwards. */
void level_log_clear(struct level_log *log);

#endif
