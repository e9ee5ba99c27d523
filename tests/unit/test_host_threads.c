/* test_host_threads.c: threads see all that others wrote before a barrier; a failure anywhere reaches all threads; a step is run
 * once for each device, whoever comes */
#include "unit.h"

#include "traverse/engine/host_threads.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_THREADS = 5, BARRIERS = 100, NOBODY = 1000 };

struct test {
    uint32_t devices;
    uint64_t value[MOST_THREADS]; /* one of each device */
    uint32_t runs[MOST_THREADS], passed[MOST_THREADS];
    int wrong;
    uint32_t failing[2], fails_at; /* threads that fail, and the barrier before which they do */
    int leaves;                    /* a failing thread returns; otherwise it goes to the barrier */
};

static uint64_t sum_of(const struct test *t)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < t->devices; i++)
        sum += t->value[i];
    return sum;
}

/* Every device counts up, and all see the sum of the counts between two barriers. */
static enum status count(void *context, const struct host_thread *m, struct error *e)
{
    struct test *t = context;
    t->passed[m->number] = 0;
    for (uint32_t i = 0; i < BARRIERS; i++) {
        for (uint32_t g = m->first; g < m->end; g++)
            t->value[g]++;
        if (i == t->fails_at && (m->number == t->failing[0] || m->number == t->failing[1])) {
            fail(e, ST_RUNTIME, "thread %u", m->number);
            if (t->leaves)
                return e->status;
        }
        if (host_threads_barrier(m, e) != ST_OK)
            return e->status;
        t->passed[m->number]++;
        if (sum_of(t) != (uint64_t)t->devices * (i + 1))
            __atomic_store_n(&t->wrong, 1, __ATOMIC_RELAXED);
        if (host_threads_barrier(m, e) != ST_OK)
            return e->status;
    }
    for (uint32_t g = m->first; g < m->end; g++)
        t->runs[g]++;
    return ST_OK;
}

static struct test new_test(uint32_t devices)
{
    return (struct test){.devices = devices, .failing = {NOBODY, NOBODY}, .fails_at = NOBODY};
}

static int counts_right(struct host_threads *threads, uint32_t devices)
{
    struct test t = new_test(devices);
    struct error e = {0};
    int ok = host_threads_run(threads, count, &t, &e) == ST_OK && !t.wrong;
    for (uint32_t g = 0; g < devices; g++)
        ok &= t.runs[g] == 1 && t.value[g] == BARRIERS;
    return ok;
}

/* The text of a failing thread is returned, and nobody goes on. */
static int fails_right(struct host_threads *threads, uint32_t number, uint32_t a, uint32_t b, int leaves)
{
    struct test t = new_test(number);
    struct error e = {0};
    char one[32], other[32];
    t.failing[0] = a;
    t.failing[1] = b;
    t.fails_at = 7;
    t.leaves = leaves;
    snprintf(one, sizeof one, "thread %u", a);
    snprintf(other, sizeof other, "thread %u", b);
    int ok = host_threads_run(threads, count, &t, &e) == ST_RUNTIME && (strcmp(e.text, one) == 0 || strcmp(e.text, other) == 0);
    for (uint32_t i = 0; i < number; i++)
        ok &= t.runs[i] == 0 && t.passed[i] == 7;
    return ok;
}

/* One thread fails after the last barrier of the others. */
static enum status fail_last(void *context, const struct host_thread *m, struct error *e)
{
    uint32_t *failing = context;
    if (host_threads_barrier(m, e) == ST_OK && m->number == *failing)
        fail(e, ST_BAD_DATA, "at the end");
    return e->status;
}

/* One thread fails, and the others, some time after it. */
static enum status fail_in_turn(void *context, const struct host_thread *m, struct error *e)
{
    uint32_t *first = context;
    if (m->number == *first)
        return fail(e, ST_BAD_DATA, "the cause");
    nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    return fail(e, ST_RUNTIME, "what follows from it");
}

/* ---- steps ---- */

enum { DEVICES = 64, CALLS = 300 };

struct steps {
    uint32_t done[DEVICES], running;
    uint32_t waits, fails; /* the device that waits for all others; the one that fails */
};

static enum status step(void *context, uint32_t device, struct error *e)
{
    struct steps *s = context;
    if (device == s->waits) {
        while (__atomic_load_n(&s->running, __ATOMIC_ACQUIRE) < DEVICES - 1)
            continue;
    }
    __atomic_fetch_add(&s->done[device], 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&s->running, 1, __ATOMIC_RELEASE);
    return device == s->fails ? fail(e, ST_RUNTIME, "device %u", device) : ST_OK;
}

