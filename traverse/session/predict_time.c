/* predict_time.c: predicts the time of a search from the manifest; see predict_time.h. Rates stand in formats/rates.def. */
#include "predict_time.h"

#include "formats/limits.h"

#include <math.h>
#include <stdlib.h>

enum model_rate {
#define MODEL(machine, name, value, unit, what) RATE_##machine##_##name,
#include "formats/rates.def"
    MODEL_RATES
};

/* The value of each rate, which the least and the most of its band may follow. */
static const char *const model_value[MODEL_RATES] = {
#define MODEL(machine, name, value, unit, what) #value,
#include "formats/rates.def"
};

/* Returns a rate: the first of its numbers, without the band behind it. */
static double rate(enum model_rate name)
{
    return strtod(model_value[name], NULL);
}

static const struct {
#define TH_SLICED(name, value, unit, what) double name;
#include "formats/rates.def"
} sliced = {
#define TH_SLICED(name, value, unit, what) .name = value,
#include "formats/rates.def"
};

static const struct {
#define ONE_GPU(name, value, unit, what) double name;
#include "formats/rates.def"
} one_gpu = {
#define ONE_GPU(name, value, unit, what) .name = value,
#include "formats/rates.def"
};

/* The sizes of a graph by which searches are predicted. */
struct sizes {
    double vertices, edges, nn, delegates; /* at most as many vertices as edges, since others have none */
    double levels;
};

/* Levels are those of a random graph of this mean degree, the fewest that a graph can be expected to have. A deep graph has more, and
 * each costs several GPUs more than one, so that the error is on the side of several GPUs. */
static struct sizes sizes_of(const struct manifest *m)
{
    struct sizes g = {.edges = (double)(m->edges[NN] + m->edges[ND] + m->edges[DN] + m->edges[DD]), .nn = (double)m->edges[NN],
                      .delegates = (double)m->d};
    g.vertices = fmin((double)m->totals.n, g.edges);
    g.levels = 2 + ceil(log(fmax(g.vertices, 1)) / log(fmax(g.edges / fmax(g.vertices, 1), 2)));
    return g;
}

/* Returns whether levels find so few vertices on each GPU that they go by lists. */
static int has_small_levels(const struct sizes *g, uint32_t gpus)
{
    return g->vertices / g->levels / gpus < rate(RATE_h200_small_level);
}

/* Returns the seconds of a search by several GPUs that read each other's memory. */
static double several_seconds(const struct sizes *g, uint32_t gpus)
{
    const double level = rate(has_small_levels(g, gpus) ? RATE_h200_peer_small_s : RATE_h200_peer_level_s);
    return g->levels * level + (g->edges * rate(RATE_h200_edge_s) + g->nn * rate(RATE_h200_normal_edge_s)) / gpus +
           g->delegates * rate(RATE_h200_delegate_s);
}

/* Returns the seconds of a sliced search by one GPU, whose rates are in nanoseconds. */
static double sliced_seconds(const struct sizes *g)
{
    const double all = g->edges * sliced.whole_edge;
    const double levels = g->edges <= SLICED_ALL_EDGES ? g->levels * (sliced.whole_level + all) : g->levels * sliced.rows_level + all;
    return 1e-9 * (sliced.start + levels);
}

/* Returns the seconds of a fused search by one GPU. */
static double fused_seconds(const struct sizes *g)
{
    const double level = rate(has_small_levels(g, 1) ? RATE_h200_alone_small_s : RATE_h200_alone_level_s);
    return g->levels * level + g->edges * rate(RATE_h200_edge_s) + g->nn * one_gpu.normal_edge;
}

/* Predicts the seconds of a search by so many GPUs, or by one that has all shards joined. */
double predicted_seconds(const struct manifest *m, uint32_t gpus)
{
    const struct sizes g = sizes_of(m);
    if (gpus > 1)
        return several_seconds(&g, gpus);
    return SLICED_TAKES((uint64_t)g.vertices, (uint64_t)g.edges, SLICED_NEAR_VERTICES, SLICED_MOST_VERTICES) ? sliced_seconds(&g)
                                                                                                           : fused_seconds(&g);
}

int one_is_predicted_faster(const struct manifest *m, uint32_t gpus)
{
    return gpus == 1 || predicted_seconds(m, gpus) >= one_gpu.margin * predicted_seconds(m, 1);
}
