/* test_proof.c: the proof of trees, by kernels and by their twins */
#include "checks.h"
#include "proof_steps.h"
#include "steps.h"
#include "tests.h"

#include "traverse/engine/engine.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- inputs ---- */

enum faults { FAULTS_NONE, FAULTS_ONE, FAULTS_FEW, FAULTS_ALL };
static const char *const faults_name[] = {"no", "one", "few", "all"};

/* Vertices of both kinds, with depths and claims as a search may leave them or not. */
struct proof_input {
    struct vertex_end *end[VERTEX_KINDS];
    int64_t *claim[VERTEX_KINDS];
    uint64_t count[VERTEX_KINDS];
    int64_t root;
};

static int is_faulty(enum faults faults, uint64_t i, uint64_t count, uint64_t *random)
{
    uint64_t r = next_random(random);
    return faults == FAULTS_ONE ? i == count / 3
                                : faults == FAULTS_FEW ? r % 1024 == 0 : faults == FAULTS_ALL && r % 2;
}

/* Ids are distinct and in no order. Without faults normals have depth 3 and delegates 2, and all claim the same
 * id, which no vertex has. */
static void make_input(struct proof_input *in, const struct shard *shard, enum faults faults,
                       uint64_t seed)
{
    uint64_t vertices = shard->locals + shard->d, random = seed, number = 0;
    uint64_t odd = 2 * (next_random(&random) % (vertices + 1)) + 1, bits = 1;
    while (UINT64_C(1) << bits < vertices)
        bits++;
    *in = (struct proof_input){.root = 1 << 30};
    for (int kind = NORMALS; kind < VERTEX_KINDS; kind++) {
        uint64_t count = vertices_of(shard, (enum vertex_kind)kind);
        in->count[kind] = count;
        in->end[kind] = need_memory(count * sizeof **in->end);
        in->claim[kind] = need_memory(count * sizeof **in->claim);
        for (uint64_t i = 0; i < count; i++, number++) {
            int64_t id = (int64_t)(number * odd & ((UINT64_C(1) << bits) - 1));
            in->end[kind][i] = (struct vertex_end){id, kind == NORMALS ? 3 : 2};
            in->claim[kind][i] = in->root;
            if (is_faulty(faults, i, count, &random)) {
                in->end[kind][i].depth = (int64_t)(next_random(&random) % 6) - 1;
                in->claim[kind][i] = (int64_t)(next_random(&random) % (vertices + 2)) - 1;
            }
        }
    }
}

/* Each row of a subgraph claims one of its columns on the same shard. */
static void claim_columns(int64_t *claim, const struct proved_rows *rows, uint64_t seed)
{
    uint64_t random = seed;
    for (uint64_t i = 0; rows->csr->edges > 0 && i < rows->csr->rows; i++) {
        uint64_t length = csr_row_length(rows->csr, i);
        if (length == 0)
            continue;
        uint64_t to = csr_destination(rows->csr, i, next_random(&random) % length);
        if (to >> rows->local_bits == rows->own_shard)
            claim[i] = rows->columns[to & ((UINT64_C(1) << rows->local_bits) - 1)].id;
    }
}

static void free_input(struct proof_input *in)
{
    for (int kind = NORMALS; kind < VERTEX_KINDS; kind++) {
        free(in->end[kind]);
        free(in->claim[kind]);
    }
}

static struct proved_vertices vertices_with(const struct proof_input *in, enum vertex_kind kind,
                                            uint32_t *parent_seen)
{
    return (struct proved_vertices){in->end[kind], in->claim[kind], parent_seen, in->count[kind]};
}

/* ---- comparisons ---- */

static void compare_offences(const struct offence *kernel, const struct offence *twin)
{
    char a[160], b[160];
    offence_print(kernel, /* base */ 0, a, sizeof a);
    offence_print(twin, /* base */ 0, b, sizeof b);
    check_that(kernel->kind == twin->kind && strcmp(a, b) == 0, "\"%s\", not \"%s\"", a, b);
}

struct both {
    uint32_t *kernel, *twin; /* masks */
    size_t bytes;
};

static struct both make_masks(uint64_t bits)
{
    size_t bytes = mask_words(bits) * 8;
    return (struct both){need_memory(bytes), need_memory(bytes), bytes};
}

static void compare_masks(struct both *masks)
{
    check_that(memcmp(masks->kernel, masks->twin, masks->bytes) == 0, "marks differ");
    free(masks->kernel);
    free(masks->twin);
}

/* ---- checks ---- */

