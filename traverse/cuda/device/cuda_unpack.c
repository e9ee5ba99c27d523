/* cuda_unpack.c: decodes packed columns of a part in the memory of a GPU, piece by piece
 *
 * A piece is LOAD_PIECE_GROUPS groups of blocks (formats/container/packed.h). Its words and its part of the directory are
 * copied behind each other to memory that all pieces take in turn, as a section of its own whose words begin at 0. So the
 * device needs little memory beside that of the columns, and a graph that fits raw can be loaded, too.
 */
#include "cuda_device.h"
#include "cuda_error.h"
#include "cuda_load.h"
#include "cuda_plan.h"

#include "formats/container/packed_layout.h"

#include <string.h>

/* Groups `first` to last - 1 of a section. */
struct piece {
    uint64_t first, last;
    uint64_t group[LOAD_PIECE_GROUPS + 1]; /* positions in the piece's words */
    struct packed there;                   /* on the device */
    struct gpu_copy copy[4];
};

/* Returns the position of a group in the section's words. */
static uint64_t group_position(const struct packed *section, uint64_t group)
{
    uint64_t at;
    memcpy(&at, section->group + group * sizeof at, sizeof at);
    return at;
}

/* The next `bytes` of the memory for pieces; *to moves behind them. */
static const unsigned char *place_copy(struct gpu_copy *copy, const void *from, uint64_t bytes, char **to)
{
    *copy = (struct gpu_copy){*to, from, bytes};
    *to += gpu_aligned(bytes);
    return copy->to;
}

/* Makes a piece. Nonzero: it does not lie within the section, or takes more memory than blocks can. */
static int make_piece(const struct packed *section, uint64_t first, const struct gpu_plan *plan, void *staging,
                      struct piece *piece)
{
    uint64_t groups = packed_groups(section->blocks), begin = first * GROUP_BLOCKS;
    struct packed *there = &piece->there;
    char *to = staging;
    *there = (struct packed){.width = section->width};
    piece->first = first;
    piece->last = groups - first < LOAD_PIECE_GROUPS ? groups : first + LOAD_PIECE_GROUPS;
    for (uint64_t g = first; g <= piece->last; g++) {
        const uint64_t at = group_position(section, g), words = group_position(section, first);
        if (at < words || at > section->words)
            return -1;
        piece->group[g - first] = at - words;
    }
    there->words = piece->group[piece->last - first];
    there->blocks = (piece->last == groups ? section->blocks : piece->last * GROUP_BLOCKS) - begin;
    there->count = piece->last == groups ? section->count - begin * PACKED_BLOCK : there->blocks * PACKED_BLOCK;
    there->bits = place_copy(&piece->copy[0], section->bits + 4 * group_position(section, first),
                             4 * there->words, &to);
    there->group = place_copy(&piece->copy[1], piece->group, 8 * (piece->last - first + 1), &to);
    there->base = place_copy(&piece->copy[2], section->base + begin * section->width,
                             there->blocks * section->width, &to);
    there->entry = place_copy(&piece->copy[3], section->entry + begin * 4, there->blocks * 4, &to);
    return (uint64_t)(to - (char *)staging) <= plan->staging_bytes ? 0 : -1;
}

enum status gpu_unpack_columns(struct device *dev, enum subgraph g, const struct gpu_plan *plan, void *staging,
                               struct gpu_loader *loader, struct error *e)
{
    const struct section *s = gpu_decoded_columns(plan, dev->shard, g);
    const struct gpu_csr *csr = &dev->csr[g];
    const struct packed_rows rows = {
        .rows = csr->rows,
        .offsets = csr->offsets,
        .offset_width = csr->offset_width,
        .heads = csr->head_columns > 0 ? csr->heads + (csr->head_columns - 1) * csr->rows : NULL};
    struct gpu_level *level = dev->counters.level;
    cudaStream_t stream = dev->stream.of[DELEGATES];
    unsigned bad = 0;
    if (s == NULL)
        return ST_OK;
    const struct packed section = section_packed(s);
    struct piece piece;
    CUDA_TRY(cudaMemsetAsync(level, 0, sizeof *level, stream), dev->where, e);
    for (uint64_t first = 0; first < packed_groups(section.blocks) && e->status == ST_OK; first = piece.last) {
        bad = make_piece(&section, first, plan, staging, &piece) != 0;
        if (bad || gpu_loader_copy(loader, piece.copy, 4, e) != ST_OK)
            break;
        cuda_decode(&piece.there, &rows, first * GROUP_BLOCKS * PACKED_BLOCK, (void *)csr->columns, &level->bad_ids, stream);
        gpu_wait(dev, stream, e); /* before the next piece takes its memory */
    }
    if (!bad && e->status == ST_OK)
        gpu_fetch(dev, &bad, &level->bad_ids, sizeof bad, stream, e);
    if (bad && e->status == ST_OK)
        fail(e, ST_BAD_DATA, "%s: %s: a packed block is corrupt", container_path(dev->shard->file),
             shard_kind.section_name(s->type));
    return e->status;
}
