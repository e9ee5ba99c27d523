/* container.h: a file of typed, checksummed, page-aligned sections.
 *
 * Splits and shards are such files (SPEC-split.md, SPEC-shard.md). The first page holds a header and a
 * section table. Each section then starts at a multiple of 4096 bytes and can be used in place with mmap.
 * Opening checks, in this order: magic, version, header CRC, table CRC, sizes against the real file length,
 * alignment. It does not check the CRCs of the sections' contents, because a reader may not need every
 * section; container_check does.
 */
#ifndef DBFS_CONTAINER_H
#define DBFS_CONTAINER_H

#include "formats/base/memory.h"
#include "formats/base/outfile.h"
#include "packed.h"
#include "formats/base/status.h"

#include <stddef.h>
#include <stdint.h>

enum { CONTAINER_ALIGN = 4096, CONTAINER_MAX_SECTIONS = 64 };

enum section_encoding {
    ENCODING_RAW = 0,   /* little-endian elements of `width` bytes */
    ENCODING_PACKED = 1 /* packed.h */
};

/* One kind of file: its 8-byte magic, the version that is written, the names of its section types, whether
 * its sections may be packed, and the versions that are read. */
struct container_kind {
    const char *magic;
    const char *what; /* "split", "shard" */
    const char *maker; /* the program that writes it */
    uint32_t version;
    const char *(*section_name)(uint32_t type);
    int packed;
    uint32_t first_version; /* the oldest one that is read; 0: `version` */
    uint32_t newest_version; /* the newest one that is read; 0: `version` */
};

struct section {
    uint32_t type;
    uint32_t encoding;
    uint32_t width; /* bytes per element, decoded */
    uint32_t crc;   /* of the bytes in the file */
    uint64_t offset, bytes; /* in the file */
    uint64_t count;   /* elements, decoded */
    const void *data; /* the bytes in the file; with a raw encoding, the elements */
    uint32_t most;    /* the largest of raw elements of 4 bytes, after container_check_all; else UINT32_MAX */
};

static inline uint64_t section_decoded_bytes(const struct section *s)
{
    return s->count * s->width;
}

/* ---- reading ---- */

struct container;

/* Maps `path` into memory; a pipe is read into memory. ST_BAD_DATA names the file and the fault. */
enum status container_open(struct container **container, const struct container_kind *kind,
                           const char *path, struct error *e);
void container_close(struct container *container); /* NULL is allowed */

const char *container_path(const struct container *container);
uint32_t container_version(const struct container *container);
uint64_t container_bytes(const struct container *container);
uint32_t container_table_crc(const struct container *container); /* identifies the content */
uint32_t container_sections(const struct container *container);
const struct section *container_section(const struct container *container, uint32_t index);

/* The section of this type, or NULL. */
const struct section *container_find(const struct container *container, uint32_t type);

/* The same, for a section that must be there. ST_BAD_DATA when it is absent, or when its element width or
 * count is not the expected one. width 0 and count UINT64_MAX accept any. */
enum status container_need(const struct container *container, uint32_t type, uint32_t width,
                           uint64_t count, const struct section **section, struct error *e);

/* Gives access to a packed section in place. Its structure was checked when the file was opened. */
struct packed section_packed(const struct section *section);

/* Compares the content of one section with its CRC, with `threads` threads. */
enum status container_check(const struct container *container, const struct section *section,
                            int threads, struct error *e);

/* container_check on every section; also finds the largest element of sections with raw elements of
 * 4 bytes, and adds their bytes to the progress (progress.h). */
enum status container_check_all(struct container *container, int threads, struct error *e);

/* ---- writing ---- */

struct container_writer;

/* Opens a writer to `out`. The caller keeps `out` and commits it after container_writer_finish. If the output
 * cannot seek, everything is held in memory until then. */
enum status container_writer_open(struct container_writer **writer,
                                  const struct container_kind *kind, struct outfile *out,
                                  struct error *e);

/* Writes a whole raw section at once. */
enum status container_add(struct container_writer *writer, uint32_t type, uint32_t width,
                          uint64_t count, const void *elements, struct error *e);

/* The elements of a whole section, as they lie in memory. */
struct section_content {
    uint32_t type, width; /* width: bytes of an element */
    uint64_t count;
    const void *elements;
};

/* Packs and writes a whole section at once, with `threads` threads. Elements have 4 or 8 bytes. */
enum status container_add_packed(struct container_writer *writer,
                                 const struct section_content *content, int threads,
                                 struct memory_budget *budget, struct error *e);

/* Write a section in pieces: begin it, then append any number of times. */
enum status container_begin(struct container_writer *writer, uint32_t type,
                            enum section_encoding encoding, uint32_t width, struct error *e);
enum status container_append(struct container_writer *writer, uint64_t count, const void *elements,
                             struct error *e);

/* Several threads can write the pieces of a section if the output is a file that can seek. A thread first
 * reserves the place of its next elements; it gives their bytes and their CRC, and only one thread at a time
 * may do so. Then it fills the place, while other threads fill theirs. */
int container_seekable(const struct container_writer *writer);
enum status container_reserve(struct container_writer *writer, uint64_t count, uint64_t bytes,
                              uint32_t crc, uint64_t *at, struct error *e);
enum status container_fill(const struct container_writer *writer, uint64_t at, const void *elements,
                           uint64_t bytes, struct error *e);

/* Write a packed section in pieces: append the words of the next `count` elements, any number of times, and
 * at the end the directory. */
enum status container_append_words(struct container_writer *writer, uint64_t count,
                                   const uint32_t *words, uint64_t word_count, struct error *e);
enum status container_append_directory(struct container_writer *writer,
                                       const struct packed_encoder *encoder, struct error *e);

/* Writes the header and the table. *table_crc, if not NULL, receives a CRC that identifies the content. */
enum status container_writer_finish(struct container_writer *writer, uint32_t *table_crc,
                                    struct error *e);
void container_writer_free(struct container_writer *writer); /* NULL is allowed */

#endif
