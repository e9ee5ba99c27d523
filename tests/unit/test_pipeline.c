/* test_pipeline.c: order, end and failures of a pipeline do not depend on the number of threads, nor on other pipelines
 * before it */
#include "unit.h"

#include "formats/work/pipeline.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { SLOTS = 8 };

/* Counts the parallel regions of gcc's OpenMP. */
static int regions;
void GOMP_parallel(void (*body)(void *), void *data, unsigned threads, unsigned flags);
void GOMP_parallel(void (*body)(void *), void *data, unsigned threads, unsigned flags)
{
    void (*real)(void (*)(void *), void *, unsigned, unsigned);
    *(void **)&real = dlsym(RTLD_NEXT, "GOMP_parallel");
    regions++;
    real(body, data, threads, flags);
}

struct slot {
    uint64_t number, value;
};

struct test {
    uint64_t pieces, taken, written, fail_at[3]; /* failing piece of the stages, UINT64_MAX: none */
    uint64_t sum;
    int out_of_order;
    int slow;                    /* taking is slow */
    _Atomic uint64_t idle_calls; /* UINT64_MAX: idle work is not offered */
};

static enum status take(void *context, void *slot, int *end, struct error *e)
{
    struct test *t = context;
    struct slot *s = slot;
    (void)e;
    if (t->slow)
        usleep(1000);
    s->number = t->taken;
    *end = t->taken++ == t->pieces;
    return ST_OK;
}

static enum status fail_piece(uint64_t piece, struct error *e)
{
    return fail(e, ST_BAD_DATA, "piece %llu", (unsigned long long)piece);
}

/* Work of uneven length, so that pieces overtake each other. */
static enum status square(void *context, void *slot, struct error *e)
{
    struct test *t = context;
    struct slot *s = slot;
    volatile uint64_t x = s->number;
    for (uint64_t i = 0; i < s->number * 7919 % 3000; i++)
        x = x * 3 + 1;
    s->value = s->number * s->number;
    return s->number == t->fail_at[0] ? fail_piece(s->number, e) : ST_OK;
}

static enum status pass(void *context, void *slot, struct error *e)
{
    struct test *t = context;
    struct slot *s = slot;
    return s->number == t->fail_at[1] ? fail_piece(s->number, e) : ST_OK;
}

static enum status write_out(void *context, void *slot, struct error *e)
{
    struct test *t = context;
    struct slot *s = slot;
    if (s->number == t->fail_at[2])
        return fail_piece(s->number, e);
    t->out_of_order |= s->number != t->written || s->value != s->number * s->number;
    t->written++;
    t->sum += s->value;
    return ST_OK;
}

/* Does nothing at every other call, and says so. */
static int be_idle(void *context)
{
    struct test *t = context;
    return t->idle_calls++ % 2 == 0;
}

static enum status run(struct test *t, int threads, int slot_count, struct error *e)
{
    static const struct pipeline_stage stages[] = {
        {0, square}, {1, pass}, {0, square}, {1, write_out}};
    struct slot slots[SLOTS];
    void *pointers[SLOTS];
    for (int i = 0; i < SLOTS; i++)
        pointers[i] = &slots[i];
    const struct pipeline p = {.context = t,
                               .take = take,
                               .idle = t->idle_calls != UINT64_MAX ? be_idle : NULL,
                               .stages = stages,
                               .stage_count = 4,
                               .slots = pointers,
                               .slot_count = slot_count,
                               .threads = threads};
    return pipeline_run(&p, e);
}

static void test_order(int threads, int slots, uint64_t pieces)
{
    struct test t = {.pieces = pieces, .fail_at = {UINT64_MAX, UINT64_MAX, UINT64_MAX},
                     .idle_calls = UINT64_MAX};
    struct error e = {0};
    char name[96];
    enum status status = run(&t, threads, slots, &e);
    snprintf(name, sizeof name, "%d threads, %d slots: %d pieces in order", threads, slots,
             (int)pieces);
    report(status == ST_OK && t.written == pieces && !t.out_of_order, name);
}

/* The result is the earliest failure, and exactly the pieces before it are written. */
static void test_failure(int threads, uint64_t parallel, uint64_t ordered, uint64_t writing,
                         const char *wanted, uint64_t written)
{
    struct test t = {.pieces = 1000, .fail_at = {parallel, ordered, writing}};
    struct error e = {0};
    char name[96];
    enum status status = run(&t, threads, SLOTS, &e);
    snprintf(name, sizeof name, "%d threads: failures at %d, %d, %d end at %s", threads,
             (int)parallel, (int)ordered, (int)writing, wanted);
    report(status == ST_BAD_DATA && strcmp(e.text, wanted) == 0 && t.written == written &&
               !t.out_of_order,
           name);
}

/* Threads without work, because the source is slow, find other work. Nothing else changes. */
static void test_idle(int threads, uint64_t pieces, int slow)
{
    struct test t = {
        .pieces = pieces, .slow = slow, .fail_at = {UINT64_MAX, UINT64_MAX, UINT64_MAX}};
    struct error e = {0};
    char name[96];
    enum status status = run(&t, threads, SLOTS, &e);
    snprintf(name, sizeof name, "%d threads, %s source: idle work beside %d pieces", threads,
             slow ? "slow" : "fast", (int)pieces);
    report(status == ST_OK && t.written == pieces && !t.out_of_order &&
               (!slow || threads == 1 || t.idle_calls > 0),
           name);
}

/* Pipelines of a pool: after each other, some of which fail, and one of no piece. */
static void run_many(void *context)
{
    struct test *wrong = context;
    for (uint64_t i = 0; i < 200; i++) {
        uint64_t pieces = i % 7;
        struct test t = {.pieces = pieces, .fail_at = {UINT64_MAX, i % 3 == 0 ? 2 : UINT64_MAX, UINT64_MAX}};
        struct error e = {0};
        int fails = i % 3 == 0 && pieces > 2;
        wrong->written += run(&t, 1, SLOTS, &e) != (fails ? ST_BAD_DATA : ST_OK);
        wrong->written += t.written != (fails ? 2 : pieces) || t.out_of_order;
    }
}

static void test_pool(int threads)
{
    struct test wrong = {0};
    char name[64];
    regions = 0;
    pipeline_with_pool(threads, run_many, &wrong);
    snprintf(name, sizeof name, "a pool of %d threads: 200 pipelines in one parallel region", threads);
    report(wrong.written == 0 && regions <= 1, name);
}

int main(void)
{
    for (int threads = 1; threads <= 5; threads += 2) {
        test_order(threads, 1, 300);
        test_order(threads, 3, 2000);
        test_order(threads, SLOTS, 2000);
        test_order(threads, SLOTS, 0);
        test_idle(threads, 2000, 0);
        test_idle(threads, 100, 1);
        test_failure(threads, 500, 503, 501, "piece 500", 500);
        test_failure(threads, 502, 501, 503, "piece 501", 501);
        test_failure(threads, 504, 503, 502, "piece 502", 502);
        test_failure(threads, 0, 1, 2, "piece 0", 0);
        test_pool(threads);
    }
    return unit_result();
}
