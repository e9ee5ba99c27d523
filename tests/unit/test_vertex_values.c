/* test_vertex_values.c: windows of vertices, and labels on disk.
 *
 * With any number of windows, every edge is seen once, with the values of both ends. Labels that were moved to
 * disk are read back shard by shard. */
#include "stream.h"
#include "unit.h"

#include "formats/graph/partition.h"
#include "tools/pack/order/label_file.h"
#include "tools/separate/vertex_values.h"

enum { P = 3 };

static const char *const folders[] = {"/tmp"};
static struct memory_budget budget = {.limit_bytes = UINT64_C(1) << 30};

static uint32_t value_of(uint64_t v)
{
    return (uint32_t)mix64(v);
}

static enum status fill(struct vertex_values *v, struct error *e)
{
    for (uint32_t w = 0; w < v->windows; w++) {
        uint64_t begin = window_begin(v, w), end = window_end(v, w);
        for (uint64_t i = begin; i < end; i++)
            v->of[i - begin] = value_of(i);
        if (values_keep(v, w, 0, e) != ST_OK)
            return e->status;
    }
    return ST_OK;
}

struct sums {
    const struct vertex_values *values;
    uint64_t count[2], sum[2]; /* per thread */
};

static enum status add_up(void *context, int thread, const struct edge *edges, size_t count,
                          struct error *e)
{
    struct sums *s = context;
    for (size_t i = 0; i < count; i++) {
        uint32_t u = s->values->of[edges[i].u], v = s->values->of[edges[i].v];
        s->count[thread]++;
        s->sum[thread] += hash_pair(hash_pair(u, v), hash_pair(edges[i].u % P, edges[i].v % P));
    }
    return e->status;
}

static int scan_agrees(const struct stream *s, uint64_t most_bytes, uint64_t *windows)
{
    struct error e = {0};
    struct vertex_values v;
    struct spill spill;
    struct edge_source source = open_stream(s);
    uint64_t sum = 0;
    spill_open(&spill, folders, 1);
    if (values_open(&v, &(struct values_options){s->n, P, most_bytes, 2, &spill}, &budget, &e) !=
            ST_OK ||
        fill(&v, &e) != ST_OK)
        stop_at(&e);
    struct sums sums = {.values = &v};
    struct edge_supply edges = {.source = &source};
    if (values_scan(&v, &edges, (struct edge_visitors){.edges = add_up}, &sums, &e) != ST_OK)
        stop_at(&e);
    for (size_t i = 0; i < s->count; i++) {
        uint64_t a = s->edges[i].u, b = s->edges[i].v;
        sum += hash_pair(hash_pair(value_of(a), value_of(b)), hash_pair(a % P, b % P));
    }
    *windows = v.windows;
    values_free(&v);
    spill_close(&spill);
    edge_source_close(&source);
    return sums.count[0] + sums.count[1] == s->count && sums.sum[0] + sums.sum[1] == sum &&
           budget.taken_bytes == 0;
}

static void test_scan(void)
{
    struct stream s = random_stream(11, 1000, 5000, 0);
    uint64_t windows, seen = 0;
    int ok = 1;
    for (uint64_t most = 8000; most >= 130; most -= most / 6) {
        ok &= scan_agrees(&s, most, &windows);
        seen |= UINT64_C(1) << (windows < 63 ? windows : 63);
    }
    report(ok, "every edge is seen once, with the values of its ends");
    report((seen & 0x1a) == 0x1a && seen >> 50 != 0, "windows of vertices are 1, 3, 4 and up to 64");
    free(s.edges);
}

static uint32_t expected_slot;
static int slots_agree;

static void check_labels(void *context, uint64_t first, const uint32_t *labels, uint64_t count)
{
    uint32_t shard = *(const uint32_t *)context;
    slots_agree &= first == expected_slot;
    for (uint64_t i = 0; i < count; i++)
        slots_agree &= labels[i] == value_of(vertex_of_slot(first + i, shard, P));
    expected_slot += (uint32_t)count;
}

static int labels_agree(uint64_t n, uint64_t most_bytes)
{
    struct error e = {0};
    struct vertex_values v;
    struct label_file file;
    struct spill spill;
    spill_open(&spill, folders, 1);
    if (values_open(&v, &(struct values_options){n, P, most_bytes, 2, &spill}, &budget,
                    &e) != ST_OK ||
        fill(&v, &e) != ST_OK || label_file_write(&file, &v, P, &spill, &e) != ST_OK)
        stop_at(&e);
    slots_agree = 1;
    for (uint32_t shard = 0; shard < P; shard++) {
        expected_slot = 0;
        if (label_file_read(&file, shard, check_labels, &shard, &e) != ST_OK)
            stop_at(&e);
        slots_agree &= expected_slot == slots_of_shard(n, shard, P);
    }
    label_file_free(&file);
    values_free(&v);
    spill_close(&spill);
    return slots_agree;
}

static void test_labels(void)
{
    report(labels_agree(1000, 4000) && labels_agree(1001, 1500) && labels_agree(1002, 300) &&
               labels_agree(2, 4000), "labels of each shard from disk");
    report(labels_agree(600000, UINT64_C(1) << 30) && labels_agree(600000, 1 << 20),
           "labels of each shard from disk, more than a buffer");
}

static void test_failures(void)
{
    struct error e = {0};
    struct vertex_values v;
    struct spill spill;
    spill_open(&spill, folders, 1);
    report(values_open(&v, &(struct values_options){100000, 1, 1000, 1, &spill}, &budget,
                       &e) == ST_RESOURCE &&
               budget.taken_bytes == 0,
           "too many windows are refused");
    e = (struct error){0};
    if (values_open(&v, &(struct values_options){1000, P, 1000, 1, &spill}, &budget, &e) != ST_OK ||
        fill(&v, &e) != ST_OK)
        stop_at(&e);
    report(pwrite(spill.fd[0], "x", 1, 3) == 1 && values_load(&v, 0, 1, &e) == NULL &&
               strstr(e.text, "/tmp: a temporary file is corrupt") != NULL,
           "a flipped bit in a window is found");
    values_free(&v);
    spill_close(&spill);
}

int main(void)
{
    test_scan();
    test_labels();
    test_failures();
    return unit_result();
}
