/* test_thread_pool.c: each piece of a thread pool's work is done once, with any number of threads, and at once after other work;
 * a thread that never comes delays nobody */
#include "pretended_cores.h"
#include "unit.h"

#include "traverse/cpu/thread_pool.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PIECES = 1000, WORKS = 2000 };

struct work {
    _Atomic uint32_t done[PIECES];
    _Atomic int wrong; /* impossible numbers of threads */
    int threads;
};

static uint64_t do_piece(void *context, int thread, uint64_t piece)
{
    struct work *w = context;
    w->wrong |= thread < 0 || thread >= w->threads;
    w->done[piece]++;
    return piece + 1;
}

static int each_is_done(struct thread_pool *pool, struct work *w, uint64_t pieces, uint32_t times)
{
    int right = 1;
    memset(w->done, 0, sizeof w->done);
    for (uint32_t i = 0; i < times; i++)
        right &= pool_run(pool, w->threads, pieces, do_piece, w) == pieces * (pieces + 1) / 2;
    for (uint64_t i = 0; i < PIECES; i++)
        right &= w->done[i] == (i < pieces ? times : 0);
    return right && !w->wrong;
}

static void add_elements(void *context, uint64_t begin, uint64_t end)
{
    _Atomic uint64_t *sum = context;
    for (uint64_t i = begin; i < end; i++)
        *sum += i;
}

static int loops_add_up(struct thread_pool *pool, int threads)
{
    int right = 1;
    for (uint64_t count = 0; count < 300; count += 7) {
        _Atomic uint64_t sum = 0;
        pool_for(pool, threads, count, 1 + count / 9, add_elements, &sum);
        right &= sum == count * (count - (count > 0)) / 2;
    }
    return right;
}

static void test_threads(int threads)
{
    struct thread_pool *pool = NULL, *again = NULL;
    struct error e = {0};
    struct work *w = calloc(1, sizeof *w);
    char name[128];
    int opened = w != NULL && pool_open(&pool, threads, &e) == ST_OK && pool_open(&again, 1, &e) == ST_OK;
    snprintf(name, sizeof name, "%d threads: the gang opens, and devices share it", threads);
    report(opened && pool == again, name);
    for (int part = 1; opened && part <= threads; part += threads > 4 ? threads / 2 : 1) {
        w->threads = part;
        snprintf(name, sizeof name, "%d of %d threads do each piece once", part, threads);
        report(each_is_done(pool, w, PIECES, 20) && each_is_done(pool, w, 3, WORKS) &&
                   each_is_done(pool, w, 0, 3), name);
        usleep(2000); /* the threads sleep */
        snprintf(name, sizeof name, "%d of %d threads, woken, run loops", part, threads);
        report(loops_add_up(pool, part), name);
    }
    pool_close(again);
    pool_close(pool);
    free(w);
}

int main(void)
{
    static const int threads[] = {1, 2, 3, 4, 16, 33};
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++)
        test_threads(threads[i]);
    pool_close(NULL);
    return unit_result();
}
