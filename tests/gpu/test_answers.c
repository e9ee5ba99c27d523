/* test_answers.c: distances and parents by input id, and the questions about parents */
#include "answer_steps.h"
#include "checks.h"
#include "tests.h"

#include "formats/base/hash.h"
#include "formats/graph/partition.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- inputs ---- */

/* Makes depths, records and masks as a search may leave them. */
struct search_input {
    uint64_t *visited[VERTEX_KINDS];
    int32_t *depth[VERTEX_KINDS];
    uint32_t *record[VERTEX_KINDS];
    void *ids;
    uint32_t *vertex;
    uint64_t slots;
};

static uint32_t random_record(const struct shard *shard, enum vertex_kind kind, uint64_t *random)
{
    uint64_t r = next_random(random);
    if (r % 8 == 0)
        return kind == DELEGATES ? PARENT_NONE : shard->p > 1 ? PARENT_REMOTE : PARENT_SELF;
    if (r % 8 == 1)
        return PARENT_SELF;
    if (shard->d > 0 && (r % 8 < 5 || shard->locals == 0))
        return PARENT_DELEGATE_BIT | (uint32_t)((r >> 8) % shard->d);
    return (uint32_t)((r >> 8) % shard->locals);
}

static void make_input(struct search_input *in, const struct shard *shard, enum mask_kind visited,
                       uint32_t id_bytes, uint32_t levels)
{
    uint64_t vertices = shard->locals + shard->d, random = 7 * vertices + (uint64_t)visited;
    for (int kind = NORMALS; kind < VERTEX_KINDS; kind++) {
        uint64_t count = vertices_of(shard, (enum vertex_kind)kind);
        in->visited[kind] = mask_make(count, visited, &random);
        in->depth[kind] = need_memory(count * 4);
        in->record[kind] = need_memory(count * 4);
        for (uint64_t i = 0; i < count; i++) {
            int seen = mask_bit(in->visited[kind], i);
            in->depth[kind][i] = (int32_t)(next_random(&random) % levels);
            in->record[kind][i] = random_record(shard, (enum vertex_kind)kind, &random);
            if (kind == DELEGATES && !seen)
                in->record[kind][i] = PARENT_NONE;
        }
    }
    in->ids = need_memory(vertices * id_bytes);
    for (uint64_t i = 0; i < vertices; i++)
        answer_set_id(in->ids, id_bytes, i,
                      (int64_t)(next_random(&random) >> (id_bytes == 4 ? 33 : 17)));
    in->slots = 2 * vertices + 3;
    in->vertex = need_memory(in->slots * sizeof *in->vertex);
    for (uint64_t i = 0; i < in->slots; i++) /* random ones, and behind them three runs that take turns */
        in->vertex[i] = (uint32_t)((i <= vertices ? next_random(&random) : i % 3 * (vertices / 3) + i / 3) % (vertices + 1));
}

static void free_input(struct search_input *in)
{
    for (int kind = NORMALS; kind < VERTEX_KINDS; kind++) {
        free(in->visited[kind]);
        free(in->depth[kind]);
        free(in->record[kind]);
    }
    free(in->ids);
    free(in->vertex);
}

/* ---- values ---- */

static struct answering answering_of(const struct shard *shard, const struct search_input *in,
                                     enum answer_kind kind, uint32_t id_bytes, uint32_t levels)
{
    return (struct answering){.shard = shard,
                              .kind = kind,
                              .levels = levels,
                              .visited = {in->visited[NORMALS], in->visited[DELEGATES]},
                              .depth = {in->depth[NORMALS], in->depth[DELEGATES]},
                              .record = {in->record[NORMALS], in->record[DELEGATES]},
                              .tables = {.values = in->slots,
                                         .vertex = in->vertex,
                                         .ids = in->ids,
                                         .id_bytes = id_bytes}};
}

