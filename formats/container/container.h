/* container.h: a file of typed, checksummed, page-aligned sections, as splits and shards are (SPEC-split.md, SPEC-shard.md).
 *
 * The first page holds a header and a table of the sections. Each section starts at a multiple of 4096 bytes and can be used in
 * place with mmap. Opening checks the header, the table, the sizes and the alignment, but not the CRCs of the sections, because
 * a reader may not need every section; container_check compares those.
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

/* A kind of file, such as a split: its 8-byte magic, the names of its section types, its versions, and whether its sections may be
 * packed. */
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
    uint32_t most;    /* the largest element of a raw section of 4-byte elements, set by container_check_all; else UINT32_MAX */
};

static inline uint64_t section_decoded_bytes(const struct section *s)
{
    return s->count * s->width;
}

/* ---- reading ---- */

struct container;

/* Opens a file and maps it into memory; a pipe is read into memory instead. ST_BAD_DATA names the file and the fault. */
enum status container_open(struct container **container, const struct container_kind *kind,
                           const char *path, struct error *e);

/* The elements of a whole section, as they lie in memory. */
struct section_content {
    uint32_t type, width; /* width: bytes of an element */
    uint64_t count;
    const void *elements;
};

/* Makes a container of `count` raw sections in memory, with their CRCs and section.most, as container_check_all leaves one of a file.
 * `path` stands for the file in messages. The elements stay the caller's, and must outlive the container. */
enum status container_of_sections(struct container **container, const struct container_kind *kind, const char *path,
                                  const struct section_content *content, uint32_t count, int threads, struct error *e);
void container_close(struct container *container); /* NULL is allowed */

const char *container_path(const struct container *container);
uint32_t container_version(const struct container *container);
uint64_t container_bytes(const struct container *container);
uint32_t container_table_crc(const struct container *container); /* identifies the content */
uint32_t container_sections(const struct container *container);
const struct section *container_section(const struct container *container, uint32_t index);

/* The section of this type, or NULL. */
const struct section *container_find(const struct container *container, uint32_t type);

/* Finds a section that must be there. ST_BAD_DATA if it is absent, or if it has not `count` elements of `width` bytes. With
 * width 0 any width is accepted, and with count UINT64_MAX any count. */
enum status container_need(const struct container *container, uint32_t type, uint32_t width,
                           uint64_t count, const struct section **section, struct error *e);

/* Returns a packed section as packed_decode takes it, without copying it. Opening the file has checked its structure. */
struct packed section_packed(const struct section *section);

/* Compares the content of one section with its CRC, with `threads` threads. */
enum status container_check(const struct container *container, const struct section *section,
                            int threads, struct error *e);

/* Compares every section with its CRC, and adds the bytes to the progress (progress.h). For raw sections of 4-byte
 * elements it also sets section.most. */
enum status container_check_all(struct container *container, int threads, struct error *e);

/* ---- writing ---- */

struct container_writer;

/* Opens a writer to `out`. The caller keeps `out`, and commits it after container_writer_finish. If `out` cannot seek, the
 * writer holds the whole file in memory until container_writer_finish. */
enum status container_writer_open(struct container_writer **writer,
                                  const struct container_kind *kind, struct outfile *out,
                                  struct error *e);

/* Writes a whole raw section at once. */
enum status container_add(struct container_writer *writer, uint32_t type, uint32_t width,
                          uint64_t count, const void *elements, struct error *e);

/* Packs the elements, which have 4 or 8 bytes, and writes them as a whole section, with `threads` threads. */
enum status container_add_packed(struct container_writer *writer,
                                 const struct section_content *content, int threads,
                                 struct memory_budget *budget, struct error *e);

/* Write a section in pieces: begin it, then append any number of times. */
enum status container_begin(struct container_writer *writer, uint32_t type,
                            enum section_encoding encoding, uint32_t width, struct error *e);
enum status container_append(struct container_writer *writer, uint64_t count, const void *elements, struct error *e);

/* Write the pieces of a section from several threads, if the output is a file that can seek. A thread first calls
 * container_reserve with the size and the CRC of its piece, and gets the place of the piece in the file: one thread at a time,
 * in the order of the pieces. Then container_fill writes the piece to its place, while other threads write theirs. */
int container_seekable(const struct container_writer *writer);
enum status container_reserve(struct container_writer *writer, uint64_t count, uint64_t bytes,
                              uint32_t crc, uint64_t *at, struct error *e);
enum status container_fill(const struct container_writer *writer, uint64_t at, const void *elements,
                           uint64_t bytes, struct error *e);

/* Write a packed section in pieces: first append the words of the next `count` elements, any number of times, then the directory once. */
enum status container_append_words(struct container_writer *writer, uint64_t count,
                                   const uint32_t *words, uint64_t word_count, struct error *e);
enum status container_append_directory(struct container_writer *writer,
                                       const struct packed_encoder *encoder, struct error *e);

/* Writes the header and the section table. *table_crc is set to a CRC that identifies the content of the file; it may be NULL. */
enum status container_writer_finish(struct container_writer *writer, uint32_t *table_crc, struct error *e);
void container_writer_free(struct container_writer *writer); /* NULL is allowed */

#endif
