/* batch_messages.h: the messages of ranks that divide a graph (joined_graph.h), in a level of a batch, on CPUs (batch_ranks.h) or on
 * GPUs (cuda/batch_gpu_ranks.h)
 *
 * A message to a rank has words of ghosts that one of both ranks owns. It is whole, with the words of all of these ghosts in the
 * order of their numbers, or a list of words and then of indices, if that is shorter. What is found of delegates is reduced as the
 * masks of a search are: all words or, if few changed, a list of these. A rank that lacks memory for a message ends the job. */
#ifndef DBFS_BATCH_MESSAGES_H
#define DBFS_BATCH_MESSAGES_H

#include "batch_search.h"

/* Vertices that other ranks own or know: vertex number i, for rank r, is number begin[r] + i of all. */
struct batch_side {
    const uint64_t *begin;
    const uint32_t *list; /* the vertices; NULL: consecutive ones from `first` on */
    uint64_t first;
};

struct batch_messages {
    const struct comm *comm;
    uint64_t words;                  /* number of 64-bit words per vertex */
    struct batch_side ghosts, shown; /* ghosts of this rank; its vertices that are ghosts of others */
    uint64_t message_bytes;          /* of `sent`, and of `received` */
    uint64_t memory_bytes;           /* of `sent`, `received`, `delegate_words`, `changed` and `all_changed`, which lie side by side */
    unsigned char *sent, *received;  /* the messages to and from all ranks, each at batch_message_at */
    uint64_t delegates;
    uint64_t *delegate_words;        /* [delegates][words] in the order of delegates, which is the same on all ranks */
    struct mask_word *changed, *all_changed; /* [most] words of delegates that changed on this rank, and on all, with their indices */
    uint64_t most; /* if more words changed on all ranks, all of delegate_words are reduced instead */
    struct batch_sizes *to, *from;   /* [ranks] what is told to a rank, and what it tells, before messages are moved */
    uint64_t *used;                  /* [ranks] number of vertices in the message to a rank of which a word is not 0 */
    struct transfer *move;           /* [2 * ranks] */
    int *counts, *begins;            /* [ranks] */
    uint64_t here[BATCH_MOST];       /* for each root: number of vertices, of those that this rank notes, found in the last level */
    uint64_t sent_bytes;             /* since the last call of batch_messages_sum */
};

/* A message that was received: `count` words of vertices, and their indices if it is a list. */
struct batch_message {
    const uint64_t *words;
    const uint32_t *index; /* NULL: the message is whole */
    uint64_t count;
};

/* Opens *m for a search whose graph ranks divide, with `words` words per vertex, but for the memory of messages: the caller allocates
 * m->memory_bytes bytes, passes them to batch_messages_place, and frees them. Not collective. The caller calls batch_messages_close,
 * even after a failure. */
enum status batch_messages_open(struct batch_messages *m, const struct joined_graph *graph, int words, struct error *e);
void batch_messages_place(struct batch_messages *m, void *memory);
void batch_messages_close(struct batch_messages *m); /* *m may be all zeros */

static inline uint64_t batch_side_vertex(const struct batch_side *side, uint64_t i)
{
    return side->list != NULL ? side->list[i] : side->first + i;
}

/* Returns the rank of number i of all vertices on a side. */
uint32_t batch_side_rank(const struct batch_messages *m, const struct batch_side *side, uint64_t i);

/* Returns the bytes of an entry of a list: words and an index. */
static inline uint64_t batch_entry_bytes(const struct batch_messages *m)
{
    return 8 * m->words + 4;
}

/* Returns the byte at which the message to or from a rank begins in `sent` or `received`. Each rank's part has room for entries of all
 * vertices that this side has of the rank, and begins at a multiple of 16 bytes, as loads of a GPU need it. */
static inline uint64_t batch_message_at(const struct batch_messages *m, const struct batch_side *side, uint32_t rank)
{
    return (side->begin[rank] * batch_entry_bytes(m) + 15) / 16 * 16 + 16 * rank;
}

/* Sets the size of the message to a rank, in which m->used[rank] vertices have a word that is not 0. Returns whether it is a list,
 * because that is shorter than a whole message. A list of no vertices is not sent. */
int batch_message_set_size(struct batch_messages *m, const struct batch_side *from, uint32_t rank);

/* Sets the size of the message to a rank to that of a list of m->used[rank] vertices, for a caller that has no whole message. */
void batch_message_set_list_size(struct batch_messages *m, uint32_t rank);

/* Returns where the indices of the list to a rank begin, whose size has been set. */
uint32_t *batch_message_index(const struct batch_messages *m, const struct batch_side *from, uint32_t rank);

/* Collective. Tells all ranks the sizes of messages, and how many words of delegates changed here. */
void batch_messages_tell(struct batch_messages *m, uint64_t changed);

/* Collective. Sends the messages of `from`, and receives those for `to`. The ranks have told each other the sizes before. */
void batch_messages_move(struct batch_messages *m, const struct batch_side *from, const struct batch_side *to);

/* Returns the message that came from a rank. */
struct batch_message batch_message_from(const struct batch_messages *m, const struct batch_side *to, uint32_t rank);

/* Returns how many words of delegates changed on all ranks, which have told each other, and prepares one of the next two calls, by
 * which all ranks learn them: the first one if there are at most m->most, the second one if there are more. */
uint64_t batch_messages_all_changed(struct batch_messages *m);
void batch_messages_gather_changed(struct batch_messages *m); /* collective: m->all_changed becomes the m->changed of all ranks */
void batch_messages_or_delegates(struct batch_messages *m);   /* collective: ORs m->delegate_words over all ranks */

/* Collective. Keeps the counts of this rank, and adds those of all ranks. */
void batch_messages_sum(struct batch_messages *m, struct batch_found *found);

#endif
