/* tests.h: the tests of gpu_kernels, by kernel family */
#ifndef DBFS_TESTS_GPU_TESTS_H
#define DBFS_TESTS_GPU_TESTS_H

#include "graphs.h"

/* Nonzero: sizes are for an emulated GPU, which takes seconds where a GPU takes milliseconds. */
extern int tiny;

/* The elements of an array, of which a long one is shorter then. The number stays odd. */
static inline uint64_t elements_of(uint64_t count)
{
    return tiny && count >= 40000 ? count / 10 | 1 : count;
}

/* The number of random changes that are tried. */
static inline int changes_of(int count)
{
    return tiny ? (count + 3) / 4 : count;
}

/* Tests that take a graph. */
void test_visits(const struct shard *shard, const struct graph_spec *spec);
void test_previsits(const struct shard *shard, const struct graph_spec *spec);
void test_arrivals(const struct shard *shard, const struct graph_spec *spec);
void test_results(const struct shard *shard, const struct graph_spec *spec);
void test_answers(const struct shard *shard, const struct graph_spec *spec);
void test_look(const struct shard *shard, const struct graph_spec *spec);
void test_proof(const struct shard *shard, const struct graph_spec *spec);
void test_columns(const struct shard *shard, const struct graph_spec *spec);

/* Copies of columns, of a shard that is loaded packed. */
void test_copies(const struct shard *shard, const struct graph_spec *spec);
void test_slices(const struct shard *shard, const struct graph_spec *spec);
void test_ranges(const struct shard *shard, const struct graph_spec *spec);

/* Tests that have inputs of their own. */
void test_bins(void);
void test_unique(void);
void test_masks(void);
void test_news(void);
void test_listed_words(void);
void test_publish(void);
void test_load(void);
void test_decode(void);
void test_scratch(void);
void test_windows(void);
void test_kept_depths(void);
void test_proof_values(void);

#endif
