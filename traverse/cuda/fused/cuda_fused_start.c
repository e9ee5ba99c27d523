/* cuda_fused_start.c: starts a search that is one kernel, and waits for its end; see cuda_fused.h */
#include "traverse/cuda/device/cuda_device.h"
#include "traverse/cuda/device/cuda_error.h"

#include <stdlib.h>

_Static_assert(sizeof(struct fused_note) == FUSED_NOTE_BYTES, "a note as planned");

/* ---- notes ---- */

static void begin_notes(struct device *dev)
{
    struct gpu_notes *n = &dev->fused.notes;
    n->count = n->levels = 0;
    dev->fused.search.out.mapped->written = dev->fused.search.out.mapped->taken = 0;
}

/* Notes that were not copied yet begin at the first place on the device. */
enum status gpu_copy_notes(struct device *dev, uint32_t levels, struct error *e)
{
    struct gpu_notes *n = &dev->fused.notes;
    const struct fused_note *from = dev->fused.search.out.notes;
    cudaStream_t stream = dev->stream.of[NORMALS];
    uint32_t more = levels - n->count;
    struct fused_note *grown = realloc(n->kept, ((size_t)levels + 1) * sizeof *grown);
    if (grown == NULL)
        return fail_memory(e, "notes of levels", (size_t)levels * sizeof *grown);
    n->kept = grown;
    if (gpu_fetch(dev, n->kept + n->count, from, more * sizeof *from, stream, e) == ST_OK)
        n->count = levels;
    return e->status;
}

/* The device has room for some notes, so the host takes them while the search runs. */
static enum status take_notes(struct device *dev, struct error *e)
{
    struct gpu_notes *n = &dev->fused.notes;
    volatile struct fused_mapped *mapped = dev->fused.search.out.mapped;
    uint32_t written = mapped->written;
    if (written > n->count && gpu_copy_notes(dev, written, e) == ST_OK)
        mapped->taken = written;
    return e->status;
}

/* ---- the search ---- */

/* Whether a kernel of the stream has reported. The stream itself is asked now and then: a kernel that failed never reports. */
static int has_reported(struct device *dev, const volatile uint64_t *report, uint32_t number, enum vertex_kind stream,
                        unsigned look, struct error *e)
{
    enum { LOOKS = 1 << 14 };
    if (*report >> 32 != number && look % LOOKS == 0) {
        const cudaError_t state = cudaStreamQuery(dev->stream.of[stream]);
        /* a kernel that ends itself has reported the cause */
        if (state != cudaErrorNotReady && *report >> 32 != number)
            CUDA_TRY(state, dev->where, e);
    }
    return *report >> 32 == number;
}

enum status gpu_wait_for_report(struct device *dev, const volatile uint64_t *report, uint32_t number,
                                enum vertex_kind stream, struct error *e)
{
    for (unsigned look = 1; !has_reported(dev, report, number, stream, look, e) && e->status == ST_OK; look++)
        continue;
    return e->status;
}

enum status gpu_wait_for_answer(struct device *dev, struct error *e)
{
    const struct gpu_fused *s = &dev->fused.search;
    return gpu_wait_for_report(dev, &s->out.mapped->answered, s->order.number, DELEGATES, e);
}

enum status gpu_begin_kernel(struct device *dev, const void *search, const struct fused_launch *launch, int noted,
                             struct error *e)
{
    if (noted)
        begin_notes(dev);
    if (gpu_use(dev, e) == ST_OK &&
        CUDA_TRY(cuda_fused_start(search, launch, dev->stream.of[DELEGATES]), dev->where, e) == ST_OK &&
        dev->fused.ahead)
        gpu_answer_ahead(dev, e);
    return e->status;
}

/* Ends a search whose kernel has reported. */
static enum status end_kernel(struct device *dev, int noted, uint32_t *levels, struct error *e)
{
    *levels = (uint32_t)dev->fused.search.out.mapped->report;
    dev->fused.notes.levels = noted ? *levels : 0;
    return *levels == PEERS_FAILED
               ? fail(e, ST_RUNTIME, "%s: another GPU did not take part in the search", dev->where)
               : ST_OK;
}

enum status gpu_await_kernels(struct device *const *devices, uint32_t count, int noted, uint32_t *levels,
                              struct error *e)
{
    uint32_t reported = 0;
    for (unsigned look = 1; reported < count && e->status == ST_OK; look++) {
        reported = 0;
        for (uint32_t i = 0; i < count && e->status == ST_OK; i++) {
            const struct gpu_fused *s = &devices[i]->fused.search;
            reported += has_reported(devices[i], &s->out.mapped->report, s->order.number, DELEGATES, look, e);
            if (noted && e->status == ST_OK)
                take_notes(devices[i], e);
        }
    }
    for (uint32_t i = 0; i < count && e->status == ST_OK; i++)
        end_kernel(devices[i], noted, levels, e);
    return e->status;
}
