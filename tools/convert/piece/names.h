/* names.h: vertex ids that are names (strings of bytes), for inputs whose ids are made dense (--compact). Until an edge is
 * numbered, its u and v are places in piece->names, where a name's hash, length and bytes lie. Numbers of binary formats become
 * decimal names, so that an id has the same name in every format. */
#ifndef DBFS_NAMES_H
#define DBFS_NAMES_H

#include "piece.h"

#include "formats/base/bytes.h"
#include "formats/name_map.h"

enum {
    NAME_MAX_BYTES = 65535,
    NAME_RECORD_BYTES = 10 /* u64 hash and u16 length, before the bytes */
};

/* The v of a record that names a vertex without an edge. */
#define NAME_NONE UINT64_MAX

struct name {
    uint64_t hash;
    const char *bytes;
    uint32_t length;
};

/* Makes room for the names of `edges` more edges, of `bytes` bytes altogether. */
enum status piece_reserve_names(struct piece *piece, size_t edges, size_t bytes, struct error *e);

/* Adds a name of up to NAME_MAX_BYTES bytes and returns its place. piece_reserve_names must have made room for it. */
uint64_t piece_add_name(struct piece *piece, const char *bytes, size_t length);

/* The name at a place in piece->names, where its bytes stay. */
static inline struct name piece_name(const struct piece *piece, uint64_t place)
{
    const char *record = piece->names + place;
    return (struct name){get_u64(record), record + NAME_RECORD_BYTES,
                         (uint32_t)(unsigned char)record[8] |
                             (uint32_t)(unsigned char)record[9] << 8};
}

/* Replaces the numbers in the edges of a piece by names: `base` + the number, in decimal. */
enum status piece_numbers_to_names(struct piece *piece, uint64_t base, struct error *e);

/* Keeps one of the two lines of each undirected edge: the one whose first name is smaller, byte by byte. Tallies both. */
void piece_fold_names(struct piece *piece);

#endif
