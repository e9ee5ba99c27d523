/* cuda_unique.cu: drops duplicates among vertices for one shard; see cuda_kernels.h and its twin, unique.c
 *
 * Ids become bits of a mask (option U of Pan et al., section V-B). If the list is shorter than the mask, the first id
 * to set a bit is kept, and takes it back later; otherwise the bits become ids again. Bytes moved: 8 to read an id and
 * look at its word, and 4 to write one that is kept; for a short list 12 more for that, for others, for each vertex of
 * the shard, 1/8 if its word stays zero, at most 1/4 otherwise.
 */
#include "traverse/cuda/device/cuda_common.cuh"

/* Puts kept ids back and clears their words of the mask, whose bits all belong to kept ids. */
static void put_back(uint32_t *ids, uint64_t count, const gpu_seen &seen, const unsigned long long *kept, cudaStream_t stream)
{
    each(count, stream, [=] __device__(uint64_t i) {
        if (i < *kept) {
            ids[i] = seen.kept[i];
            seen.mask[seen.kept[i] / 32] = 0;
        }
    });
}

/* Makes the bits ids again, and clears the mask. */
static void collect(uint32_t *ids, const gpu_seen &seen, unsigned long long *kept, cudaStream_t stream)
{
    list_each(
        seen.words, kept, stream, [=] __device__(uint64_t w) { return __popc(seen.mask[w]); },
        [=] __device__(uint64_t w, unsigned long long at) {
            list_word(ids, w, seen.mask[w], at);
            seen.mask[w] = 0;
        });
}

/* Keeps the first ids that set a bit. */
static void keep(const uint32_t *ids, uint64_t count, const gpu_seen &seen, unsigned long long *kept, cudaStream_t stream)
{
    list_each(
        count, kept, stream, [=] __device__(uint64_t i) { return claim_bit(seen.mask, ids[i]); },
        [=] __device__(uint64_t i, unsigned long long at) { seen.kept[at] = ids[i]; });
}

void cuda_unique(uint32_t *ids, uint64_t count, const gpu_seen *seen, unsigned long long *kept,
                 cudaStream_t stream)
{
    if (count == 0)
        return;
    if (count <= seen->words && count <= seen->capacity) {
        keep(ids, count, *seen, kept, stream);
        put_back(ids, count, *seen, kept, stream);
        return;
    }
    each(count, stream, [=, mask = seen->mask] __device__(uint64_t i) { claim_bit(mask, ids[i]); });
    collect(ids, *seen, kept, stream);
}
