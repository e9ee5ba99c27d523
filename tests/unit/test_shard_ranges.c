/* test_shard_ranges.c: the check of ranges refuses exactly the shards that a plain reading refuses.
 *
 * Graphs of one and of three shards are packed and loaded. Then single numbers of decoded sections are changed in
 * memory, as if a part with right CRCs had them. The check must agree with look_plainly, which goes edge by edge. */
#include "stream.h"
#include "unit.h"

#include "formats/graph/manifest.h"
#include "formats/graph/shard_ranges.h"
#include "formats/graph/partition.h"
#include "tools/pack/pack.h"

static char folder[64];
static struct memory_budget budget = {.limit_bytes = UINT64_C(1) << 30};

struct graph {
    uint32_t p;
    struct shard shard[3];
    uint32_t locals[3];
};

/* ---- the plain reading ---- */

static int column_is_good(const struct graph *graph, const struct shard *s, int g, uint64_t column)
{
    uint64_t owner = column >> s->local_bits, local = column - (owner << s->local_bits);
    if (g == ND || g == DD)
        return column < s->d;
    return g == DN ? column < s->locals : owner < graph->p && local < graph->locals[owner];
}

/* The number of edges of a row, or -1 if the row is wrong. */
static long row_is_good(const struct graph *graph, const struct shard *s, int g, uint64_t row)
{
    const struct csr *csr = &s->csr[g];
    uint64_t begin = csr_offset(csr, row), end = csr_offset(csr, row + 1);
    long heads = 0, edges;
    if (end < begin || end > csr->column_count)
        return -1;
    for (uint32_t j = 0; j < csr->head_columns; j++) {
        uint32_t head = csr->heads[j * csr->rows + row];
        if (head == HEAD_NONE)
            continue;
        if (!column_is_good(graph, s, g, head) || heads++ != (long)j)
            return -1;
    }
    if (end > begin && heads != (long)csr->head_columns)
        return -1;
    for (uint64_t i = begin; i < end; i++) {
        if (!column_is_good(graph, s, g, csr_column(csr, i)))
            return -1;
    }
    edges = heads + (long)(end - begin);
    return (edges > 0) == mask_bit(csr->sources, row) ? edges : -1;
}

static int csr_is_good(const struct graph *graph, const struct shard *s, int g)
{
    uint64_t edges = 0, sources = 0;
    for (uint64_t row = 0; row < s->csr[g].rows; row++) {
        long length = row_is_good(graph, s, g, row);
        if (length < 0)
            return 0;
        edges += (uint64_t)length;
        sources += length > 0;
    }
    return edges == s->csr[g].edges && sources == s->csr[g].source_rows;
}

static int runs_are_good(const struct degree_list *list, uint64_t vertices)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < list->count; i++) {
        const struct degree_run *run = &list->runs[i];
        if (run->degree == 0 || run->degree > UINT32_MAX || run->vertices > vertices ||
            (i > 0 && run->degree >= list->runs[i - 1].degree))
            return 0;
        sum += run->vertices;
    }
    return sum == vertices;
}

static int look_plainly(const struct graph *graph, const struct shard *s)
{
    int good = runs_are_good(&s->degrees.locals, s->locals) &&
               runs_are_good(&s->degrees.delegates, s->d);
    for (uint64_t i = 0; i < s->locals; i++)
        good &= vertex_of_slot(s->ids.local_slots[i], s->index, s->p) < s->n;
    for (uint64_t i = 0; i < s->d; i++)
        good &= shard_delegate_id(s, i) < s->n;
    for (uint64_t i = 0; i < s->degrees.loop_counts; i++) {
        const struct loop_count *l = &s->degrees.loops[i];
        good &= l->count > 0 && (l->at == LOOP_AT_LOCAL      ? l->index < s->locals
                                 : l->at == LOOP_AT_DELEGATE ? l->index < s->d
                                 : l->at == LOOP_AT_ISOLATED
                                     ? vertex_of_slot(l->index, s->index, s->p) < s->n
                                     : 0);
    }
    for (int g = 0; g < SUBGRAPHS && good; g++)
        good = csr_is_good(graph, s, g);
    return good;
}

/* ---- changes ---- */

/* Sections in which a number is changed; runs and loops lie in the file and are copied. */
struct target {
    unsigned char *bytes;
    uint64_t count;
    uint32_t width;
    uint64_t bound; /* numbers from about here on are wrong */
};

enum { TARGETS = 4 * SUBGRAPHS + 5 };

static void list_targets(const struct shard *s, struct target target[TARGETS])
{
    struct target *t = target;
    for (int g = 0; g < SUBGRAPHS; g++) {
        const struct csr *csr = &s->csr[g];
        uint64_t bound = subgraph_columns((enum subgraph)g) == DELEGATES ? s->d : s->locals;
        *t++ = (struct target){(void *)csr->heads, csr->rows * csr->head_columns, 4, bound};
        *t++ = (struct target){(void *)csr->columns, csr->column_count, csr->column_width, bound};
        *t++ = (struct target){(unsigned char *)csr->offsets + csr->offset_width,
                               csr->rows > 1 ? csr->rows - 1 : 0, csr->offset_width,
                               csr->column_count};
        *t++ = (struct target){(void *)csr->sources, csr->rows / 64, 8, 5};
    }
    *t++ = (struct target){(void *)s->ids.local_slots, s->locals, 4,
                           slots_of_shard(s->n, s->index, s->p)};
    *t++ = (struct target){(void *)s->ids.delegates, s->d, s->ids.delegate_width, s->n};
    *t++ = (struct target){(void *)s->degrees.locals.runs, 2 * s->degrees.locals.count, 8, 7};
    *t++ = (struct target){(void *)s->degrees.delegates.runs, 2 * s->degrees.delegates.count, 8, 7};
    *t++ = (struct target){(void *)s->degrees.loops, 4 * s->degrees.loop_counts, 4, s->locals};
}

