/* level_note.c: see level_note.h */
#include "level_note.h"

const char *const visit_way_name[WAYS] = {[WAY_LOOP] = "loop", [WAY_MASKS] = "masks",
                                          [WAY_LIST] = "list", [WAY_CREW] = "crew",
                                          [WAY_TEAM] = "team", [WAY_BLOCK] = "block",
                                          [WAY_SLICES] = "slices"};
