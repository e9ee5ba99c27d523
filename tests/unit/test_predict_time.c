/* test_predict_time.c: predicted times are within a quarter of those measured on H100 and H200 (rows of scripts/results/results.tsv), where
 * the graph's depth is that of a random one; and the faster number of GPUs is chosen where both were measured. */
#include "unit.h"

#include "traverse/session/predict_time.h"

#include <math.h>

/* Returns the manifest of a graph: its vertices, its directed edges, and the shares of edges in nn and of delegates. */
static struct manifest graph_of(double vertices, double edges, double nn, double delegates)
{
    struct manifest m = {.totals.n = (uint64_t)vertices, .d = (uint64_t)(delegates * vertices)};
    m.edges[NN] = (uint64_t)(nn * edges);
    m.edges[DD] = (uint64_t)(edges - nn * edges);
    return m;
}

static struct manifest rmat(int scale)
{
    return graph_of((double)(1 << scale), .95 * 32 * (double)(1 << scale), .03, .04);
}

/* A graph, the GPUs that searched it, and the time measured in microseconds; 0: it was not measured. */
struct measured {
    struct manifest graph;
    uint32_t gpus;
    double us;
};

/* Returns whether all are predicted to take what was measured, within a quarter. */
static int all_near(const struct measured *m, int count)
{
    int near = 1;
    for (int i = 0; i < count; i++)
        near &= fabs(1e6 * predicted_seconds(&m[i].graph, m[i].gpus) - m[i].us) < .25 * m[i].us;
    return near;
}

/* Returns whether one GPU is preferred, or with `one` 0 several, for all of these. */
static int all_prefer(int one, const struct measured *m, int count)
{
    int all = 1;
    for (int i = 0; i < count; i++)
        all &= one_is_predicted_faster(&m[i].graph, m[i].gpus) == one;
    return all;
}

int main(void)
{
    const struct manifest uniform22 = graph_of(1 << 22, 32.0 * (1 << 22), 1, 0), uniform24 = graph_of(1 << 24, 32.0 * (1 << 24), 1, 0);
    const struct manifest notredame = graph_of(325729, 2.2e6, 1, 0), road = graph_of(1070376, 2.7e6, 1, 0);
    const struct manifest grid = graph_of(16e6, 64e6, 1, 0);
    const struct measured alone[] = {{rmat(20), 1, 94}, {rmat(22), 1, 243}, {rmat(24), 1, 319}, {rmat(26), 1, 672},
                                     {uniform22, 1, 393}, {uniform24, 1, 890}};
    const struct measured several[] = {{rmat(26), 2, 606}, {rmat(27), 2, 781}, {rmat(28), 2, 1308}, {rmat(27), 4, 667},
                                       {rmat(28), 4, 965}, {uniform24, 2, 701}};
    const struct measured small[] = {{rmat(20), 2, 0}, {rmat(24), 2, 0}, {notredame, 2, 645}, {notredame, 4, 748}, {road, 4, 25579},
                                     {grid, 4, 102636}};
    const struct measured large[] = {{rmat(26), 2, 606}, {rmat(27), 4, 667}, {uniform24, 2, 701}, {uniform24, 4, 504}};
    const struct measured shared[] = {{rmat(28), 1, 0}};
    report(all_near(alone, 6), "one GPU: RMAT 20 to 26 and uniform 22 and 24 are predicted to take what they take, within a quarter");
    report(all_near(several, 6), "two and four GPUs: RMAT 26 to 28 and uniform 24 are predicted to take what they take, within a quarter");
    report(all_prefer(1, small, 6), "one GPU is preferred for small graphs and deep ones");
    report(all_prefer(0, large, 4), "several GPUs are preferred for large graphs of few levels");
    report(all_prefer(1, shared, 1), "one GPU is preferred where several shards would share it");
    return unit_result();
}
