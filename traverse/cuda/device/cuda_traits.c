/* cuda_traits.c: rates and bounds of a GPU, from those of an H200; see cuda_traits.h */
#include "cuda_traits.h"

#include "cuda_limits.h"

#include "formats/base/arith.h"

#include <string.h>

const struct gpu_traits gpu_traits_known[GPU_KNOWN] = {
#define GPU(name, capability, processors, clock_hz, bytes_s, cache_bytes, shared_bytes, threads, memory_bytes) \
    {#name, capability, processors, clock_hz, bytes_s, cache_bytes, shared_bytes},
#include "formats/rates.def"
};

/* How much longer a GPU takes than an H200 for a barrier of its blocks (`level`), and for a step of which it does many at a time
 * in its caches (`work`). */
struct gpu_scale {
    double level, work;
};

/* Returns the scale of the GPU. Barriers wait for the multiprocessors' clock. Work is shared by all multiprocessors. */
static struct gpu_scale scale_of(const struct gpu_traits *traits)
{
    const struct gpu_traits *h200 = &gpu_traits_known[GPU_LIKE_h200];
    const double level = traits->clock_hz > 0 ? h200->clock_hz / traits->clock_hz : 1;
    return (struct gpu_scale){level, traits->processors > 0 ? level * h200->processors / traits->processors : 1};
}

/* Returns the rate of a step on the GPU. `rate`, `bytes` and `unit` are those of its row in rates.def: a pure number and steps of the
 * link stay, "ps" alone is the time of barriers, and all else is work. `bytes_s`: bandwidth, or 0 if the bytes come from the cache. */
static double scaled_rate(double rate, double bytes, const char *unit, struct gpu_scale scale, double bytes_s)
{
    if (strcmp(unit, "times") == 0 || strstr(unit, "over the link") != NULL)
        return rate;
    if (strcmp(unit, "ps") == 0)
        return rate * scale.level;
    const double work = rate * scale.work, moved = bytes_s > 0 ? 1e12 * bytes / bytes_s : 0;
    return rate > 0 && moved > work ? moved : work;
}

struct cost_rates gpu_rates(const struct gpu_traits *traits, uint64_t graph_bytes)
{
    const struct gpu_scale scale = scale_of(traits);
    const double bytes_s = graph_bytes > traits->cache_bytes ? traits->bytes_s : 0;
    return (struct cost_rates){
#define STEP(name, cpu, h200, bytes, unit, what) .name = scaled_rate(h200, bytes, unit, scale, bytes_s),
#include "formats/rates.def"
    };
}

/* If shared memory holds no more than what a block needs besides visited bits, nothing is searched by slices. */
struct sliced_bounds gpu_sliced_bounds(const struct gpu_traits *traits)
{
    enum {
#define SLICED_WAY(name, value, unit, what) name = value,
#include "formats/rates.def"
    };
    const struct gpu_traits *h200 = &gpu_traits_known[GPU_LIKE_h200];
    const uint64_t shared = traits->shared_bytes > 0 ? traits->shared_bytes : h200->shared_bytes, near = SLICED_NEAR_VERTICES,
                   fitting = shared > SLICED_BLOCK_BYTES ? 8 * (shared - SLICED_BLOCK_BYTES) : 0;
    const double slower = scale_of(traits).work;
    struct sliced_bounds bounds = {.near_vertices = near,
                                   .most_vertices = SLICED_MOST_VERTICES,
                                   .all_edges = SLICED_ALL_EDGES,
                                   .word_price = WORD_PRICE};
    if (fitting < near) {
        bounds.near_vertices = fitting;
        bounds.most_vertices = (uint64_t)((double)SLICED_MOST_VERTICES * (double)bounds.near_vertices / (double)near);
    }
    if (slower > 1)
        bounds.all_edges = (uint64_t)((double)bounds.all_edges / slower);
    if (traits->processors > 0)
        bounds.word_price *= (float)traits->processors / (float)h200->processors;
    return bounds;
}

void gpu_traits_print(FILE *out, const struct gpu_traits *traits)
{
    const struct gpu_scale scale = scale_of(traits);
    fprintf(out, "%s (%d.%d): %d processors, %.0f MHz, %.2f TB/s, %.0f MiB of cache, %.0f KiB of shared memory a block; rates of an H200, ",
            traits->name, traits->capability / 10, traits->capability % 10, traits->processors, 1e-6 * traits->clock_hz,
            1e-12 * traits->bytes_s, (double)traits->cache_bytes / (1 << 20), (double)traits->shared_bytes / 1024);
    if (scale.level == 1 && scale.work == 1)
        fputs("as measured", out);
    else
        fprintf(out, "scaled: barriers x %.2f, work x %.2f", scale.level, scale.work);
}