static uint64_t changed_value(uint64_t old, uint64_t bound, uint64_t random)
{
    const uint64_t values[] = {old + 1,   old - 1,    bound,  bound - 1,    bound + 1, 0,
                               UINT32_MAX, UINT64_MAX, random, old ^ 1ull << 31};
    return values[random % (sizeof values / sizeof *values)];
}

static int refused, accepted, differing;

static void try_change(const struct graph *graph, const struct shard *s, uint64_t random)
{
    struct target target[TARGETS], *t;
    struct error e = {0};
    uint64_t old = 0, value;
    list_targets(s, target);
    t = &target[random % TARGETS];
    if (t->bytes == NULL || t->count == 0)
        return;
    unsigned char *at = t->bytes + (random >> 8) % t->count * t->width;
    memcpy(&old, at, t->width);
    value = changed_value(old, t->bound, mix64(random));
    memcpy(at, &value, t->width);
    int good = look_plainly(graph, s);
    int taken = shard_check_ranges(s, graph->locals, 1 + (int)(random >> 40 & 1), &e) == ST_OK;
    memcpy(at, &old, t->width);
    refused += !taken;
    accepted += taken;
    differing += taken != good || (!taken && strstr(e.text, "part-") == NULL);
    if (taken != good)
        printf("# section %u: %llu to %llu: %s\n", (unsigned)(t - target), (unsigned long long)old,
               (unsigned long long)value, e.text);
}

/* ---- graphs ---- */

static char *part_path(uint32_t shard, uint32_t p)
{
    static char path[160];
    char name[64];
    snprintf(path, sizeof path, "%s/%s", folder, manifest_part_name(name, sizeof name, shard, p));
    return path;
}

static void *copied(const void *from, size_t bytes)
{
    void *to = malloc(bytes + 1);
    if (to == NULL)
        abort();
    return memcpy(to, from, bytes);
}

static void pack_graph(struct graph *graph, const struct stream *s, uint64_t th, int heads)
{
    struct pack_options o = {.p = graph->p, .th_given = 1, .th = th, .encoding = PACK_PACKED,
                             .mode = FOLDER_FORCE, .threads = 2, .folder = folder};
    struct pack_report packed;
    struct error e = {0};
    struct edge_source source = open_stream(s);
    for (int g = 0; g < SUBGRAPHS; g++)
        o.heads[g] = heads;
    if (pack(&o, &source, &budget, &packed, &e) != ST_OK)
        stop_at(&e);
    edge_source_close(&source);
    for (uint32_t i = 0; i < graph->p; i++) {
        struct shard *part = &graph->shard[i];
        if (shard_open(part, part_path(i, graph->p), &e) != ST_OK ||
            shard_load(part, SHARD_ALL_COLUMNS, 2, &budget, &e) != ST_OK)
            stop_at(&e);
        graph->locals[i] = (uint32_t)part->locals;
        struct shard_degrees *d = &part->degrees;
        d->locals.runs = copied(d->locals.runs, d->locals.count * sizeof *d->locals.runs);
        d->delegates.runs =
            copied(d->delegates.runs, d->delegates.count * sizeof *d->delegates.runs);
        d->loops = copied(d->loops, d->loop_counts * sizeof *d->loops);
    }
}

static void drop_graph(struct graph *graph)
{
    for (uint32_t i = 0; i < graph->p; i++) {
        free((void *)graph->shard[i].degrees.locals.runs);
        free((void *)graph->shard[i].degrees.delegates.runs);
        free((void *)graph->shard[i].degrees.loops);
        shard_close(&graph->shard[i]);
        unlink(part_path(i, graph->p));
    }
    char path[160];
    snprintf(path, sizeof path, "%s/%s", folder, MANIFEST_NAME);
    unlink(path);
    rmdir(folder);
}

static void test_graph(uint32_t p, uint64_t th, int heads, int changes)
{
    struct stream s = random_stream(p + th + (uint64_t)heads, 400, 1500, 0);
    struct graph graph = {.p = p};
    struct error e = {0};
    int good = 1;
    char name[96];
    refused = accepted = differing = 0;
    pack_graph(&graph, &s, th, heads);
    for (uint32_t i = 0; i < p; i++) {
        good &= shard_check_ranges(&graph.shard[i], graph.locals, 2, &e) == ST_OK;
        for (int c = 0; c < changes; c++)
            try_change(&graph, &graph.shard[i], random64(th + i, (uint64_t)c));
    }
    snprintf(name, sizeof name, "p %u, TH %lld, k %d: ranges are in order", p, (long long)th, heads);
    report(good, name);
    snprintf(name, sizeof name, "ranges: %d of %d changes are out of range, and are found", refused,
             refused + accepted);
    report(differing == 0 && refused > changes / 4 && accepted > changes / 20, name);
    drop_graph(&graph);
    free(s.edges);
}

int main(void)
{
    snprintf(folder, sizeof folder, "%s/dbfs-unit.%ld.ranges", unit_place(), (long)getpid());
    test_graph(1, 8, 0, 2000);
    test_graph(1, 8, 1, 2000);
    test_graph(1, 12, 2, 2000);
    test_graph(1, TH_INFINITE, 3, 500);
    test_graph(3, 8, 1, 1000);
    test_graph(3, 12, 2, 1000);
    test_graph(3, TH_INFINITE, 0, 500);
    report(budget.taken_bytes == 0, "all memory was given back");
    return unit_result();
}
