/* level_log.c: see level_log.h */
#include "level_log.h"

#include "formats/base/memory.h"

#include <stdlib.h>
#include <string.h>

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

void level_log_clear(struct level_log *log)
{
    free(log->level);
    memset(log, 0, sizeof *log);
}
