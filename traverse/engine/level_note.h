/* level_note.h: the phases of a level, which are timed, and the note of a level by a device that searches by itself */
#ifndef DBFS_LEVEL_NOTE_H
#define DBFS_LEVEL_NOTE_H

#include "choose.h"
#include "level_kind.h"

/* The phases of a level whose times are measured. Figure 10 of Pan et al. shows them as bars. */
enum phase {
    PHASE_PREVISIT,
    PHASE_VISIT,                          /* one phase for each subgraph: PHASE_VISIT + subgraph */
    PHASE_BINS = PHASE_VISIT + SUBGRAPHS, /* sorting of vertices for other shards by shard */
    DEVICE_PHASES,
    PHASE_LOCAL_EXCHANGE = DEVICE_PHASES, /* exchange of vertices between the devices of a rank */
    PHASE_REMOTE_EXCHANGE,                /* exchange of vertices and counts between ranks */
    PHASE_MASK_REDUCTION,
    PHASE_MERGED_EXCHANGE, /* vertices and masks both under way; not part of the two phases above */
    PHASE_CHOOSE, /* choosing directions, and making the sparse frontier; only if one device searches by itself */
    PHASE_AHEAD, /* dd of the next level is visited while messages with vertices are under way */
    PHASES
};

/* The seconds of each phase of a level. Phases overlap, so the sum is not the time of the level. */
struct breakdown {
    double phase_s[PHASES];
};

/* What a device notes about one level. */
struct level_note {
    enum level_kind kind;
    struct workload work; /* FV is exact if the device was opened to count edges, else an estimate */
    struct directions directions;
    uint64_t probes[SUBGRAPHS]; /* number of columns that pulls looked at; 0 unless the device was opened to count
                                 * them */
    uint64_t peer_vertices, peer_bytes; /* vertices and bytes read in the memory of peers; only the bytes include masks */
    double seconds;
    struct breakdown times;
};

/* A function that gets the note of each level of a device from backend.replay_levels. */
typedef void level_noter(void *context, int32_t depth, const struct level_note *note);

#endif
