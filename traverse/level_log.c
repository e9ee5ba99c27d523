/* level_log.c: see level_log.h */
#include "level_log.h"

#include <stdlib.h>
#include <string.h>

void level_log_add(struct level_log *log, const struct level_trace *level)
{
    if (log->failed)
        return;
    if ((log->count & (log->count - 1)) == 0) { /* room for a power of two is used up */
        size_t room = log->count > 0 ? 2 * (size_t)log->count : 1;
        struct level_trace *grown = realloc(log->level, room * sizeof *grown);
        log->failed = grown == NULL;
        if (log->failed)
            return;
        log->level = grown;
    }
    log->level[log->count++] = *level;
}

void level_log_clear(struct level_log *log)
{
    free(log->level);
    memset(log, 0, sizeof *log);
}
