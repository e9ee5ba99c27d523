/* name_table.h: numbers names in the order they come, while memory lasts.
 *
 * Open addressing over names that lie one behind the other in blocks. Once a name finds no room the
 * table is full for good: it knows the names it has, and takes no other, so that its numbers stay
 * those of the first names that came.
 */
#ifndef DBFS_NAME_TABLE_H
#define DBFS_NAME_TABLE_H

#include "tools/convert/piece/names.h"

#include "formats/base/memory.h"

struct name_table;

/* Charges the budget with `limit_bytes`, or with what is left of it, for the table to grow in. */
enum status name_table_open(struct name_table **table, struct memory_budget *budget,
                            uint64_t limit_bytes, struct error *e);
void name_table_close(struct name_table *table); /* NULL is allowed */

#define NAME_UNKNOWN UINT64_MAX

/* The number of a name, which a new one is given; NAME_UNKNOWN when it is new and the table full. */
uint64_t name_table_number(struct name_table *table, const struct name *name);

/* Brings what name_table_number will look at into the cache: call the first some names ahead, the
 * second, which uses what the first fetched, half as far. */
void name_table_fetch_slot(const struct name_table *table, uint64_t hash);
void name_table_fetch_name(const struct name_table *table, uint64_t hash);

#endif
