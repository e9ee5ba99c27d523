/* level_log.c: keeps the work of each level of a search; see level_log.h */
#include "level_log.h"

#include "formats/base/memory.h"

#include <stdlib.h>
#include <string.h>

const char *const level_kind_name[LEVEL_KINDS] = {
    [LEVEL_STEPPED] = "loop",         [LEVEL_DENSE] = "masks",         [LEVEL_SPARSE] = "list",
    [LEVEL_REGION] = "region",        [LEVEL_ROUND] = "round",
    [LEVEL_THREAD_GROUP] = "team",    [LEVEL_BLOCK] = "block",
    [LEVEL_SLICED_BLOCK] = "block",   [LEVEL_SLICED_SPARSE] = "list",  [LEVEL_SLICED_ALL] = "slices",
    [LEVEL_SLICED_PULL] = "slices",   [LEVEL_SLICED_PUSH] = "slices",
    [LEVEL_SLICED_NONE] = "none"};

/* Appends a copy of a level, unless memory is short or has been short before. */
void level_log_add(struct level_log *log, const struct level_trace *level)
{
    if (log->failed)
        return;
    struct level_trace *grown = memory_grow(log->level, log->count, sizeof *grown);
    log->failed = grown == NULL;
    if (log->failed)
        return;
    log->level = grown;
    log->level[log->count++] = *level;
}

/* Frees the levels. The log is then empty, and has not failed. */
void level_log_clear(struct level_log *log)
{
    free(log->level);
    memset(log, 0, sizeof *log);
}
