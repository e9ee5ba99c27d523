/* section_write.h: sections of a shard, raw or packed, as a packing was asked for */
#ifndef DBFS_SECTION_WRITE_H
#define DBFS_SECTION_WRITE_H

#include "formats/container.h"
#include "formats/manifest.h"
#include "formats/base/memory.h"

#include <stdint.h>

struct section_writer {
    struct container_writer *writer;
    enum pack_encoding encoding;
    int threads;
    struct memory_budget *budget;
};

/* With PACK_AUTO, whether packed_bytes are worth the decoding: at most three quarters of raw_bytes,
 * and these more than the page that a section takes anyway. */
enum section_encoding section_choose(const struct section_writer *out, uint64_t raw_bytes,
                                     uint64_t packed_bytes);

/* A section of elements of 4 or 8 bytes. PACK_AUTO goes by a sample of its blocks. */
enum status section_write(const struct section_writer *out, uint32_t type, uint32_t width,
                          uint64_t count, const void *elements, struct error *e);

#endif
