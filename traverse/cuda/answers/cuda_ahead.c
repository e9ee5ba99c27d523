/* cuda_ahead.c: the answer of a search on a single device, launched behind the kernel of its search
 *
 * The stream begins these kernels when the search ends, while the host still waits for the report of that end. So an answer
 * costs no launch, no event and no call that waits: its last kernel reports, too. The number of levels is not known then, so
 * depths are written as bytes. If levels were too many for that, cuda_results.c makes the answer again, and the next search
 * launches nothing ahead.
 */
#include "traverse/cuda/device/cuda_device.h"
#include "traverse/cuda/device/cuda_error.h"

/* Returns whether the answer of the next search can be launched before the search ends: answers are open and
 * gathered, and depths, if wanted, are expected to fit bytes. */
int gpu_can_answer_ahead(const struct device *dev)
{
    const struct gpu_answers *a = &dev->answers;
    const int opened = a->counts != NULL, gathers = a->vertex != NULL;
    return opened && gathers && (dev->fused.answer == ANSWER_PARENTS || !dev->fused.is_deep);
}

/* Called right after the kernel of a search is launched: launches the kernels that make the answer on the same
 * stream, the last of which reports the number of the order to the host. Does not wait. */
enum status gpu_answer_ahead(struct device *dev, struct error *e)
{
    cudaStream_t stream = dev->stream.of[DELEGATES];
    const struct gpu_fused *s = &dev->fused.search;
    const struct gpu_answers *a = &dev->answers;
    const int parents = dev->fused.answer == ANSWER_PARENTS;
    const enum value_form form = !parents ? VALUE_BYTE : a->id_bytes == 4 ? VALUE_32 : VALUE_64;
    if ((parents ? gpu_write_parents(dev, NULL, stream, e) : gpu_write_all_depths(dev, form, stream, e)) != ST_OK)
        return e->status;
    cuda_gather_values(a->vertex, a->count, form, a->by_vertex, a->values, stream);
    cuda_report_answer(&s->out.mapped->answered, (uint64_t)s->order.number << 32, stream);
    return CUDA_LAUNCHED(dev->where, e);
}
