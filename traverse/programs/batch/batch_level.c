/* batch_level.c: divides a level of all roots among threads; see batch_level.h */
#include "batch_level.h"

#include "formats/base/arith.h"

/* The arguments of level_run. */
struct level_loop {
    const struct batch_level *level;
    uint64_t count;
    level_body *body;
    void *sink;
};

/* Runs the body over the LEVEL_STEP entries of piece number `piece`. Called by pool_run, with the struct level_loop. Returns 0. */
static uint64_t run_piece(void *context, int thread, uint64_t piece)
{
    const struct level_loop *loop = context;
    const uint64_t begin = piece * LEVEL_STEP;
    loop->body(loop->sink, loop->level, thread, begin, smaller(begin + LEVEL_STEP, loop->count));
    return 0;
}

void level_run(const struct batch_level *level, uint64_t count, level_body *body, void *sink)
{
    struct level_loop loop = {level, count, body, sink};
    pool_run(level->pool, level_threads(count, level->threads), divide_up(count, LEVEL_STEP), run_piece, &loop);
}
