/* mend.h: makes the CRCs of a changed file right, so that readers come to the data behind them
 *
 * Positions are written down a second time here, from the SPECs; nothing of the product is linked. If a file is so
 * damaged that a CRC has no place, it stays as it is. */
#ifndef DBFS_TESTS_MEND_H
#define DBFS_TESTS_MEND_H

#include <stddef.h>
#include <stdint.h>

enum file_kind { KIND_OTHER, KIND_EDGES, KIND_CONTAINER, KIND_LINES };

enum file_kind mend_kind(const unsigned char *bytes, size_t size);

/* Mends any file by its kind. */
void mend(unsigned char *bytes, size_t size);

/* Mends a stream: the preamble, each block, the trailer. With `totals` the trailer also gets the counts of the
 * blocks. */
void mend_edges(unsigned char *bytes, size_t size, int totals);

/* Mends a split or a part: each section inside the file, the table, the header. */
void mend_container(unsigned char *bytes, size_t size);

/* Mends a manifest or journal: its last line. */
void mend_lines(unsigned char *bytes, size_t size);

/* Makes a manifest fit a part: its bytes, and the CRC of its table. Returns 0 if no line names the part. */
int mend_manifest(unsigned char *bytes, size_t size, unsigned part, const unsigned char *file,
                  size_t file_size);

/* ---- numbers in files ---- */

uint32_t get_u32_at(const unsigned char *p);
uint64_t get_u64_at(const unsigned char *p);
void put_u32_at(unsigned char *p, uint32_t value);
void put_u64_at(unsigned char *p, uint64_t value);

/* Entry `i` of a container's table, or NULL. */
unsigned char *container_entry(unsigned char *bytes, size_t size, uint32_t i);

#endif
