/* group.h: the devices that read each other's memory: those of this rank, or of all ranks of this host.
 *
 * They are called peers (struct backend_peers). Each has a note in memory that all of them see, where it says
 * how its level went. A note is written before a meeting of the group and read after it.
 */
#ifndef DBFS_GROUP_H
#define DBFS_GROUP_H

#include "traverse/rank_devices.h"

#include "formats/mpi/window.h"

/* What a device tells its peers about a level. */
struct note {
    struct workload work; /* of the frontier, to choose directions by */
    int updated;          /* it found a delegate */
    int found;            /* it found a normal vertex */
};

struct group {
    const struct rank *rank;
    struct comm_window *window;
    uint32_t count;       /* peers */
    uint32_t first;       /* number of this rank's first device among them */
    int of_host;          /* 0: of this rank alone */
    int whole;            /* the peers hold all shards */
    int joined;           /* all peers of all groups can take part in a search by themselves */
    uint32_t *shard;      /* [count] */
    uint32_t *number;     /* [p]: which peer holds a shard, or GROUP_NONE */
    struct note *notes;   /* [count], shared */
    struct parcel *parcels; /* [to][from], shared: what peer `from` found for peer `to`; NULL: of this rank
                             * alone, whose devices can be asked */
    uint64_t charged;     /* bytes to the budget, by the first rank of the host */
    uint64_t *mask;       /* [mask_words(d)], shared: delegates on their way to and from MPI */
};

#define GROUP_NONE UINT32_MAX

enum group_reach { GROUP_OF_RANK, GROUP_OF_HOST_IF_POSSIBLE, GROUP_OF_HOST };

/* Collective. Forms the group and lets the devices of this rank meet their peers. With
 * GROUP_OF_HOST_IF_POSSIBLE it is the rank's own if some rank cannot read the memory of another one; *why, of
 * ERROR_TEXT_BYTES, then says why, and is empty otherwise. */
enum status group_open(struct group *group, const struct rank *rank, enum group_reach reach,
                       char *why, struct error *e);
void group_close(struct group *group); /* a zeroed one is allowed */

static inline struct parcel *parcel_between(const struct group *group, uint32_t from, uint32_t to)
{
    return &group->parcels[(size_t)to * group->count + from];
}

/* Waits until the members of all ranks of the group have called this. As team_meet; a failure of another rank
 * ends the job. */
enum status group_meet(const struct group *group, const struct member *member, struct error *e);

#endif