static void run_values(const struct shard *shard, enum mask_kind visited, enum answer_kind kind,
                       uint32_t id_bytes, uint32_t levels)
{
    struct search_input in;
    make_input(&in, shard, visited, id_bytes, levels);
    struct answering a = answering_of(shard, &in, kind, id_bytes, levels);
    size_t bytes = in.slots * (kind == ANSWER_DEPTHS ? 4 : id_bytes);
    void *kernel = need_memory(bytes), *twin = need_memory(bytes);
    check_input("visited %s, kind %d, %u bytes, %u levels", mask_kind_name[visited], kind, id_bytes,
                levels);
    twin_values(&a, twin);
    for (int by_stripes = 0; by_stripes < (shard->p == 1 ? 2 : 1); by_stripes++) {
        kernel_values(&a, by_stripes, kernel);
        check_that(memcmp(kernel, twin, bytes) == 0, "values differ%s", by_stripes ? " by stripes" : "");
    }
    free(kernel);
    free(twin);
    free_input(&in);
}

/* ---- questions ---- */

struct asked {
    uint32_t shard, vertex, asker;
    int32_t depth;
};

static int compare_asked(const void *x, const void *y)
{
    return memcmp(x, y, sizeof(struct asked));
}

/* The questions for all shards, in any order. */
static struct asked *sorted_questions(const struct questions *q, uint32_t p, uint64_t *count)
{
    struct asked *list = need_memory((q->begin[p] + 1) * sizeof *list);
    for (uint32_t s = 0; s < p; s++) {
        for (uint64_t i = q->begin[s]; i < q->begin[s + 1]; i++)
            list[i] = (struct asked){s, q->question[i].vertex, q->asker[i], q->question[i].depth};
    }
    *count = q->begin[p];
    qsort(list, *count, sizeof *list, compare_asked);
    return list;
}

static void free_questions(struct questions *q)
{
    free(q->begin);
    free(q->question);
    free(q->asker);
}

static void run_ask(const struct shard *shard, enum mask_kind visited)
{
    struct search_input in;
    struct questions kernel = {0}, twin = {0};
    uint64_t kernel_count, twin_count;
    make_input(&in, shard, visited, 4, 9);
    struct answering a = answering_of(shard, &in, ANSWER_PARENTS, 4, 0);
    check_input("visited %s", mask_kind_name[visited]);
    kernel_ask(&a, &kernel);
    twin_ask(&a, &twin);
    struct asked *k = sorted_questions(&kernel, shard->p, &kernel_count);
    struct asked *t = sorted_questions(&twin, shard->p, &twin_count);
    if (check_that(kernel_count == twin_count, "%" PRIu64 " questions, not %" PRIu64, kernel_count,
                   twin_count))
        check_that(memcmp(k, t, kernel_count * sizeof *k) == 0, "questions differ");
    free(k);
    free(t);
    free_questions(&kernel);
    free_questions(&twin);
    free_input(&in);
}

/* Replies to random questions, one of which may be about a vertex that does not exist. Each asker then takes its
 * reply. */
static void run_reply(const struct shard *shard, uint32_t id_bytes, int bad)
{
    struct search_input in;
    uint64_t random = 3 + id_bytes, count = shard->locals;
    make_input(&in, shard, MASK_HALF, id_bytes, 4);
    struct question *questions = need_memory((count + 1) * sizeof *questions);
    for (uint64_t i = 0; i < count; i++)
        questions[i] = (struct question){(uint32_t)(next_random(&random) % count),
                                         (int32_t)(next_random(&random) % 4)};
    if (bad)
        questions[count / 2].vertex = (uint32_t)count;
    struct replying r = {.shard = shard,
                         .visited = in.visited[NORMALS],
                         .depth = in.depth[NORMALS],
                         .ids = in.ids,
                         .id_bytes = id_bytes,
                         .questions = questions,
                         .count = count};
    void *kernel = need_memory(count * id_bytes), *twin = need_memory(count * id_bytes);
    check_input("%" PRIu64 " questions, %u bytes, bad %d", count, id_bytes, bad);
    check_that(kernel_reply(&r, kernel) == !bad, "a vertex that there is not is not noticed");
    if (!bad) {
        twin_reply(&r, twin);
        check_that(memcmp(kernel, twin, count * id_bytes) == 0, "replies differ");
        for (uint64_t i = 0; i < count; i++)
            answer_set_id(twin, id_bytes, i, -2);
        kernel_take(&r, kernel, twin);
        for (uint64_t i = 0; i < count; i++)
            check_that(answer_id(kernel, id_bytes, i) == ANSWER_NONE
                           ? answer_id(twin, id_bytes, i) == -2
                           : answer_id(twin, id_bytes, i) == answer_id(kernel, id_bytes, i),
                       "what is taken at %" PRIu64, i);
    }
    free(kernel);
    free(twin);
    free(questions);
    free_input(&in);
}

