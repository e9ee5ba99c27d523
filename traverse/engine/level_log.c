/* level_log.c: see level_log.h */
#include "level_log.h"

#include "formats/base/memory.h"

#include <stdlib.h>
#include <string.h>

const char *const visit_way_name[WAYS] = {[WAY_LOOP] = "loop", [WAY_MASKS] = "masks",
                                          [WAY_LIST] = "list", [WAY_CREW] = "crew",
                                          [WAY_TEAM] = "team", [WAY_BLOCK] = "block",
                                          [WAY_SLICES] = "slices"};

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
