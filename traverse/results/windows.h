/* windows.h: the values of consecutive input ids, brought from their owners to the ranks that want them.
 *
 * All ranks read together, each rank a window of its own, so that all links are busy. A rank never has more values of other
 * ranks than its window needs.
 */
#ifndef DBFS_WINDOWS_H
#define DBFS_WINDOWS_H

#include "answers.h"

struct id_range {
    uint64_t first, end; /* input ids */
};

/* The state of reading windows. G is the number of devices of a rank, R the number of ranks, and p the number of shards. */
struct windows {
    const struct answers *answers;
    const struct rank *rank; /* the rank of the answers */
    uint32_t p;
    uint64_t ids;   /* the largest number of ids of a window */
    int permuted;   /* ids are permuted over several shards, so devices list values with their indices */
    int takes_own;  /* `permuted`, and devices have no memory of their own: the values of own devices are read in place */
    char *window;   /* [ids] the values of this rank's window */
    char *copied;   /* [G][R][copied_bytes] copies of values, and lists */
    uint64_t copied_bytes;
    struct slices parts;  /* the values of each device for the window of each rank, sent to the first device of the rank */
    const void **source;  /* [p] where the values of each shard are, or NULL */
    struct thread_pool *pool;    /* threads that make windows. On the CPU these are the threads of the search */
    int threads;
    struct {
        enum answer_kind kind;
        uint32_t width;
        const struct id_range *range; /* [R] */
    } now; /* the arguments of windows_read, while it runs */
};

/* Collective. Allocates memory for windows of depths or parents. If a rank fails, or passes an `e` that has failed, the
 * call fails on all ranks. */
enum status windows_open(struct windows *windows, const struct answers *answers, struct error *e);
void windows_close(struct windows *windows); /* frees everything; zeroed windows are allowed */

/* Collective, after answers_make of this kind. Rank r gets the values of the ids range[r], of answers_width bytes each. A
 * range has at most `ids` ids, and may be empty. All ranks pass the same ranges. *values is valid until the next call. If a
 * rank fails, or passes an `e` that has failed, the call fails on all ranks. */
enum status windows_read(struct windows *windows, enum answer_kind kind, const struct id_range *range, const void **values,
                         struct error *e);

#endif
