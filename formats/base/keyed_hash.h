/* keyed_hash.h: a hash function for tables whose keys come from a file. Each process draws a random key, so that nobody can
 * prepare a file whose names all fall into one slot of a table. Hashes therefore differ from run to run and from rank to rank:
 * no result may depend on them, and none is sent or stored. */
#ifndef DBFS_KEYED_HASH_H
#define DBFS_KEYED_HASH_H

#include <stddef.h>
#include <stdint.h>

uint64_t keyed_hash(const char *bytes, size_t length);

#endif
