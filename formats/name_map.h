/* name_map.h: the map that gives numbered vertices their names back; see SPEC-map.md.
 *
 * A text file with the name of vertex k in line k + 1. It is mapped, never held: an index of every
 * NAME_MAP_STEP-th line is all that it takes of the memory budget.
 */
#ifndef DBFS_NAME_MAP_H
#define DBFS_NAME_MAP_H

#include "formats/base/memory.h"
#include "formats/base/outfile.h"
#include "formats/base/status.h"

#include <stddef.h>
#include <stdint.h>

enum { NAME_MAP_STEP = 64 };

/* Bytes in the mapped file, without the newline that follows them. */
struct map_name {
    const char *bytes;
    size_t length;
};

struct name_map;

/* The map of a graph of `n` vertices. ST_BAD_DATA when it has another number of lines, an empty one
 * or a cut one, or is no map but the index that one is made of; ST_RUNTIME when it is no regular
 * file. `budget` must outlive it. */
enum status name_map_open(struct name_map **map, const char *path, uint64_t n,
                          struct memory_budget *budget, struct error *e);
void name_map_close(struct name_map *map); /* NULL is allowed */

/* The name of a vertex below n. */
struct map_name name_map_at(const struct name_map *map, uint64_t vertex);

/* The name of the next vertex; there must be one. */
struct map_name name_map_after(struct map_name name);

/* Finds the vertices of `count` names in one pass; ST_USAGE naming the first that is not there. */
enum status name_map_find(const struct name_map *map, const char *const *names, uint64_t count,
                          uint64_t *vertices, struct error *e);

/* ---- writing ---- */

/* Appends the name of the next vertex, which must hold no newline. */
enum status name_map_write(struct outfile *out, const char *bytes, size_t length, struct error *e);

/* A hash of names, which no format rests on. */
uint64_t name_hash(const char *bytes, size_t length);

#endif
