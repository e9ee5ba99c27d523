/* cuda_unique.cu: drops duplicates among vertices for one shard; see cuda_kernels.h and its twin, unique.c
 *
 * Ids become bits of a mask (option U of Pan et al., section V-B). If the list is shorter than the mask, the first id
 * to set a bit is kept, and takes it back later; otherwise the bits become ids again. Bytes moved: 8 to read an id and
 * look at its word, and 4 to write one that is kept; for a short list 12 more for that, for others, for each vertex of
 * the shard, 1/8 if its word stays zero, at most 1/4 otherwise.
 */
#include "traverse/cuda/device/cuda_common.cuh"

/* Launches the dropping of duplicates: by the first ids in a short list, by the words of the bitmap in a long one. */
void cuda_unique(uint32_t *ids, uint64_t count, const gpu_seen *memory, unsigned long long *kept, cudaStream_t stream)
{
    const gpu_seen seen = *memory;
    if (count == 0)
        return;
    if (count <= seen.words && count <= seen.capacity) { /* keep the first ids that set a bit */
        list_each(
            count, kept, stream, [=] __device__(uint64_t i) { return claim_bit(seen.mask, ids[i]); },
            [=] __device__(uint64_t i, unsigned long long at) { seen.kept[at] = ids[i]; });
        each(count, stream, [=] __device__(uint64_t i) { /* all bits of a word belong to kept ids */
            if (i < *kept) {
                ids[i] = seen.kept[i];
                seen.mask[seen.kept[i] / 32] = 0;
            }
        });
        return;
    }
    each(count, stream, [=] __device__(uint64_t i) { claim_bit(seen.mask, ids[i]); });
    list_each(
        seen.words, kept, stream, [=] __device__(uint64_t w) { return __popc(seen.mask[w]); },
        [=] __device__(uint64_t w, unsigned long long at) {
            list_word(ids, w, seen.mask[w], at);
            seen.mask[w] = 0;
        });
}
