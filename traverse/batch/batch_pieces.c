/* batch_pieces.c: shares the work of a level among threads; see batch_state.h */
#include "batch_state.h"

struct pieces {
    struct batch_search *search;
    batch_piece *piece;
    uint64_t count, step;
};

static void do_pieces(void *context, struct turn *turn)
{
    const struct pieces *p = context;
    struct tally *tally = &p->search->tally[turn->number];
    for (uint64_t i; (i = gang_piece(turn)) != GANG_NO_PIECE;) {
        uint64_t begin = i * p->step, end = begin + p->step < p->count ? begin + p->step : p->count;
        p->piece(p->search, tally, begin, end);
    }
}

void batch_pieces(struct batch_search *s, uint64_t count, uint64_t step, uint64_t work, batch_piece *piece)
{
    enum { LEAST_WORK = 4096 }; /* so much work pays for a thread */
    struct pieces p = {s, piece, count, step};
    uint64_t worth = work / LEAST_WORK;
    int threads = worth < (uint64_t)s->threads ? (int)worth : s->threads;
    if (threads <= 1)
        piece(s, &s->tally[0], 0, count);
    else
        gang_run(s->gang, threads, (count + step - 1) / step, do_pieces, &p);
}
