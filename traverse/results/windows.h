/* windows.h: the values of consecutive input ids, brought from their owners to the ranks that want them.
 *
 * All ranks read together, each a window of its own, so that all links are busy. No rank has more values of others than
 * those of its window.
 */
#ifndef DBFS_WINDOWS_H
#define DBFS_WINDOWS_H

#include "answers.h"

struct id_range {
    uint64_t first, end; /* input ids */
};

/* What reading windows needs. G is the number of devices of a rank, R that of ranks, p that of shards. */
struct windows {
    const struct answers *answers;
    const struct rank *rank; /* that of the answers, with the number of shards of its graph */
    uint32_t p;
    uint64_t ids;   /* the largest number of ids of a window */
    int permuted;   /* ids are permuted over several shards: devices list values with their indices */
    int takes_own;  /* ... for other ranks only: the values of the own devices lie in memory of the host */
    char *window;   /* [ids] the values of this rank's window */
    char *copied;   /* [G][R][copied_bytes] copies of values, and lists */
    uint64_t copied_bytes;
    struct slices parts;  /* values of each device for the window of each rank, sent to the first device of the rank */
    const void **source;  /* [p] the values of each shard, or NULL */
    struct thread_pool *pool;    /* threads that make windows: those of a search on the CPU, if it is one */
    int threads;
    struct {
        enum answer_kind kind;
        uint32_t width;
        const struct id_range *range; /* [R] */
    } now; /* the arguments of windows_read, while it runs */
};

/* Collective. Takes memory for windows of depths or parents. If a rank fails, or passes a failed `e`, all ranks fail. */
enum status windows_open(struct windows *windows, const struct answers *answers, struct error *e);
void windows_close(struct windows *windows); /* a zeroed one is allowed */

/* Collective, after answers_make of this kind. Rank r gets the values of range[r], at most `ids`, of answers_width bytes
 * each; an empty range is allowed. All ranks pass the same ranges. *values is valid until the next call. If a rank fails,
 * here or before, all do. */
enum status windows_read(struct windows *windows, enum answer_kind kind, const struct id_range *range, const void **values,
                         struct error *e);

#endif
