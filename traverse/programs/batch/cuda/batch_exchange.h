/* batch_exchange.h: launches the kernels by which ranks that divide a graph exchange words (batch_gpu_ranks.h), from plain C or CUDA
 *
 * batch_ranks.c does the same work on a CPU. All pointers are device memory, except the pointers to structs. The functions do not
 * wait for the kernels. */
#ifndef DBFS_BATCH_EXCHANGE_H
#define DBFS_BATCH_EXCHANGE_H

#include "batch_kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A word of delegates that changed: a struct mask_word (formats/graph/shard.h). */
struct gpu_changed_word {
    uint64_t at, bits;
};

/* What kernels need to know of the ranks. The ghosts of this rank are the vertices from number gpu_batch.vertices on. */
struct gpu_batch_ranks {
    uint32_t ranks;
    const uint64_t *begin;          /* [ranks + 1] rank r owns the ghosts begin[r] to begin[r + 1] - 1 */
    const uint64_t *at;             /* [ranks] index, in `sent`, of the first word of the message of ghosts to a rank */
    uint64_t *sent;                 /* messages, as in struct batch_messages */
    unsigned long long *used;       /* [ranks + 1] entries of the message to each rank; at last, number of changed words of delegates */
    uint64_t delegates, turn;       /* delegate i is vertex (i + turn) modulo `delegates` */
    struct gpu_changed_word *changed; /* [most] words of delegates that changed on this rank */
    uint64_t most;
};

/* A message in device memory, to or from a rank: words of the `count` vertices of a side (struct batch_side) that both ranks know. */
struct gpu_batch_message {
    const uint32_t *list; /* [count] the vertices of the side; NULL: those from `first` on */
    uint64_t first, count;
    uint64_t *words;      /* of all these vertices or, with `index`, of those that it lists */
    uint32_t *index;      /* numbers, from 0 to count - 1, of the vertices that have words; NULL: all have */
};

/* What an exchange does. PUSHED: next words of ghosts are ORed into those of their owners, without bits that were sent before.
 * FRONTIER: frontier words of owners, for the roots that pull, become those of ghosts. FOUND: as PUSHED, in a sparse level; the owners
 * list their vertices. */
enum batch_exchange { BATCH_PUSHED, BATCH_FRONTIER, BATCH_FOUND };

/* Adds to *used how many of the message.count vertices of a side have a word to send. */
void cuda_batch_count_words(const struct gpu_batch *b, const struct gpu_batch_message *message, enum batch_exchange exchange,
                            unsigned long long *used, cudaStream_t stream);

/* Writes the words that are to be sent into a message. With message.index writes those that are not 0, and their indices; *used
 * must be 0, and becomes their number. Pushed words become seen words. */
void cuda_batch_write_words(const struct gpu_batch *b, const struct gpu_batch_message *message, enum batch_exchange exchange,
                            unsigned long long *used, cudaStream_t stream);

/* Takes the `entries` words of a message. `brief` [vertices and ghosts] gets the briefs of frontier words; NULL: there are none. */
void cuda_batch_read_words(const struct gpu_batch *b, const struct gpu_batch_message *message, enum batch_exchange exchange,
                           uint64_t entries, uint32_t *brief, cudaStream_t stream);

/* After the push of a sparse level, which has listed at most `most` vertices: appends the next words of each listed ghost to the
 * message to its owner, adds them to its seen words, and zeroes them; notes the words of listed delegates. In ranks.sent the words
 * for a rank begin at ranks.at, and their indices where a whole message would end. ranks.used must be 0. */
void cuda_batch_send_listed(const struct gpu_batch *b, const struct gpu_batch_ranks *ranks, uint64_t most, cudaStream_t stream);

/* Notes the next words of delegates that are not 0 in ranks.changed, while there is room, and adds their number to the last element of
 * ranks.used, which must be 0. */
void cuda_batch_list_changed(const struct gpu_batch *b, const struct gpu_batch_ranks *ranks, cudaStream_t stream);

/* ORs words of delegates that changed, or [delegates][words] all words, into the next words of delegates. If `sparse` is 1, leaves out bits
 * that a delegate has seen, and lists each delegate that gets its first new bit. */
void cuda_batch_take_changed(const struct gpu_batch *b, const struct gpu_batch_ranks *ranks, const struct gpu_changed_word *changed,
                             uint64_t count, int sparse, cudaStream_t stream);
void cuda_batch_take_delegates(const struct gpu_batch *b, const struct gpu_batch_ranks *ranks, const uint64_t *words, int sparse,
                               cudaStream_t stream);

/* Ends a dense level for the delegates, whose next words are those of all ranks: adds them to seen words, writes briefs, and counts the
 * delegates that this rank notes, and the edges that it has of any. */
void cuda_batch_see_delegates(const struct gpu_batch *b, const struct gpu_batch_ranks *ranks, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
