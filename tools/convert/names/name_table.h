/* name_table.h: numbers names in memory, in the order in which they come. This is a hash table with open addressing; the names
 * lie one after the other in blocks. When a new name finds no room, the table is full and takes no more names, even if room is
 * left for a shorter one. So its numbers are always those of the first names that came. */
#ifndef DBFS_NAME_TABLE_H
#define DBFS_NAME_TABLE_H

#include "tools/convert/piece/names.h"

#include "formats/base/memory.h"

struct name_table;

/* Opens a table and charges its memory to the budget: `limit_bytes`, or what the budget has left if that is less. */
enum status name_table_open(struct name_table **table, struct memory_budget *budget,
                            uint64_t limit_bytes, struct error *e);
void name_table_close(struct name_table *table); /* NULL is allowed */

#define NAME_UNKNOWN UINT64_MAX

/* Returns the number of a name; a new name gets the next number. NAME_UNKNOWN if it is new and the table is full. */
uint64_t name_table_number(struct name_table *table, const struct name *name);

/* Prefetch the memory that name_table_number will read. Call the first function some names ahead, and the second half as far
 * ahead, because it reads what the first has fetched. */
void name_table_prefetch_slot(const struct name_table *table, uint64_t hash);
void name_table_prefetch_name(const struct name_table *table, uint64_t hash);

#endif
