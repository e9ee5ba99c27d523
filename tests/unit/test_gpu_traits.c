/* test_gpu_traits.c: rates and bounds of a GPU follow from what it says of itself, and those of an H200 are the measured ones */
#include "unit.h"

#include "traverse/cuda/device/cuda_traits.h"

#include "formats/limits.h"

static const struct gpu_traits *like(enum gpu_known gpu)
{
    return &gpu_traits_known[gpu];
}

/* Returns whether all rates are those of rates.def. */
static int are_measured(struct cost_rates rates)
{
    return 1
#define STEP(name, cpu, h200, bytes, unit, what) && rates.name == h200
#include "formats/rates.def"
        ;
}

static int are_of_h200(struct sliced_bounds b)
{
    return b.near_vertices == SLICED_NEAR_VERTICES && b.most_vertices == SLICED_MOST_VERTICES &&
           b.all_edges == SLICED_ALL_EDGES && b.word_price == 8;
}

static int near(double value, double wanted)
{
    return value > .99 * wanted && value < 1.01 * wanted;
}

int main(void)
{
    const uint64_t small = 1 << 20, large = UINT64_C(1) << 34; /* bytes of a graph */
    struct gpu_traits unknown = {.name = "unknown"};
    report(are_measured(gpu_rates(like(GPU_LIKE_h200), small)) && are_measured(gpu_rates(like(GPU_LIKE_h200), large)),
           "an H200 has the measured rates, whatever the size of the graph");
    report(are_measured(gpu_rates(like(GPU_LIKE_h100), large)), "an H100 has the rates of an H200, as measured there");
    report(are_measured(gpu_rates(&unknown, large)), "a GPU that tells nothing has the rates of an H200");
    report(are_of_h200(gpu_sliced_bounds(like(GPU_LIKE_h200))) && are_of_h200(gpu_sliced_bounds(&unknown)),
           "an H200, and a GPU that tells nothing, have the bounds of limits.h");

    const struct cost_rates near_l4 = gpu_rates(like(GPU_LIKE_l4), small), far_l4 = gpu_rates(like(GPU_LIKE_l4), large);
    report(near(near_l4.pull_row, 8 * 132. * 1980 / (58 * 2040)),
           "a graph in the cache of an L4 is searched by the clock of its multiprocessors");
    report(near(far_l4.pull_row, 20 / .3), "a graph in the memory of an L4 is searched by its bandwidth");
    report(far_l4.push_edge == near_l4.push_edge, "steps that take longer than their bytes are not slower in memory");
    report(near(near_l4.masks, 12e6 * 1980 / 2040), "barriers of an L4 take what its clock says");
    report(far_l4.hubs == 2 && far_l4.hubs_most == 8, "numbers without a unit are not scaled");
    report(gpu_rates(like(GPU_LIKE_b200), large).push_edge < 11, "a B200 takes less for its work than an H200");

    const struct sliced_bounds a100 = gpu_sliced_bounds(like(GPU_LIKE_a100)), l4 = gpu_sliced_bounds(like(GPU_LIKE_l4)),
                               t4 = gpu_sliced_bounds(like(GPU_LIKE_t4)), b200 = gpu_sliced_bounds(like(GPU_LIKE_b200));
    report(a100.near_vertices == 8 * (166912 - 33792) && l4.near_vertices == 8 * (101376 - 33792) &&
               t4.near_vertices == 8 * (65536 - 33792),
           "visited bits fill the shared memory of a block of an A100, L4 and T4");
    report(near((double)l4.most_vertices / (double)l4.near_vertices, (double)SLICED_MOST_VERTICES / SLICED_NEAR_VERTICES),
           "the share of visited bits in shared memory is at least that of an H200");
    report(b200.near_vertices == SLICED_NEAR_VERTICES && b200.all_edges == SLICED_ALL_EDGES, "a B200 goes no further than an H200");
    report(near((double)t4.all_edges, SLICED_ALL_EDGES * 40 * 1590. / (132 * 1980)), "levels of a T4 read all edges of fewer edges");
    report(near(t4.word_price, 8 * 40 / 132.), "words that each block reads are cheaper beside slices where blocks are few");
    unknown.shared_bytes = 48 << 10;
    report(gpu_sliced_bounds(&unknown).near_vertices > 0, "48 KiB of shared memory hold some visited bits");
    unknown.shared_bytes = 32 << 10;
    report(gpu_sliced_bounds(&unknown).most_vertices == 0, "with 32 KiB nothing is searched by slices");
    return unit_result();
}
