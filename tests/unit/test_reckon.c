/* test_reckon.c: reckoned times are within a quarter of those measured on H100 and H200 (rows of scripts/results/results.tsv), where
 * the graph's depth is that of a random one; and the faster number of GPUs is chosen where both were measured. */
#include "unit.h"

#include "traverse/session/reckon.h"

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

static int is_near(double reckoned_s, double measured_us)
{
    return 1e6 * reckoned_s > .75 * measured_us && 1e6 * reckoned_s < 1.25 * measured_us;
}

int main(void)
{
    const struct manifest rmat20 = rmat(20), rmat22 = rmat(22), rmat24 = rmat(24), rmat26 = rmat(26), rmat27 = rmat(27), rmat28 = rmat(28);
    const struct manifest uniform22 = graph_of(1 << 22, 32.0 * (1 << 22), 1, 0), uniform24 = graph_of(1 << 24, 32.0 * (1 << 24), 1, 0);
    const struct manifest notredame = graph_of(325729, 2.2e6, 1, 0), road = graph_of(1070376, 2.7e6, 1, 0), grid = graph_of(16e6, 64e6, 1, 0);
    report(is_near(reckon_seconds(&rmat20, 1), 94) && is_near(reckon_seconds(&rmat22, 1), 243) && is_near(reckon_seconds(&rmat24, 1), 319) &&
               is_near(reckon_seconds(&rmat26, 1), 672) && is_near(reckon_seconds(&uniform22, 1), 393) && is_near(reckon_seconds(&uniform24, 1), 890),
           "one GPU: RMAT 20 to 26 and uniform 22 and 24 are reckoned to take what they take, within a quarter");
    report(is_near(reckon_seconds(&rmat26, 2), 606) && is_near(reckon_seconds(&rmat27, 2), 781) && is_near(reckon_seconds(&rmat28, 2), 1308) &&
               is_near(reckon_seconds(&rmat27, 4), 667) && is_near(reckon_seconds(&rmat28, 4), 965) && is_near(reckon_seconds(&uniform24, 2), 701),
           "two and four GPUs: RMAT 26 to 28 and uniform 24 are reckoned to take what they take, within a quarter");
    report(reckon_prefers_one(&rmat20, 2) && reckon_prefers_one(&rmat24, 2) && reckon_prefers_one(&notredame, 2) &&
               reckon_prefers_one(&notredame, 4) && reckon_prefers_one(&road, 4) && reckon_prefers_one(&grid, 4),
           "one GPU is preferred for small graphs and deep ones");
    report(!reckon_prefers_one(&rmat26, 2) && !reckon_prefers_one(&rmat27, 4) && !reckon_prefers_one(&uniform24, 2) &&
               !reckon_prefers_one(&uniform24, 4), "several GPUs are preferred for large graphs of few levels");
    report(reckon_prefers_one(&rmat28, 1), "one GPU is preferred where several shards would share it");
    return unit_result();
}
