/* batch_pieces.c: shares the work of a level among threads; see batch_state.h */
#include "batch_state.h"

#include "formats/base/arith.h"

/* The call of batch_pieces that the threads of the pool carry out. */
struct pieces {
    struct batch_search *search;
    batch_piece *piece;
    uint64_t count, step;
};

/* Works on piece i, of p->step elements, on thread `thread` of the pool; `context` is the struct pieces. Returns 0. */
static uint64_t do_piece(void *context, int thread, uint64_t i)
{
    const struct pieces *p = context;
    p->piece(p->search, &p->search->tally[thread], i * p->step, smaller((i + 1) * p->step, p->count));
    return 0;
}

/* Calls `piece` for elements 0..count in pieces of `step`, with a thread for each LEAST_WORK edges of `work`, and
 * waits for the end. For a single thread all elements are one piece, on the calling thread. */
void batch_pieces(struct batch_search *s, uint64_t count, uint64_t step, uint64_t work, batch_piece *piece)
{
    enum { LEAST_WORK = 4096 }; /* so much work pays for a thread */
    struct pieces p = {s, piece, count, step};
    int threads = (int)smaller(work / LEAST_WORK, (uint64_t)s->threads);
    if (threads <= 1)
        piece(s, &s->tally[0], 0, count);
    else
        pool_run(s->pool, threads, divide_up(count, step), do_piece, &p);
}
