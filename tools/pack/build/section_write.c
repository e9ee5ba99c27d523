/* section_write.c: see section_write.h */
#include "section_write.h"

/* The encoding of a section: as asked, or packed if that saves a quarter. */
enum section_encoding section_choose(const struct section_writer *out, uint64_t raw_bytes, uint64_t packed_bytes)
{
    if (out->encoding != PACK_AUTO)
        return out->encoding == PACK_RAW ? ENCODING_RAW : ENCODING_PACKED;
    return raw_bytes > CONTAINER_ALIGN && packed_bytes <= raw_bytes / 4 * 3 ? ENCODING_PACKED
                                                                            : ENCODING_RAW;
}

/* Writes a section, raw or packed as section_choose says. */
enum status section_write(const struct section_writer *out, uint32_t type, uint32_t width,
                          uint64_t count, const void *elements, struct error *e)
{
    uint64_t packed_bytes =
        out->encoding == PACK_AUTO ? packed_estimate(width, elements, count) : 0;
    if (section_choose(out, count * width, packed_bytes) == ENCODING_RAW)
        return container_add(out->writer, type, width, count, elements, e);
    return container_add_packed(out->writer,
                                &(struct section_content){type, width, count, elements},
                                out->threads, out->budget, e);
}
