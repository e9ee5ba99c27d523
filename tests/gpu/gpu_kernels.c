/* gpu_kernels.c: every CUDA kernel against its twin on the CPU, on random and adversarial inputs.
 *
 *   kernel (cuda_kernels.h)           twin                                          compared
 *   cuda_previsit, delegates          previsit_delegates, count_frontier_of,         masks, depths, list,
 *                                     count_forward (cpu_frontier.c)                fresh, q, FV
 *   cuda_previsit, normals            cpu_messages.receive, previsit_normals        the same
 *   cuda_fill_queue                gather_sources (cpu_frontier.c)               as sets
 *   cuda_count_forward                count_forward (cpu_frontier.c)                FV
 *   cuda_push, by rows, by edges      push_nn (cpu_push.c), push_sparse             found, parents, sent
 *                                     (cpu_sparse.c)
 *   cuda_pull_rows                    pull_subgraph (cpu_pull.c)                    found, parents
 *   cuda_bin                          the bins of push_nn (cpu_push.c),             multisets by shard
 *                                     cpu_finish
 *   cuda_unique                       unique_ids (unique.c)                         sets, mask cleared
 *   cuda_receive                      cpu_messages.receive                          found, parents, bad
 *   cuda_receive_mask                 cpu_messages.receive                          found, parents, bad
 *   cuda_or_mask                      cpu_masks.read                                masks
 *   cuda_frontier_update_count, _tell, _hear     the definition (test_messages.c)              messages, what is known
 *   cuda_list_words, cuda_or_words    the definition (test_messages.c)              sets, masks
 *   cuda_set_roots                    cpu_search.start                              mask, parent
 *   cuda_blank_unvisited              cpu_answers.read_depths                       depths
 *   cuda_write_depths,                cpu_answers.make_values (cpu_answers.c)       values
 *   cuda_write_parents,
 *   cuda_gather_values, cuda_count_stripes, _fill_stripes, _stripe_depths, _stripe_parents
 *   cuda_report_answer                the definition                                the word
 *   cuda_list_values                  cpu_answers.list_values (cpu_answers.c)       values of a window
 *   cuda_narrow_depths                cpu_answers.copy_narrowed (cpu_answers.c)     depths
 *   cuda_ask                          cpu_answers.ask (cpu_answers.c)               multisets by shard
 *   cuda_list_missing                 cpu_answers.ask (cpu_answers.c)               sets
 *   cuda_reply,                       cpu_answers.reply (cpu_answers.c)             replies, bad
 *   cuda_reply_to_delegates
 *   cuda_take_replies                 the definition                                ids
 *   cuda_look, cuda_write_residues    the definition                                ids, bad
 *   cuda_fused_byte_depths,            the definition                                depths
 *   cuda_fused_all_byte_depths,
 *   cuda_fused_nibble_depths,
 *   cuda_fused_settle
 *   cuda_sliced_count, _fill          the definition (test_slices.c)                slices, links, rows
 *   cuda_check_vertices, _isolated,   proof_check_ of the same name                 first offence,
 *   _rows, _edges, _parents           (graph500/proof_loops.c)                      marks
 *   cuda_write_ends, _gather_ends,    the definition                                values, marks
 *   _gather_claims, _mark
 *   cuda_decode                       packed_decode_all (formats/container/packed.c)          elements, bad
 *   cuda_copy_columns                 the definition                                columns
 *   cuda_find_faults                  csr_find_faults (formats/graph/shard_ranges.c)      faults, counts
 *   gpu_loader_copy                   memcpy                                        bytes
 *   cuda_publish                      memcpy, memset                                bytes
 *   cuda_scan_bytes                   gpu_merge_scratch_bound (cuda_limits.h)
 *
 * Usage: gpu_kernels [small|tiny [I/N]]. With `small` the largest graphs are left out; with `tiny` the larger ones have a
 * tenth of their vertices, or less, and so have long arrays of their elements, for an emulated GPU and for tools that slow
 * kernels down. I/N: part I of N, from 0, of the cases.
 *
 * A vertex may get any parent from which the visit could have found it. Files: steps.h and answer_steps.h
 * have the steps that both sides do; twin.c, kernels.c, answer_twin.c and answer_kernels.c do them, and
 * proof_by_kernels.c those of proof_steps.h; graphs.c makes the graphs.
 */
#include "checks.h"
#include "steps.h"
#include "tests.h"

#include <stdio.h>
#include <string.h>

int tiny;

enum { TH_SHORT = 16, TH_LONG = 100000 };

