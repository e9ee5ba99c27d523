/* growth.c: see growth.h */
#include "growth.h"

/* A level that finds fewer vertices is the last one. */
static const double least_found = 0.5;

/* In a planar graph, each level has this many vertices more than the level before, as circles in a grid do. */
static const double circle_growth = 4;

/* Sums up the frontier and the unvisited vertices over all degrees. */
static void sum_up(struct growth *g)
{
    g->frontier = g->unvisited = (struct vertex_sum){0};
    for (uint64_t i = 0; i < g->count; i++) {
        double degree = (double)g->degrees[i].degree;
        g->frontier.vertices += g->fresh[i];
        g->frontier.ends += g->fresh[i] * degree;
        g->unvisited.vertices += g->left[i];
        g->unvisited.ends += g->left[i] * degree;
    }
}

/* Begins a search at an average vertex; returns 0 if no vertex has an edge. */
int growth_start(struct growth *g)
{
    g->all = (struct vertex_sum){0};
    g->depth = 0;
    for (uint64_t i = 0; i < g->count; i++) {
        const struct degree_count *d = &g->degrees[i];
        g->left[i] = d->degree > 0 ? (double)d->vertices : 0;
        g->all.vertices += g->left[i];
        g->all.ends += g->left[i] * (double)d->degree;
    }
    if (!(g->all.vertices > 0))
        return 0;
    for (uint64_t i = 0; i < g->count; i++) {
        g->fresh[i] = g->left[i] / g->all.vertices;
        g->left[i] -= g->fresh[i];
    }
    sum_up(g);
    return 1;
}

/* Sets below[r] to the sums of this level over vertices of degree up to the TH of row r. */
void growth_sums(const struct growth *g, const struct sweep_row *row, uint64_t rows, struct growth_below *below)
{
    struct growth_below sum = {.frontier = {0, 0}, .left = {0, 0}};
    uint64_t i = 0;
    for (uint64_t r = 0; r < rows; r++) {
        for (; i < g->count && g->degrees[i].degree <= row[r].th; i++) {
            double degree = (double)g->degrees[i].degree;
            sum.frontier.vertices += g->fresh[i];
            sum.frontier.ends += g->fresh[i] * degree;
            sum.left.vertices += g->left[i];
            sum.left.ends += g->left[i] * degree;
        }
        below[r] = sum;
    }
}

static double power(double base, uint64_t exponent)
{
    double result = 1;
    for (; exponent > 0; exponent >>= 1, base *= base) {
        if (exponent & 1)
            result *= base;
    }
    return result;
}

/* Returns the share of the unused edge ends that edges of the frontier meet. Of each vertex except the root, one edge leads
 * back and meets none. */
static double met_share(const struct growth *g)
{
    double onwards = g->frontier.ends - (g->depth > 0 ? g->frontier.vertices : 0);
    double unused = g->unvisited.ends + onwards;
    double circle = g->frontier.vertices + circle_growth;
    double met = g->planar && circle < onwards ? circle : onwards;
    return unused > 0 && met < unused ? met / unused : 1;
}

/* Goes on to the next level; returns 0 if nothing is found any more. */
int growth_next(struct growth *g)
{
    double missed = 1 - met_share(g), stays = 1;
    uint64_t degree = 0;
    for (uint64_t i = 0; i < g->count; i++) {
        stays *= power(missed, g->degrees[i].degree - degree);
        degree = g->degrees[i].degree;
        g->fresh[i] = g->left[i] * (1 - stays);
        g->left[i] *= stays;
    }
    g->depth++;
    sum_up(g);
    return g->frontier.vertices >= least_found;
}
