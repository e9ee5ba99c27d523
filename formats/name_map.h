/* name_map.h: the map from vertex numbers back to vertex names (SPEC-map.md). The map is a text file whose line k + 1 holds the name
 * of vertex k. The file is mapped and not charged to the memory budget; only an index of every NAME_MAP_STEP-th line is charged. */
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

/* Opens the map of a graph of `n` vertices. ST_BAD_DATA if the file has not n lines, has an empty line, ends within a line, or
 * is a WDC index (which edgeconv makes into a map). ST_RUNTIME if it is not a regular file. `budget` must outlive the map. */
enum status name_map_open(struct name_map **map, const char *path, uint64_t n,
                          struct memory_budget *budget, struct error *e);
void name_map_close(struct name_map *map); /* NULL is allowed */

/* The name of a vertex below n. */
struct map_name name_map_at(const struct name_map *map, uint64_t vertex);

/* Prints the name of a vertex; without a map (NULL), its number. */
void name_map_print(FILE *out, const struct name_map *map, uint64_t vertex);

/* Prints the name of a vertex for people to read: control characters are printed as \xNN (text.h). */
void name_map_show(FILE *out, const struct name_map *map, uint64_t vertex);

/* Returns the name of the vertex after the one whose name is given; there must be one. This is faster than name_map_at. */
struct map_name name_map_after(struct map_name name);

/* Finds the vertices that have these `count` names, by one pass over the map. ST_USAGE names the first name that the map does not have. */
enum status name_map_find(const struct name_map *map, const char *const *names, uint64_t count,
                          uint64_t *vertices, struct error *e);

/* ---- writing ---- */

/* Appends the name of the next vertex, which must hold no newline. */
enum status name_map_write(struct outfile *out, const char *bytes, size_t length, struct error *e);

#endif
