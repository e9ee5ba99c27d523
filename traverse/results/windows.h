/* windows.h: reads the values of an answer in windows. A window is a range of consecutive input ids. All ranks read at the
 * same time, so that all links are busy: each rank reads a window of its own, and the others send it only the values of
 * this window. */
#ifndef DBFS_WINDOWS_H
#define DBFS_WINDOWS_H

#include "answers.h"

struct id_range {
    uint64_t first, end; /* the input ids first to end - 1 */
};

/* The state of reading windows. G is the number of devices of a rank, R of ranks, and p of shards. */
struct windows {
    const struct answers *answers;
    const struct rank *rank; /* the rank of the answers */
    uint32_t p;
    uint64_t ids;   /* the largest number of ids in a window */
    int permuted;   /* 1: ids are permuted over several shards, so devices send lists of values with indices */
    int takes_own;  /* 1: ids are permuted, and this rank reads the values of its own devices directly from their arrays */
    char *window;   /* [ids] the values of this rank's window */
    char *copied;   /* [G][R][copied_bytes] for each device and each rank: the values, or the list, that are sent */
    uint64_t copied_bytes; /* the space for one such copy or list */
    struct byte_spans spans;  /* the values that each device sends to the first device of each rank */
    const void **source;  /* [p] the address of the values of each shard; NULL: the values come in a list */
    struct thread_pool *pool;    /* threads that fill windows. On the CPU they are also the threads of the search */
    int threads;          /* the number of threads */
    uint32_t depth_width; /* bytes of a depth in windows: 1, 2 or, as windows_open sets it, 4. Callers may change it */
    struct {
        enum answer_kind kind;
        uint32_t width; /* bytes of a value as it is exchanged */
        const struct id_range *range; /* [R] the window of each rank */
    } now; /* the arguments of the current call of windows_read */
};

/* Collective. Allocates memory for windows of depths or parents. If a rank fails, or passes an `e` that has failed, the
 * call fails on all ranks. The caller calls windows_close, even after a failure. */
enum status windows_open(struct windows *windows, const struct answers *answers, struct error *e);
void windows_close(struct windows *windows); /* frees everything; *windows may be zeroed */

/* Collective. Reads a window on each rank, from the last answer, which answers_make has made of this kind. Sets *values to the
 * values of the ids in range[r], where r is this rank. A value has answers_width bytes, or windows->depth_width if that is less: then
 * depths are narrowed (narrow_depths) by the device that has them. A range has at most windows->ids ids, and may be empty; all ranks
 * pass the same ranges. *values is valid until the next call. If a rank fails, or passes an `e`
 * that has failed, the call fails on all ranks. */
enum status windows_read(struct windows *windows, enum answer_kind kind, const struct id_range *range, const void **values,
                         struct error *e);

#endif
