/* mend.h: makes the CRCs of a changed file right again, so that what is behind them is reached.
 *
 * The positions are those of the SPECs, written down a second time here; nothing of the product is linked.
 * Bytes that are so damaged that a CRC has no place stay as they are.
 */
#ifndef DBFS_TESTS_MEND_H
#define DBFS_TESTS_MEND_H

#include <stddef.h>
#include <stdint.h>

enum file_kind { KIND_OTHER, KIND_EDGES, KIND_CONTAINER, KIND_LINES };

enum file_kind mend_kind(const unsigned char *bytes, size_t size);

/* Any file by its kind. */
void mend(unsigned char *bytes, size_t size);

/* A stream: the preamble, each block, the trailer. With `totals` the trailer also says what the blocks
 * hold. */
void mend_edges(unsigned char *bytes, size_t size, int totals);

/* A split or a part: every section that lies in the file, the table, the header. */
void mend_container(unsigned char *bytes, size_t size);

/* A manifest or journal: the last line. */
void mend_lines(unsigned char *bytes, size_t size);

/* Makes a manifest name a part: its bytes, and the CRC of its table. Returns 0 if it has no line for it. */
int mend_manifest(unsigned char *bytes, size_t size, unsigned part, const unsigned char *file,
                  size_t file_size);

/* ---- numbers in files ---- */

uint32_t get_u32_at(const unsigned char *p);
uint64_t get_u64_at(const unsigned char *p);
void put_u32_at(unsigned char *p, uint32_t value);
void put_u64_at(unsigned char *p, uint64_t value);

/* Entry `i` of a container's table; NULL: there is none. */
unsigned char *container_entry(unsigned char *bytes, size_t size, uint32_t i);

#endif