/* Each device has its step once, between jobs and other steps, whose state must not be taken for theirs. */
static int steps_are_right(struct host_threads *threads, uint32_t number)
{
    int right = 1;
    for (int i = 0; i < CALLS; i++) {
        struct steps s = {.waits = NOBODY, .fails = NOBODY};
        struct error e = {0};
        uint32_t devices = i % 7 == 0 ? DEVICES : (uint32_t)i % (number + 1);
        right &= host_threads_each(threads, devices, step, &s, &e) == ST_OK;
        for (uint32_t g = 0; g < DEVICES; g++)
            right &= s.done[g] == (g < devices);
        if (i % 50 == 0)
            right &= counts_right(threads, number);
    }
    return right;
}

/* A thread that is busy with one device keeps nobody from the others. */
static int others_go_on(struct host_threads *threads)
{
    struct steps s = {.waits = DEVICES / 2, .fails = NOBODY};
    struct error e = {0};
    return host_threads_each(threads, DEVICES, step, &s, &e) == ST_OK && s.running == DEVICES;
}

static int step_fails_right(struct host_threads *threads)
{
    struct steps s = {.waits = NOBODY, .fails = 3}, after = {.waits = NOBODY, .fails = NOBODY};
    struct error e = {0}, none = {0};
    int ok = host_threads_each(threads, DEVICES, step, &s, &e) == ST_RUNTIME && strcmp(e.text, "device 3") == 0;
    return ok && host_threads_each(threads, DEVICES, step, &after, &none) == ST_OK && after.running == DEVICES;
}

static void test_steps(struct host_threads *threads, uint32_t number)
{
    char name[80];
    snprintf(name, sizeof name, "%u threads: each device has its step once", number);
    report(steps_are_right(threads, number), name);
    snprintf(name, sizeof name, "%u threads: the failure of a step", number);
    report(step_fails_right(threads), name);
    if (number > 1)
        report(others_go_on(threads), "a thread that is late keeps nobody from other devices");
}

static void test_threads(uint32_t number)
{
    struct host_threads *threads = NULL;
    struct error e = {0};
    char name[80];
    int ok = host_threads_open(&threads, number, 1, &e) == ST_OK, right = ok, left = ok, stayed = ok,
        last = ok, cause = ok;
    for (int i = 0; ok && i < 3; i++)
        right &= counts_right(threads, number);
    for (uint32_t a = 0; ok && a < number; a++) {
        struct error at_end = {0}, first = {0};
        left &= fails_right(threads, number, a, (a + 1) % number, 1);
        stayed &= fails_right(threads, number, a, NOBODY, 0);
        cause &= host_threads_run(threads, fail_in_turn, &a, &first) == ST_BAD_DATA && strcmp(first.text, "the cause") == 0;
        last &= host_threads_run(threads, fail_last, &a, &at_end) == ST_BAD_DATA;
        right &= counts_right(threads, number);
    }
    if (ok)
        test_steps(threads, number);
    host_threads_close(threads);
    snprintf(name, sizeof name, "%u threads see each other's work", number);
    report(right, name);
    snprintf(name, sizeof name, "%u threads: a failure that returns at once", number);
    report(left, name);
    snprintf(name, sizeof name, "%u threads: a failure that comes to the barrier", number);
    report(stayed, name);
    snprintf(name, sizeof name, "%u threads: the failure that came first", number);
    report(cause, name);
    snprintf(name, sizeof name, "%u threads: a failure after the last barrier", number);
    report(last, name);
}

static enum status see_all(void *context, const struct host_thread *m, struct error *e)
{
    (void)e;
    *(int *)context = m->number == 0 && m->first == 0 && m->end == 5;
    return ST_OK;
}

int main(void)
{
    struct host_threads *threads = NULL;
    struct error e = {0};
    int alone = 0;
    for (uint32_t number = 1; number <= MOST_THREADS; number++)
        test_threads(number);
    if (host_threads_open(&threads, 5, 0, &e) == ST_OK)
        host_threads_run(threads, see_all, &alone, &e);
    report(alone && counts_right(threads, 5), "one thread drives all devices");
    host_threads_close(threads);
    return unit_result();
}
