/* level_note.h: a device's note of a level in a search by itself (backend.search_begin), and the phases whose times are
 * measured */
#ifndef DBFS_LEVEL_NOTE_H
#define DBFS_LEVEL_NOTE_H

#include "choose.h"
#include "level_kind.h"

/* The time of a level, phase by phase: the bars of figure 10 of Pan et al. */
enum phase {
    PHASE_PREVISIT,
    PHASE_VISIT,                          /* one for each subgraph: PHASE_VISIT + subgraph */
    PHASE_BINS = PHASE_VISIT + SUBGRAPHS, /* sorting vertices for other shards by shard */
    DEVICE_PHASES,
    PHASE_LOCAL_EXCHANGE = DEVICE_PHASES, /* between the devices of a rank */
    PHASE_REMOTE_EXCHANGE,                /* between ranks, the counts included */
    PHASE_MASK_REDUCTION,
    PHASE_MERGED_EXCHANGE, /* vertices and masks are both under way: in neither of those above */
    PHASE_CHOOSE, /* in a single device's search by itself: until directions are chosen and the frontier is listed */
    PHASE_AHEAD, /* dd of the next level is visited while vertices are under way */
    PHASES
};

/* Seconds. Phases overlap: their sum is not the time of the level. */
struct breakdown {
    double phase_s[PHASES];
};

struct level_note {
    enum level_kind kind;
    struct workload work;       /* FV is exact if edges are counted, else an estimate */
    struct directions directions;
    uint64_t probes[SUBGRAPHS]; /* of pulls, if the device was opened to count them */
    uint64_t peer_vertices, peer_bytes; /* taken from peers; bytes include masks */
    double seconds;
    struct breakdown times;
};

/* Called with the note of each level of a device. */
typedef void level_noter(void *context, int32_t depth, const struct level_note *note);

#endif
