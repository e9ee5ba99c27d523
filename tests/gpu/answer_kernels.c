/* answer_kernels.c: the steps of answer_steps.h by CUDA kernels, through traverse/cuda/answers/cuda_answers.h */
#include "answer_steps.h"

#include "graphs.h"
#include "loaded.h"
#include "managed.h"

#include "traverse/cuda/answers/cuda_answers.h"
#include "traverse/cuda/fused/cuda_fused.h"

#include <string.h>

static struct gpu_vertices vertices_of_search(const struct answering *a, enum vertex_kind kind)
{
    uint64_t count = vertices_of(a->shard, kind);
    return (struct gpu_vertices){.count = count,
                                 .words = 2 * mask_words(count),
                                 .visited = managed(a->visited[kind], mask_words(count) * 8),
                                 .depth = managed(a->depth[kind], count * 4),
                                 .parent = managed(a->record[kind], count * 4)};
}

static void describe_records(const struct answering *a, const struct gpu_vertices *n, const struct gpu_vertices *d,
                             struct gpu_records records[VERTEX_KINDS])
{
    records[NORMALS] = (struct gpu_records){.visited = n->visited,
                                            .record = n->parent,
                                            .count = n->count,
                                            .locals = n->count,
                                            .ids = managed(a->tables.ids, (n->count + d->count) * a->tables.id_bytes),
                                            .id_bytes = a->tables.id_bytes};
    records[DELEGATES] = records[NORMALS];
    records[DELEGATES].visited = d->visited;
    records[DELEGATES].record = d->parent;
    records[DELEGATES].count = d->count;
    records[DELEGATES].first = n->count;
}

/* Writes parents by number of vertex, and lists the vertices that ask. */
static void write_parents(const struct answering *a, const struct gpu_vertices *n,
                          const struct gpu_vertices *d, void *by_vertex, uint32_t *remote,
                          unsigned long long *remote_count)
{
    struct gpu_records records[VERTEX_KINDS];
    describe_records(a, n, d, records);
    records[NORMALS].to = records[DELEGATES].to = by_vertex;
    records[DELEGATES].visited = NULL;
    records[NORMALS].with_remote_parent = remote;
    records[NORMALS].remote_count = remote_count;
    cuda_write_parents(&records[NORMALS], 0);
    cuda_write_parents(&records[DELEGATES], 0);
    managed_settle();
}

uint64_t kernel_report(uint64_t value)
{
    uint64_t reported, *to = managed_zeros(sizeof *to);
    cuda_report_answer(to, value, 0);
    managed_settle();
    managed_finish(&reported, to, sizeof reported);
    return reported;
}

/* Makes the stripes of `count` values. */
static struct gpu_stripes make_stripes(const uint32_t *vertex, uint64_t count, uint64_t vertices)
{
    const uint64_t stripes = (count + ANSWER_STRIPE - 1) / ANSWER_STRIPE;
    struct gpu_stripes s = {.before = managed(NULL, (stripes + 1) * sizeof *s.before)};
    struct gpu_stripe sum;
    cuda_count_stripes(vertex, count, (uint32_t)vertices, s.before, 0);
    managed_settle();
    memcpy(&sum, s.before + stripes, sizeof sum);
    sum.words += ANSWER_SPARE_WORDS;
    s.word = managed_zeros(sum.words * sizeof *s.word);
    s.run = managed(NULL, sum.runs * sizeof *s.run);
    s.place = managed_zeros(32 * (uint64_t)sum.words * sizeof *s.place);
    cuda_fill_stripes(vertex, count, (uint32_t)vertices, &s, 0);
    managed_settle();
    return s;
}