static void run_vertices(const struct shard *shard, enum faults faults)
{
    struct proof_input in;
    make_input(&in, shard, faults, 11);
    for (int kind = NORMALS; kind < VERTEX_KINDS; kind++) {
        struct offence kernel = {0}, twin = {0};
        struct both parent_seen = make_masks(in.count[kind]);
        struct proved_vertices v = vertices_with(&in, (enum vertex_kind)kind, parent_seen.kernel);
        int64_t root = v.count > 0 ? v.end[v.count / 2].id : 0;
        check_input("%s faults, kind %d", faults_name[faults], kind);
        kernel_check_vertices(&v, root, &kernel);
        proof_check_vertices(&v, root, &twin);
        compare_offences(&kernel, &twin);
        memset(parent_seen.kernel, 0x5a, parent_seen.bytes);
        memset(parent_seen.twin, 0x5a, parent_seen.bytes);
        kernel = twin = (struct offence){0};
        kernel_check_parents(&v, root, &kernel);
        v.parent_seen = parent_seen.twin;
        proof_check_parents(&v, root, &twin);
        compare_offences(&kernel, &twin);
        compare_masks(&parent_seen);
    }
    free_input(&in);
}

static void run_rows(const struct shard *shard, enum subgraph g, enum faults faults, int claims)
{
    struct proof_input in;
    struct offence kernel = {0}, twin = {0};
    make_input(&in, shard, faults, 5 + g);
    struct both parent_seen = make_masks(in.count[subgraph_rows(g)]);
    struct proved_rows rows = {.csr = &shard->csr[g],
                               .rows = vertices_with(&in, subgraph_rows(g), parent_seen.kernel),
                               .columns = in.end[subgraph_columns(g)],
                               .local_bits = g == NN ? shard->local_bits : NO_SHARD_BITS,
                               .own_shard = g == NN ? shard->index : 0};
    if (claims)
        claim_columns(in.claim[subgraph_rows(g)], &rows, 17);
    check_input("%s, %s faults, claims %d", subgraph_name[g], faults_name[faults], claims);
    kernel_check_rows(&rows, in.count[subgraph_columns(g)], &kernel);
    rows.rows.parent_seen = parent_seen.twin;
    proof_check_rows(&rows, &twin);
    compare_offences(&kernel, &twin);
    compare_masks(&parent_seen);
    free_input(&in);
}

static void run_edges(const struct shard *shard, enum faults faults)
{
    struct proof_input in;
    struct offence kernel = {0}, twin = {0};
    uint64_t random = 23, locals = shard->locals, count = 3 * locals + 1;
    make_input(&in, shard, faults, 3);
    uint32_t *asker = need_memory(count * sizeof *asker);
    struct vertex_end *other = need_memory(count * sizeof *other);
    for (uint64_t i = 0; i < count; i++) {
        asker[i] = (uint32_t)(next_random(&random) % locals);
        other[i] = in.end[NORMALS][next_random(&random) % locals];
    }
    struct both parent_seen = make_masks(locals);
    struct proved_vertices v = vertices_with(&in, NORMALS, parent_seen.kernel);
    check_input("%s faults, %" PRIu64 " edges", faults_name[faults], count);
    kernel_check_edges(&v, asker, other, count, &kernel);
    v.parent_seen = parent_seen.twin;
    proof_check_edges(&v, asker, other, count, &twin);
    compare_offences(&kernel, &twin);
    compare_masks(&parent_seen);
    free(asker);
    free(other);
    free_input(&in);
}

/* Values of shard 2 of 3 whose ids are permuted but for the last, or of the only shard. */
static void run_isolated(uint32_t id_bytes, enum mask_kind has_edges, int claims, int several)
{
    struct offence kernel = {0}, twin = {0};
    uint64_t random = 31, count = 70001;
    void *claim = need_memory(count * id_bytes);
    uint64_t *mask = mask_make(count, has_edges, &random);
    struct proved_values values = {.claim = claim,
                                   .id_bytes = id_bytes,
                                   .has_edges = (uint32_t *)(void *)mask,
                                   .count = count,
                                   .p = several ? 3 : 1,
                                   .shard = several ? 2 : 0};
    if (several)
        bijection_init(&values.bijection, 3 * count - 100, 7);
    for (uint64_t i = 0; i < count; i++)
        answer_set_id(claim, id_bytes, i, claims && next_random(&random) % 9999 == 0 ? 7 : -1);
    check_input("%u bytes, with edges %s, claims %d, several shards %d", id_bytes, mask_kind_name[has_edges], claims, several);
    kernel_check_isolated(&values, proved_id(&values, 5003), &kernel);
    proof_check_isolated(&values, proved_id(&values, 5003), &twin);
    compare_offences(&kernel, &twin);
    check_that(has_edges != MASK_NONE || twin.kind != OFFENCE_NONE, "a root without edges that has no parent passes");
    free(claim);
    free(mask);
}

