/* shared_memory.h: memory that other processes of this host can read and write. The owner tells the other processes its process
 * id and descriptor, and they open the same pages. The system frees the memory when the processes end, however they end. */
#ifndef DBFS_SHARED_MEMORY_H
#define DBFS_SHARED_MEMORY_H

#include "status.h"

#include <stdint.h>

struct shared_memory {
    void *bytes; /* NULL: none */
    uint64_t size;
    int fd; /* of the owner; -1: none */
};

/* Takes `size` zeroed bytes. A page takes memory once it is written. With `shared`, other processes may open the bytes by
 * shared_memory_open, which fails if the system cannot share memory. Release them with shared_memory_release. */
enum status shared_memory_take(struct shared_memory *memory, uint64_t size, int shared,
                               const char *what, struct error *e);

/* Opens the memory that process `pid` took and has as its descriptor `fd`. ST_RESOURCE if this process may not open it. */
enum status shared_memory_open(struct shared_memory *memory, uint64_t size, int pid, int fd, struct error *e);

void shared_memory_release(struct shared_memory *memory); /* a zeroed one is allowed */

#endif