void kernel_values(const struct answering *a, int by_stripes, void *values)
{
    struct gpu_vertices n = vertices_of_search(a, NORMALS), d = vertices_of_search(a, DELEGATES);
    uint64_t vertices = n.count + d.count, width = answer_width(&a->tables, a->kind);
    enum value_form form = a->levels <= 255 ? VALUE_BYTE : VALUE_32;
    char *by_vertex = managed(NULL, (vertices + 1) * width);
    uint64_t count = a->tables.values;
    void *to = managed(NULL, count * width);
    uint32_t *vertex = managed(a->tables.vertex, count * 4);
    const struct gpu_stripes stripes = make_stripes(vertex, count, vertices);
    if (a->kind == ANSWER_PARENTS && by_stripes) {
        struct gpu_records records[VERTEX_KINDS];
        describe_records(a, &n, &d, records);
        cuda_stripe_parents(&stripes, count, &records[NORMALS], &records[DELEGATES], to, 0);
    } else if (a->kind == ANSWER_PARENTS) {
        form = width == 4 ? VALUE_32 : VALUE_64;
        write_parents(a, &n, &d, by_vertex, NULL, NULL);
        memset(by_vertex + vertices * width, 0xff, width);
    } else if (by_stripes && a->levels <= NIBBLE_LEVELS) {
        const struct gpu_fused search = {.state = managed_zeros(sizeof *search.state), .of = {n, d}};
        form = VALUE_NIBBLE;
        by_vertex = managed(NULL, 16 * (n.words + d.words));
        cuda_fused_nibble_depths(&search, by_vertex, 0);
    } else {
        uint64_t bytes = form == VALUE_BYTE ? 1 : 4;
        cuda_write_depths(&n, form, by_vertex, 0);
        cuda_write_depths(&d, form, by_vertex + n.count * bytes, 0);
        managed_settle();
        memset(by_vertex + vertices * bytes, form == VALUE_BYTE ? 0 : 0xff, bytes);
    }
    if (!by_stripes)
        cuda_gather_values(vertex, count, form, by_vertex, to, 0);
    else if (a->kind == ANSWER_DEPTHS)
        cuda_stripe_depths(&stripes, count, form, by_vertex, n.count, to, 0);
    managed_settle();
    managed_finish(values, to, count * width);
}

void kernel_ask(const struct answering *a, struct questions *out)
{
    const struct shard *shard = a->shard;
    struct gpu_vertices n = vertices_of_search(a, NORMALS), d = vertices_of_search(a, DELEGATES);
    unsigned long long *count = managed_zeros(sizeof *count), *cursor = managed_zeros(shard->p * sizeof *cursor);
    uint32_t *remote = managed(NULL, (n.count + 1) * 4);
    write_parents(a, &n, &d, managed(NULL, (n.count + d.count) * 4), remote, count);
    struct gpu_asking asking = {.nn = *loaded_csr(shard, NN),
                                .vertices = remote,
                                .count = count,
                                .depth = n.depth,
                                .own_shard = shard->index,
                                .local_bits = shard->local_bits,
                                .cursor = cursor};
    cuda_ask(&asking, 0, 0);
    managed_settle();
    out->begin = need_memory((shard->p + 1) * sizeof *out->begin);
    for (uint32_t s = 0; s < shard->p; s++) {
        out->begin[s + 1] = out->begin[s] + cursor[s];
        cursor[s] = out->begin[s];
    }
    uint64_t total = out->begin[shard->p];
    asking.questions = managed(NULL, (total + 1) * sizeof *asking.questions);
    asking.askers = managed(NULL, (total + 1) * sizeof *asking.askers);
    cuda_ask(&asking, 1, 0);
    managed_settle();
    out->question = need_memory(total * sizeof *out->question);
    out->asker = need_memory(total * sizeof *out->asker);
    if (total > 0)
        memcpy(out->asker, asking.askers, total * sizeof *out->asker);
    managed_finish(out->question, asking.questions, total * sizeof *out->question);
}

uint64_t kernel_asking_delegates(const struct answering *a, uint32_t *list)
{
    const struct shard *shard = a->shard;
    struct gpu_vertices n = vertices_of_search(a, NORMALS), d = vertices_of_search(a, DELEGATES);
    unsigned long long *listed = managed_zeros(sizeof *listed);
    struct gpu_missing missing = {.values = a->tables.values,
                                  .vertex = managed(a->tables.vertex, a->tables.values * sizeof *a->tables.vertex),
                                  .locals = shard->locals,
                                  .d = shard->d,
                                  .visited = d.visited,
                                  .parents = managed(NULL, (n.count + d.count) * a->tables.id_bytes),
                                  .id_bytes = a->tables.id_bytes,
                                  .list = managed(NULL, (shard->d + 1) * sizeof *missing.list),
                                  .listed = listed};
    write_parents(a, &n, &d, (void *)missing.parents, NULL, NULL);
    cuda_list_missing(&missing, 0);
    managed_settle();
    const uint64_t count = *listed;
    managed_finish(list, missing.list, count * sizeof *list);
    return count;
}

