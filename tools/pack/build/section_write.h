/* section_write.h: writes sections of a shard, raw or packed, as dbfs-pack --encoding asks */
#ifndef DBFS_SECTION_WRITE_H
#define DBFS_SECTION_WRITE_H

#include "formats/container/container.h"
#include "formats/graph/manifest.h"
#include "formats/base/memory.h"

#include <stdint.h>

struct section_writer {
    struct container_writer *writer;
    enum pack_encoding encoding;
    int threads;
    struct memory_budget *budget;
};

/* Chooses the encoding of a section. PACK_AUTO packs it if that saves a quarter of its raw bytes or more, unless these fit into
 * one page, the least that a section takes. */
enum section_encoding section_choose(const struct section_writer *out, uint64_t raw_bytes, uint64_t packed_bytes);

/* Writes a section of elements of 4 or 8 bytes. PACK_AUTO estimates the packed bytes from a sample of the blocks. */
enum status section_write(const struct section_writer *out, uint32_t type, uint32_t width,
                          uint64_t count, const void *elements, struct error *e);

#endif
