/* level_note.h: what a device notes about a level of a search that it runs by itself (backend.search_begin), and the phases
 * of a level, which are timed */
#ifndef DBFS_LEVEL_NOTE_H
#define DBFS_LEVEL_NOTE_H

#include "choose.h"
#include "level_kind.h"

/* The phases of a level, each of which has a time. Figure 10 of Pan et al. shows these times as bars. */
enum phase {
    PHASE_PREVISIT,
    PHASE_VISIT,                          /* a phase for each subgraph: PHASE_VISIT + subgraph */
    PHASE_BINS = PHASE_VISIT + SUBGRAPHS, /* sorting vertices for other shards by shard */
    DEVICE_PHASES,
    PHASE_LOCAL_EXCHANGE = DEVICE_PHASES, /* of vertices, between the devices of a rank */
    PHASE_REMOTE_EXCHANGE,                /* of vertices and counts, between ranks */
    PHASE_MASK_REDUCTION,
    PHASE_MERGED_EXCHANGE, /* while vertices and masks are both under way. The two phases above leave this time out */
    PHASE_CHOOSE, /* a single device's search by itself: until directions are chosen and the sparse frontier is made */
    PHASE_AHEAD, /* while vertices are under way and dd of the next level is visited */
    PHASES
};

/* The seconds of each phase of a level. Phases overlap, so the sum is not the time of the level. */
struct breakdown {
    double phase_s[PHASES];
};

/* What a device notes about one level. */
struct level_note {
    enum level_kind kind;
    struct workload work;       /* FV (edges of the frontier) is exact if edges are counted, else an estimate */
    struct directions directions;
    uint64_t probes[SUBGRAPHS]; /* columns that pulls looked at; 0 unless the device was opened to count them */
    uint64_t peer_vertices, peer_bytes; /* read of peers; peer_bytes includes masks */
    double seconds;
    struct breakdown times;
};

/* A function that gets the note of each level of a device (backend.replay_levels). */
typedef void level_noter(void *context, int32_t depth, const struct level_note *note);

#endif
