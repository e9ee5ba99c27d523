/* cuda_unique.cu: drops duplicates among vertices that are sent to a shard; see cuda_kernels.h and its twin, unique.c
 *
 * Ids are marked as bits of a bitmap (option U of Pan et al., section V-B). There are two ways:
 * - In a short list, with at most as many ids as the bitmap has words, an id is kept if it is the first to set its bit. Then
 *   a thread for each kept id clears its word.
 * - In a long list all ids set their bits. Then the set bits are written as ids, and the words are cleared.
 *
 * Bytes moved: 8 to read an id and look at its word, and 4 to write a kept id. A short list moves 12 more for each kept id.
 * A long list moves more for each vertex of the shard: 1/8 if the vertex's word stays zero, and otherwise at most 1/4.
 */
#include "traverse/cuda/device/cuda_common.cuh"

/* Drops ids that are there twice from ids[count], by the way for short or for long lists, as count says. *kept becomes the number
 * of ids that stay. The bitmap memory->mask is zero before and after. Does not wait. */
void cuda_unique(uint32_t *ids, uint64_t count, const gpu_seen *memory, unsigned long long *kept, cudaStream_t stream)
{
    const gpu_seen seen = *memory;
    if (count == 0)
        return;
    if (count <= seen.words && count <= seen.capacity) { /* a short list */
        list_each(
            count, kept, stream, [=] __device__(uint64_t i) { return claim_bit(seen.mask, ids[i]); },
            [=] __device__(uint64_t i, unsigned long long at) { seen.kept[at] = ids[i]; });
        /* all set bits of a word belong to kept ids, so the word can be cleared */
        each(count, stream, [=] __device__(uint64_t i) {
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