static int compare_ids(const void *x, const void *y)
{
    const uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
    return (a > b) - (a < b);
}

/* Delegates that this shard owns ask if they were visited and have no parent. The values of the shard are its own delegates, and
 * between them normals and ids without edges. */
static void run_missing(const struct shard *shard, enum mask_kind visited, uint32_t id_bytes)
{
    struct search_input in;
    const uint64_t d = shard->d, vertices = shard->locals + d;
    make_input(&in, shard, visited, id_bytes, 9);
    struct answering a = answering_of(shard, &in, ANSWER_PARENTS, id_bytes, 0);
    a.tables.values = d;
    for (uint64_t i = 0; i < d; i++) {
        const int owns = shard_of_vertex(shard_delegate_id(shard, i), shard->p) == (uint64_t)shard->index;
        in.vertex[i] = (uint32_t)(owns ? shard->locals + i : i % 2 ? vertices : 0);
    }
    uint32_t *kernel = need_memory((d + 1) * sizeof *kernel), *twin = need_memory((d + 1) * sizeof *twin);
    const uint64_t listed = kernel_asking_delegates(&a, kernel), expected = twin_asking_delegates(&a, twin);
    check_input("visited %s, %u bytes", mask_kind_name[visited], id_bytes);
    qsort(kernel, listed, sizeof *kernel, compare_ids);
    qsort(twin, expected, sizeof *twin, compare_ids);
    if (check_that(listed == expected, "%" PRIu64 " delegates ask, not %" PRIu64, listed, expected))
        check_that(memcmp(kernel, twin, listed * sizeof *kernel) == 0, "delegates differ");
    free(kernel);
    free(twin);
    free_input(&in);
}

/* Replies to questions about random delegates, one of which may not exist. */
static void run_reply_to_delegates(const struct shard *shard, uint32_t id_bytes, int bad)
{
    uint64_t random = 5 + id_bytes;
    const uint64_t d = shard->d;
    char *parents = need_memory(d * id_bytes);
    uint32_t *delegates = need_memory(d * sizeof *delegates);
    for (uint64_t i = 0; i < d; i++) {
        delegates[i] = (uint32_t)(next_random(&random) % d);
        answer_set_id(parents, id_bytes, i, (int64_t)(next_random(&random) % 8) - 1);
    }
    if (bad)
        delegates[d / 2] = (uint32_t)d;
    const struct replying_to_delegates r = {shard, parents, id_bytes, delegates, d};
    void *kernel = need_memory(d * id_bytes), *twin = need_memory(d * id_bytes);
    check_input("%u bytes, bad %d", id_bytes, bad);
    check_that(kernel_reply_to_delegates(&r, kernel) == !bad, "a delegate that there is not is not noticed");
    if (!bad) {
        twin_reply_to_delegates(&r, twin);
        check_that(memcmp(kernel, twin, d * id_bytes) == 0, "replies differ");
    }
    free(kernel);
    free(twin);
    free(delegates);
    free(parents);
}

void test_answers(const struct shard *shard, const struct graph_spec *spec)
{
    static const uint32_t levels[] = {1, 15, 16, 255, 256}; /* around the limits up to which depths are nibbles, and bytes */
    check_begin();
    for (int visited = MASK_NONE; visited <= MASK_ALL; visited++) {
        for (int i = 0; i < 3; i++)
            run_values(shard, (enum mask_kind)visited, ANSWER_DEPTHS, 4, levels[i]);
        run_values(shard, (enum mask_kind)visited, ANSWER_PARENTS, 4, 8);
        run_values(shard, (enum mask_kind)visited, ANSWER_PARENTS, 8, 8);
    }
    check_end("cuda_write_depths, cuda_write_parents, cuda_gather_values, cuda_stripe_depths, cuda_stripe_parents: %s", spec->name);
    check_begin();
    for (int visited = MASK_NONE; shard->p > 1 && visited <= MASK_ALL; visited++)
        run_ask(shard, (enum mask_kind)visited);
    check_end("cuda_ask: %s", spec->name);
    check_begin();
    for (int i = 0; shard->locals > 0 && i < 4; i++)
        run_reply(shard, i < 2 ? 4 : 8, i % 2);
    check_end("cuda_reply, cuda_take_replies: %s", spec->name);
    check_begin();
    for (int i = 0; shard->p > 1 && shard->d > 0 && i < 4; i++) {
        for (int visited = MASK_NONE; visited <= MASK_ALL && i < 2; visited++)
            run_missing(shard, (enum mask_kind)visited, i == 0 ? 4 : 8);
        run_reply_to_delegates(shard, i < 2 ? 4 : 8, i % 2);
    }
    check_end("cuda_list_missing, cuda_reply_to_delegates: %s", spec->name);
}

