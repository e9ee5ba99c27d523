/* shared_memory.h: memory that other processes of this host can read and write.
 *
 * The owner tells others its process id and the descriptor, and they open the same pages. Nothing is left
 * behind when the processes end, however they end.
 */
#ifndef DBFS_SHARED_MEMORY_H
#define DBFS_SHARED_MEMORY_H

#include "status.h"

#include <stdint.h>

struct shared_memory {
    void *bytes; /* NULL: none */
    uint64_t size;
    int fd; /* of the owner; -1: none */
};

/* Takes `size` zeroed bytes. Pages are used when they are first written. With `shared` other processes may
 * open them, unless the system has no such memory: then they cannot, and learn it when they try. Release it
 * with shared_memory_release. */
enum status shared_memory_take(struct shared_memory *memory, uint64_t size, int shared,
                               const char *what, struct error *e);

/* Opens the memory that process `pid` took, which has the descriptor `fd` there. ST_RESOURCE: this process may
 * not. */
enum status shared_memory_open(struct shared_memory *memory, uint64_t size, int pid, int fd,
                               struct error *e);

void shared_memory_release(struct shared_memory *memory); /* a zeroed one is allowed */

#endif