int kernel_reply_to_delegates(const struct replying_to_delegates *r, void *replies)
{
    unsigned int *bad = managed_zeros(sizeof *bad);
    void *there = managed(NULL, (r->count + 1) * r->id_bytes);
    cuda_reply_to_delegates(managed(r->delegates, r->count * sizeof *r->delegates), r->count,
                            managed(r->parents, r->shard->d * r->id_bytes), r->shard->d, r->id_bytes, there, bad, 0);
    managed_settle();
    const int good = *bad == 0;
    managed_finish(replies, there, r->count * r->id_bytes);
    return good;
}

int kernel_reply(const struct replying *r, void *replies)
{
    uint64_t locals = r->shard->locals, ids = locals + r->shard->d;
    unsigned int *bad = managed_zeros(sizeof *bad);
    struct gpu_replying g = {
        .questions = managed(r->questions, r->count * sizeof *r->questions),
        .count = r->count,
        .locals = {.count = locals,
                   .visited = managed(r->visited, mask_words(locals) * 8),
                   .depth = managed(r->depth, locals * 4)},
        .ids = managed(r->ids, ids * r->id_bytes),
        .id_bytes = r->id_bytes,
        .replies = managed(NULL, r->count * r->id_bytes),
        .bad = bad};
    cuda_reply(&g, 0);
    managed_settle();
    int good = *bad == 0;
    managed_finish(replies, g.replies, r->count * r->id_bytes);
    return good;
}

void kernel_take(const struct replying *r, const void *replies, void *to)
{
    uint32_t *askers = managed(NULL, (r->count + 1) * sizeof *askers);
    void *there = managed(to, r->count * r->id_bytes);
    for (uint64_t i = 0; i < r->count; i++)
        askers[i] = (uint32_t)i;
    cuda_take_replies(managed(replies, r->count * r->id_bytes), askers, r->count, r->id_bytes, there,
                      0);
    managed_settle();
    managed_finish(to, there, r->count * r->id_bytes);
}

/* the arrays that each shard shows; an array that nobody reads is missing */
static const struct gpu_shown *shown_by_all(const struct looking *l)
{
    uint64_t p = l->shard->p, locals = l->shard->locals, d = l->shard->d, words = 2 * mask_words(locals);
    struct gpu_shown *shown = managed(NULL, p * sizeof *shown);
    const char *ids = managed(l->ids, p * locals * l->id_bytes);
    const char *parents = managed(l->parents, p * d * l->id_bytes);
    const int32_t *depth = l->depth != NULL ? managed(l->depth, p * locals * 4) : NULL;
    const uint32_t *visited = l->depth != NULL ? managed(l->visited, p * words * 4) : NULL;
    const uint8_t *bytes = l->bytes != NULL ? managed(l->bytes, p * locals) : NULL;
    for (uint64_t s = 0; s < p; s++) {
        shown[s] = (struct gpu_shown){.parents = parents == NULL ? NULL : parents + s * d * l->id_bytes,
                                      .ids = ids == NULL ? NULL : ids + s * locals * l->id_bytes,
                                      .bytes = bytes == NULL ? NULL : bytes + s * locals,
                                      .depth = depth == NULL ? NULL : depth + s * locals,
                                      .visited = visited == NULL ? NULL : visited + s * words,
                                      .locals = s == l->shard->index ? locals : l->shown};
        if (l->by_residues && s != l->shard->index) {
            const struct gpu_vertices normals = {
                .count = locals, .visited = (uint32_t *)shown[s].visited, .depth = (int32_t *)shown[s].depth};
            uint32_t *residues = managed(NULL, (locals / 16 + 1) * sizeof *residues);
            cuda_write_residues(&normals, residues, 0);
            managed_settle();
            shown[s].residues = residues;
            shown[s].visited = NULL;
            shown[s].depth = NULL;
        }
    }
    return shown;
}