/* ---- windows ---- */

enum { WINDOW_IDS = 3001 };

/* Shard `index` of p lists its values of a window, the last ids of which are not permuted. Depths are narrowed to 1 and 2 bytes. */
static void run_list(uint32_t p, uint32_t index, uint32_t width)
{
    struct shard shard = {.p = p, .index = index};
    struct bijection bijection;
    uint64_t first = UINT64_C(1000) * p, random = p + index;
    struct window_list l = {.shard = &shard,
                        .count_values = (first + WINDOW_IDS) / p + 1,
                        .kind = width <= 4 ? ANSWER_DEPTHS : ANSWER_PARENTS,
                        .held = width <= 4 ? 4 : 8,
                        .width = width,
                        .bijection = &bijection,
                        .first = first,
                        .count = WINDOW_IDS};
    void *values = need_memory(l.count_values * l.held);
    void *kernel = need_memory(WINDOW_IDS * width), *twin = need_memory(WINDOW_IDS * width);
    bijection_init(&bijection, first + WINDOW_IDS - 7, 5);
    for (uint64_t i = 0; i < l.count_values; i++)
        answer_set_id(values, l.held, i, (int64_t)(next_random(&random) >> (width == 8 ? 17 : 33)) % (i % 3 == 0 ? 100 : INT64_MAX) - 1);
    l.values = values;
    check_input("shard %u of %u, values of %u bytes", index, p, width);
    uint64_t listed = kernel_window(&l, kernel);
    check_that(listed == twin_window(&l, twin) && listed > 0, "%" PRIu64 " values are listed", listed);
    check_that(memcmp(kernel, twin, WINDOW_IDS * width) == 0, "windows differ");
    free(values);
    free(kernel);
    free(twin);
}

/* Depths around the largest that fits, and -1. */
static void run_narrow(uint32_t width)
{
    enum { DEPTHS = 70001, PATTERNS = 6 };
    const int32_t most = (int32_t)deepest_of_width(width), pattern[PATTERNS] = {-1, 0, most - 1, most, most + 1, INT32_MAX};
    int32_t *depth = need_memory(DEPTHS * 4);
    void *kernel = need_memory(DEPTHS * width), *twin = need_memory(DEPTHS * width);
    for (uint64_t i = 0; i < DEPTHS; i++)
        depth[i] = pattern[i % PATTERNS];
    check_input("%u bytes", width);
    kernel_narrow(depth, DEPTHS, width, kernel);
    twin_narrow(depth, DEPTHS, width, twin);
    check_that(memcmp(kernel, twin, DEPTHS * width) == 0, "narrowed depths differ");
    for (int i = 0; i < PATTERNS; i++) {
        const int32_t narrowed = width == 1 ? ((int8_t *)twin)[i] : ((int16_t *)twin)[i];
        check_that(narrowed == (pattern[i] > most ? most : pattern[i]), "%d becomes %d", pattern[i], narrowed);
    }
    free(depth);
    free(kernel);
    free(twin);
}

void test_windows(void)
{
    check_begin();
    check_that(kernel_report(UINT64_C(3) << 32 | 5) == (UINT64_C(3) << 32 | 5), "another value is reported");
    check_end("cuda_report_answer");
    check_begin();
    for (uint32_t p = 2; p < 200; p = 3 * p - 3) {
        for (int i = 0; i < 8; i++)
            run_list(p, i / 4 * (p - 1), 1u << i % 4);
    }
    check_end("cuda_list_values");
    check_begin();
    run_narrow(1);
    run_narrow(2);
    check_end("cuda_narrow_depths");
}
