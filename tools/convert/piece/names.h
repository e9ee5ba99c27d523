/* names.h: ids as names: strings of bytes, for inputs whose ids are made dense (--compact).
 *
 * Until it is numbered, an edge's u and v are places in piece->names, where the bytes of the name
 * stand with their length and hash. Numbers of binary formats become names in decimal, so that an
 * id is the same name in whatever format it comes.
 */
#ifndef DBFS_NAMES_H
#define DBFS_NAMES_H

#include "piece.h"

#include "formats/base/bytes.h"
#include "formats/name_map.h"

enum {
    NAME_MAX_BYTES = 65535,
    NAME_RECORD_BYTES = 10 /* u64 hash and u16 length, before the bytes */
};

/* The v of a vertex that is named without an edge. */
#define NAME_NONE UINT64_MAX

struct name {
    uint64_t hash;
    const char *bytes;
    uint32_t length;
};

/* Makes room for the names of `edges` edges more, of `bytes` bytes in all. */
enum status piece_reserve_names(struct piece *piece, size_t edges, size_t bytes, struct error *e);

/* Adds a name of up to NAME_MAX_BYTES, for which room was made; returns its place. */
uint64_t piece_add_name(struct piece *piece, const char *bytes, size_t length);

static inline struct name piece_name(const struct piece *piece, uint64_t place)
{
    const char *record = piece->names + place;
    return (struct name){get_u64(record), record + NAME_RECORD_BYTES,
                         (uint32_t)(unsigned char)record[8] |
                             (uint32_t)(unsigned char)record[9] << 8};
}

/* Turns edges of numbers into edges of names: `base` + number, in decimal. */
enum status piece_name_numbers(struct piece *piece, uint64_t base, struct error *e);

/* Of the two lines of each undirected edge keeps the one whose first name is the smaller one, byte
 * by byte; tallies both kinds. */
void piece_fold_names(struct piece *piece);

#endif
