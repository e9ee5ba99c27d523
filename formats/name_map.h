/* name_map.h: the map from vertex numbers back to vertex names (SPEC-map.md).
 *
 * The map is a text file; line k + 1 holds the name of vertex k. The file is mapped into memory and not
 * charged to the memory budget. Only an index of every NAME_MAP_STEP-th line is charged.
 */
#ifndef DBFS_NAME_MAP_H
#define DBFS_NAME_MAP_H

#include "formats/base/memory.h"
#include "formats/base/outfile.h"
#include "formats/base/status.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { NAME_MAP_STEP = 64 };

/* A name: bytes of the mapped file, without the newline that follows them. */
struct map_name {
    const char *bytes;
    size_t length;
};

struct name_map;

/* Opens the map of a graph of `n` vertices. ST_BAD_DATA when the file does not have n lines, has an empty
 * line, ends within a line, or is a WDC index, from which a map must first be made. ST_RUNTIME when it is not
 * a regular file. `budget` must outlive the map. */
enum status name_map_open(struct name_map **map, const char *path, uint64_t n,
                          struct memory_budget *budget, struct error *e);
void name_map_close(struct name_map *map); /* NULL is allowed */

/* The name of a vertex below n. */
struct map_name name_map_at(const struct name_map *map, uint64_t vertex);

/* Prints the name of a vertex; without a map (NULL), its number. */
void name_map_print(FILE *out, const struct name_map *map, uint64_t vertex);

/* The same for lines that people read: control characters of the name are escaped (text.h). */
void name_map_show(FILE *out, const struct name_map *map, uint64_t vertex);

/* Given the name of a vertex, returns the name of the next vertex, which must exist. */
struct map_name name_map_after(struct map_name name);

/* Finds the vertices of `count` names in one pass. ST_USAGE names the first name that is not in the map. */
enum status name_map_find(const struct name_map *map, const char *const *names, uint64_t count,
                          uint64_t *vertices, struct error *e);

/* ---- writing ---- */

/* Appends the name of the next vertex, which must hold no newline. */
enum status name_map_write(struct outfile *out, const char *bytes, size_t length, struct error *e);

#endif