int kernel_look(const struct looking *l, void *to)
{
    const struct shard *shard = l->shard;
    size_t bytes = (shard->locals + shard->d) * l->id_bytes;
    unsigned int *bad = managed_zeros(sizeof *bad);
    unsigned long long count = l->count;
    struct gpu_looking looking = {.nn = *loaded_csr(shard, NN),
                                  .vertices = managed(l->list, l->count * sizeof *l->list),
                                  .count = managed(&count, sizeof count),
                                  .shown = shown_by_all(l),
                                  .p = shard->p,
                                  .own_shard = shard->index,
                                  .local_bits = shard->local_bits,
                                  .delegates = shard->d,
                                  .not_owned = managed(l->not_owned, mask_words(shard->d) * 8),
                                  .id_bytes = l->id_bytes,
                                  .to = managed(to, bytes),
                                  .bad = bad};
    cuda_look(&looking, 0);
    managed_settle();
    int good = *bad == 0;
    managed_finish(to, looking.to, bytes);
    return good;
}

_Static_assert((int)MOST_KEPT == (int)FUSED_MOST_KEPT, "as many levels as a search keeps");

int kernel_kept_depths(const struct kept_levels *k, uint8_t *bytes, int32_t *depth)
{
    size_t mask_bytes = mask_words(k->count) * 8;
    uint8_t *there = managed(NULL, k->shift + k->count), *both = managed(NULL, 2 * k->count + 1);
    struct fused_state *state = managed_zeros(sizeof *state);
    struct gpu_fused search = {.state = state};
    search.of[DELEGATES] = (struct gpu_vertices){.count = k->count,
                                                 .words = mask_bytes / 4,
                                                 .visited = managed(k->visited, mask_bytes),
                                                 .queue = managed(k->masks, k->kept * mask_bytes),
                                                 .depth = managed(k->depth, k->count * 4)};
    state->kept = k->kept;
    memcpy(state->kept_depth, k->kept_depth, sizeof k->kept_depth);
    search.of[NORMALS] = search.of[DELEGATES];
    cuda_fused_byte_depths(&search, DELEGATES, there + k->shift, 0);
    cuda_fused_all_byte_depths(&search, both, 0);
    uint8_t *nibbles = managed(NULL, 2 * mask_bytes * 4);
    if (k->levels <= NIBBLE_LEVELS)
        cuda_fused_nibble_depths(&search, nibbles, 0);
    managed_settle();
    cuda_fused_settle(&search, 0);
    managed_settle();
    if (k->count > 0)
        memcpy(depth, search.of[DELEGATES].depth, k->count * 4);
    int alike = both[2 * k->count] == 0;
    if (k->count > 0)
        alike &= memcmp(both, there + k->shift, k->count) == 0 && memcmp(both + k->count, both, k->count) == 0;
    for (uint64_t i = 0; k->levels <= NIBBLE_LEVELS && i < k->count; i++) {
        const uint64_t behind = mask_bytes * 8 + i;
        alike &= (nibbles[i / 2] >> i % 2 * 4 & 15) == both[i] && (nibbles[behind / 2] >> behind % 2 * 4 & 15) == both[i];
    }
    managed_finish(bytes, there + k->shift, k->count);
    return alike;
}

uint64_t kernel_window(const struct window_list *l, void *window)
{
    uint64_t listed;
    struct gpu_listing g = {.values = managed(l->values, l->count_values * l->held),
                            .width = l->width,
                            .bijection = *l->bijection,
                            .p = l->shard->p,
                            .own_shard = l->shard->index,
                            .first = l->first,
                            .count = l->count,
                            .blocks = managed(NULL, (l->count / LIST_BLOCK + 1) * sizeof *g.blocks),
                            .to = managed(NULL, l->count * l->width),
                            .index = managed(NULL, l->count),
                            .listed = managed_zeros(sizeof *g.listed)};
    cuda_list_values(&g, 0);
    managed_settle();
    listed = *g.listed;
    spread_list(&(struct value_list){.width = l->width, .blocks = g.blocks, .values = g.to, .index = g.index}, l->count, window);
    managed_finish(NULL, NULL, 0);
    return listed;
}

void kernel_narrow(const int32_t *depth, uint64_t count, uint32_t width, void *to)
{
    void *narrowed = managed(NULL, count * width);
    cuda_narrow_depths(managed(depth, count * 4), count, width, narrowed, 0);
    managed_settle();
    managed_finish(to, narrowed, count * width);
}
