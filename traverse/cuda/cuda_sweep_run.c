/* cuda_sweep_run.c: the host's side of a search by sweeps; see cuda_sweep.h */
#include "cuda_device.h"
#include "cuda_error.h"

_Static_assert(sizeof(struct sweep_state) <= SWEEP_STATE_BYTES, "the state of a search as planned");
_Static_assert(sizeof(struct sweep_slice) == SWEEP_SLICE_BYTES, "a slice as planned");
_Static_assert(sizeof(struct sweep_links) == SWEEP_LINKS_BYTES, "links as planned");
_Static_assert(SWEEP_MOST_VERTICES < 1 << SWEEP_ROW_BITS, "a row has its bits, and there is a value that is none");

static enum status make_slices(struct device *dev, const struct gpu_sweep_arrays *arrays, struct error *e)
{
    struct gpu_sweep *s = &dev->sweep.search;
    struct gpu_scan *scan = &dev->scratch.scan;
    cudaStream_t stream = dev->stream.of[DELEGATES];
    if (CUDA_TRY(cuda_sweep_count(s, dev->csr, arrays->first, scan->scratch, scan->scratch_bytes, stream), dev->where,
                 e) != ST_OK ||
        CUDA_TRY(cudaMemcpyAsync(&s->count, arrays->first + 32 * (size_t)s->words, sizeof s->count,
                                 cudaMemcpyDeviceToHost, stream),
                 dev->where, e) != ST_OK ||
        CUDA_TRY(cudaStreamSynchronize(stream), dev->where, e) != ST_OK)
        return e->status;
    cuda_sweep_fill(s, dev->csr, arrays->slices, arrays->links, arrays->row, stream);
    return CUDA_LAUNCHED(dev->where, e);
}

enum status gpu_sweep_open(struct device *dev, const struct gpu_sweep_arrays *arrays, int notes, struct error *e)
{
    struct gpu_sweep *s = &dev->sweep.search;
    const struct gpu_vertices *d = &dev->of[DELEGATES], *n = &dev->of[NORMALS];
    *s = (struct gpu_sweep){.slices = arrays->slices,
                            .links = arrays->links,
                            .row = arrays->row,
                            .first = arrays->first,
                            .words = gpu_sweep_words(d->count, n->count),
                            .normals = (uint32_t)(32 * d->words),
                            .found = arrays->found,
                            .state = arrays->state,
                            .of = {[NORMALS] = *n, [DELEGATES] = *d},
                            .out = dev->solo.search.out};
    dev->sweep.launch.program = cuda_sweep_plain();
    dev->sweep.noted.program = cuda_sweep_noted();
    if (make_slices(dev, arrays, e) != ST_OK ||
        CUDA_TRY(cudaMemset(s->state, 0, sizeof *s->state), dev->where, e) != ST_OK ||
        CUDA_TRY(cudaMemset(s->found, 0, SWEEP_TURNS * sizeof *s->found * s->words), dev->where, e) != ST_OK ||
        CUDA_TRY(cuda_sweep_plan(s, &dev->sweep.launch), dev->where, e) != ST_OK)
        return e->status;
    return notes ? CUDA_TRY(cuda_sweep_plan(s, &dev->sweep.noted), dev->where, e) : ST_OK;
}

enum status gpu_sweep_run(struct device *dev, const struct root *root, int noted, uint32_t *levels, struct error *e)
{
    const struct solo_launch *launch = noted ? &dev->sweep.noted : &dev->sweep.launch;
    cudaStream_t stream = dev->stream.of[DELEGATES];
    struct gpu_sweep *s = &dev->sweep.search;
    s->root = root->index + (root->at == ROOT_AT_DELEGATE ? 0 : s->normals);
    s->set ^= 1;
    s->number = ++dev->solo.search.number;
    dev->solo.settled = 1;
    if (noted)
        gpu_notes_begin(dev);
    if (gpu_use(dev, e) != ST_OK || CUDA_TRY(cuda_solo_start(s, launch, stream), dev->where, e) != ST_OK ||
        gpu_solo_wait(dev, stream, noted, levels, e) != ST_OK)
        return e->status;
    dev->solo.notes.levels = noted ? *levels : 0;
    return ST_OK;
}