/* The columns are those of struct graph_spec. */
static const struct graph_spec graphs[] = {
    {"no vertices", 0, 0, 1, 0, ROWS_EMPTY, 0, 4, 4, TH_SHORT},
    {"no edges", 70, 200, 1, 0, ROWS_EMPTY, 2, 4, 4, TH_SHORT},
    {"one normal", 0, 1, 1, 0, ROWS_FULL, 1, 4, 4, TH_SHORT},
    {"one delegate", 1, 0, 1, 0, ROWS_FULL, 0, 8, 4, TH_SHORT},
    {"all delegates", 3001, 0, 1, 0, ROWS_SHORT, 2, 4, 4, TH_SHORT},
    {"no delegates", 0, 3001, 1, 0, ROWS_SHORT, 2, 4, 4, TH_SHORT},
    {"all edges", 97, 131, 1, 0, ROWS_FULL, 8, 8, 4, TH_LONG},
    {"all edges, 5 shards", 65, 129, 5, 2, ROWS_FULL, 0, 4, 8, TH_LONG},
    {"short rows", 20000, 50000, 1, 0, ROWS_SHORT, 0, 4, 4, TH_SHORT},
    {"short rows, k 1", 20001, 50001, 3, 1, ROWS_SHORT, 1, 8, 8, TH_SHORT},
    {"short rows, k 2", 20031, 50033, 2, 1, ROWS_SHORT, 2, 4, 4, TH_SHORT},
    {"short rows, k 8", 20063, 50065, 4, 0, ROWS_SHORT, 8, 8, 4, TH_LONG},
    {"cut-offs", 5000, 6000, 1, 0, ROWS_CUTOFFS, 0, 4, 4, TH_LONG},
    {"cut-offs, k 1", 5001, 6001, 2, 0, ROWS_CUTOFFS, 1, 8, 4, TH_LONG},
    {"cut-offs, k 2", 5002, 6002, 3, 2, ROWS_CUTOFFS, 2, 4, 8, TH_SHORT},
    {"cut-offs, k 8", 5003, 6003, 4, 1, ROWS_CUTOFFS, 8, 8, 8, TH_LONG},
    {"long rows", 5000, 5100, 4, 3, ROWS_LONG, 0, 4, 4, TH_LONG},
    {"long rows, k 2", 5000, 5100, 1, 0, ROWS_LONG, 2, 8, 4, TH_LONG},
    {"hubs among normals", 2000, 1050000, 1, 0, ROWS_HUB, 1, 8, 4, TH_SHORT},
    {"hubs among delegates", 1050000, 2000, 1, 0, ROWS_HUB, 2, 4, 4, TH_LONG},
    {"hubs, 4,096 shards", 1001, 2000, 4096, 4095, ROWS_HUB, 0, 8, 8, TH_LONG}};

/* The kernels that read rows, once more on packed rows. */
static void test_packed(const struct shard *shard, const struct graph_spec *spec, int looks)
{
    struct graph_spec packed = *spec;
    char name[128];
    snprintf(name, sizeof name, "%s, packed", spec->name);
    packed.name = name;
    kernel_use_packed(shard);
    test_copies(shard, &packed);
    test_visits(shard, &packed);
    test_previsits(shard, &packed);
    if (looks)
        test_look(shard, &packed);
    test_slices(shard, &packed);
    kernel_use(NULL);
}

/* The last vertex of shard 1 becomes the one whose code is 32 ones. Where codes have 8 bytes it is a vertex like others, and no
 * sign that there is none. */
static void test_32_ones(const struct shard *shard, const struct graph_spec *spec)
{
    const struct csr *nn = &shard->csr[NN];
    const uint64_t last = (UINT64_C(1) << shard->local_bits) + spec->locals - 1;
    struct graph_spec ones = *spec;
    char name[128];
    if (spec->nn_width != 8 || spec->p < 2 || spec->index == 1)
        return;
    for (uint64_t i = 0; i < csr_offset(nn, nn->rows); i++) {
        uint64_t *column = (uint64_t *)nn->columns + i;
        *column = *column == last ? UINT32_MAX : *column;
    }
    snprintf(name, sizeof name, "%s, a code of 32 ones", spec->name);
    ones.name = name;
    test_visits(shard, &ones);
    kernel_use(NULL);
}

/* If it is not tiny, thousands of shards look at each other's vertices, too, which takes an emulator 20 s. */
static void test_graph(const struct graph_spec *spec)
{
    const int looks = !tiny || spec->p < 1000;
    struct shard *shard = graph_make(spec);
    test_visits(shard, spec);
    test_previsits(shard, spec);
    test_arrivals(shard, spec);
    test_results(shard, spec);
    test_answers(shard, spec);
    if (looks) {
        test_look(shard, spec);
        test_proof(shard, spec);
    }
    test_columns(shard, spec);
    test_slices(shard, spec);
    test_ranges(shard, spec);
    kernel_use(NULL);
    test_packed(shard, spec, looks);
    test_32_ones(shard, spec);
    graph_free(shard);
}

/* Tests graphs of the size that the first argument names. */
static void test_sized(struct graph_spec spec, const char *size)
{
    while (tiny && spec.lengths != ROWS_HUB && spec.d + spec.locals > 5000) {
        spec.d /= 10;
        spec.locals /= 10;
    }
    if (tiny && spec.p > 1000)
        spec.locals /= 8;
    if ((tiny && spec.d + spec.locals <= 8000) || (strcmp(size, "small") == 0 && spec.lengths != ROWS_HUB) ||
        *size == '\0')
        test_graph(&spec);
}

static void test_rest(void)
{
    test_bins();
    test_unique();
    test_masks();
    test_news();
    test_listed_words();
    test_publish();
    test_load();
    test_decode();
    test_scratch();
    test_windows();
    test_kept_depths();
    test_proof_values();
}

int main(int argc, char **argv)
{
    const char *size = argc > 1 ? argv[1] : "";
    unsigned part = 0, parts = 1;
    tiny = strcmp(size, "tiny") == 0;
    if (argc > 2 && (sscanf(argv[2], "%u/%u", &part, &parts) != 2 || part >= parts))
        return 2;
    const char *missing = kernel_missing();
    if (missing != NULL) {
        printf("skip - no GPU: %s\n", missing);
        return 0;
    }
    for (size_t i = part; i < sizeof graphs / sizeof *graphs; i += parts)
        test_sized(graphs[i], size);
    if (part == 0)
        test_rest();
    return checks_result();
}
