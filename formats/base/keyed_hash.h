/* keyed_hash.h: a hash for tables whose keys come from a file.
 *
 * A process draws its key at random, so that nobody can choose names that fall into one slot of a table. Hashes differ
 * from run to run and from rank to rank: no result may depend on them, and none is sent or stored.
 */
#ifndef DBFS_KEYED_HASH_H
#define DBFS_KEYED_HASH_H

#include <stddef.h>
#include <stdint.h>

uint64_t keyed_hash(const char *bytes, size_t length);

#endif
