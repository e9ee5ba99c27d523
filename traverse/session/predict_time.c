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

/* Levels are those of a random graph of this mean degree, the fewest that a graph can be expected to have. A deep graph has more, and
 * each costs several GPUs more than one, so that the error is on the side of several GPUs. */
double predicted_seconds(const struct manifest *m, uint32_t gpus)
{
    const double edges = (double)(m->edges[NN] + m->edges[ND] + m->edges[DN] + m->edges[DD]), nn = (double)m->edges[NN];
    const double vertices = fmin((double)m->totals.n, edges), degree = fmax(edges / fmax(vertices, 1), 2);
    const double levels = 2 + ceil(log(fmax(vertices, 1)) / log(degree));
    const int small = vertices / levels / gpus < rate(RATE_h200_small_level);
    if (gpus > 1)
        return levels * rate(small ? RATE_h200_peer_small_s : RATE_h200_peer_level_s) +
               (edges * rate(RATE_h200_edge_s) + nn * rate(RATE_h200_normal_edge_s)) / gpus + (double)m->d * rate(RATE_h200_delegate_s);
    if (SLICED_TAKES((uint64_t)vertices, (uint64_t)edges, SLICED_NEAR_VERTICES, SLICED_MOST_VERTICES))
        return 1e-9 * (sliced.start + (edges <= SLICED_ALL_EDGES ? levels * (sliced.whole_level + edges * sliced.whole_edge)
                                                                 : levels * sliced.rows_level + edges * sliced.whole_edge));
    return levels * rate(small ? RATE_h200_alone_small_s : RATE_h200_alone_level_s) + edges * rate(RATE_h200_edge_s) +
           nn * one_gpu.normal_edge;
}

int one_is_predicted_faster(const struct manifest *m, uint32_t gpus)
{
    return gpus == 1 || predicted_seconds(m, gpus) >= one_gpu.margin * predicted_seconds(m, 1);
}