/* ---- values ---- */

static void compare_moved(const struct proof_moves *m, const struct proof_moved *out)
{
    for (uint64_t i = 0; i < m->count; i++) {
        uint32_t n = m->numbers[i];
        int64_t id = answer_id(m->ids, m->id_bytes, i), there = answer_id(m->ids, m->id_bytes, n);
        int is_here = i < m->count / 2;
        check_that(out->end[i].id == id && out->end[i].depth == m->depth[i], "end %" PRIu64, i);
        check_that(out->gathered_end[i].id == there && out->gathered_end[i].depth == m->depth[n],
                   "the end that is gathered at %" PRIu64, i);
        check_that(out->gathered_claim[i] == (is_here ? there : CLAIM_ELSEWHERE), "the claim at %" PRIu64, i);
        check_that((int)(out->marked[n / 32] >> (n % 32) & 1) == is_here, "mark %" PRIu64, i);
    }
}

static void run_move(uint32_t id_bytes, uint64_t count)
{
    uint64_t random = 41 + count;
    struct proof_moved out = {need_memory(count * sizeof *out.end), need_memory(count * sizeof *out.end),
                              need_memory(count * 8), need_memory(mask_words(count) * 8)};
    void *ids = need_memory(count * id_bytes);
    int32_t *depth = need_memory(count * 4);
    uint32_t *numbers = need_memory(count * 4), *places = need_memory(count * 4);
    for (uint64_t i = 0; i < count; i++) {
        answer_set_id(ids, id_bytes, i, (int64_t)(next_random(&random) >> (id_bytes == 4 ? 33 : 17)));
        depth[i] = (int32_t)(next_random(&random) % 9) - 1;
        numbers[i] = (uint32_t)((i * 7919) % count);
        places[i] = i < count / 2 ? numbers[i] : VALUE_ELSEWHERE;
    }
    struct proof_moves m = {ids, id_bytes, depth, numbers, places, count};
    check_input("%" PRIu64 " vertices, ids of %u bytes", count, id_bytes);
    kernel_move(&m, &out);
    compare_moved(&m, &out);
    free(ids);
    free(depth);
    free(numbers);
    free(places);
    free(out.end);
    free(out.gathered_end);
    free(out.gathered_claim);
    free(out.marked);
}

/* ---- complete proofs ---- */

void test_proof(const struct shard *shard, const struct graph_spec *spec)
{
    check_begin();
    for (int faults = FAULTS_NONE; faults <= FAULTS_ALL; faults++)
        run_vertices(shard, (enum faults)faults);
    check_end("cuda_check_vertices, cuda_check_parents: %s", spec->name);
    check_begin();
    for (int g = NN; g < SUBGRAPHS; g++) {
        for (int faults = FAULTS_NONE; faults <= FAULTS_ALL; faults++) {
            for (int claims = 0; claims <= 1; claims++) {
                if (!tiny || (g + faults) % 2 == claims) /* else each fault meets claims in every other subgraph */
                    run_rows(shard, (enum subgraph)g, (enum faults)faults, claims);
            }
        }
    }
    check_end("cuda_check_rows: %s", spec->name);
    check_begin();
    for (int faults = FAULTS_NONE; shard->locals > 0 && faults <= FAULTS_ALL; faults++)
        run_edges(shard, (enum faults)faults);
    check_end("cuda_check_edges: %s", spec->name);
}

void test_proof_values(void)
{
    static const uint64_t counts[] = {0, 1, 31, 257, 100003}; /* none has the factor 7919 */
    check_begin();
    for (int i = 0; i < 5; i++) {
        run_move(4, counts[i]);
        run_move(8, counts[i]);
    }
    check_end("cuda_write_ends, cuda_gather_ends, cuda_gather_claims, cuda_mark");
    check_begin();
    for (int has_edges = MASK_NONE; has_edges <= MASK_ALL; has_edges++) {
        for (int i = 0; i < 4; i++)
            run_isolated(i < 2 ? 4 : 8, (enum mask_kind)has_edges, i % 2, (i + has_edges) % 2);
    }
    check_end("cuda_check_isolated");
}
