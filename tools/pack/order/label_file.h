/* label_file.h: stores the labels (order.h) of all vertices on disk. Vertices come in windows of consecutive ids. Each window
 * is written shard after shard, so that the labels of one shard can be read alone. */
#ifndef DBFS_LABEL_FILE_H
#define DBFS_LABEL_FILE_H

#include "tools/separate/vertex_values.h"

#include <stdint.h>

struct label_file {
    uint32_t p, windows;
    struct spill *spill;
    struct spill_extent *extent; /* [windows] */
    uint64_t *first_slot;        /* [windows]: the same in every shard */
    uint32_t *crc;               /* [windows][p] */
};

/* Windows are multiples of p. */
enum status label_file_write(struct label_file *file, struct vertex_values *labels, uint32_t p,
                             struct spill *spill, struct error *e);
void label_file_free(struct label_file *file); /* a zeroed file is allowed */

/* Called with the labels of `count` vertices in consecutive slots of a shard, slots ascending. */
typedef void (*label_visitor)(void *context, uint64_t first_slot, const uint32_t *labels, uint64_t count);

/* Gives all labels of a shard to the visitor. After a failure the labels already given may be wrong. */
enum status label_file_read(const struct label_file *file, uint32_t shard, label_visitor visit,
                            void *context, struct error *e);

#endif
