/* shared_memory.c: see shared_memory.h */
#include "shared_memory.h"

#include "huge.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

/* Takes zeroed memory; if `shared`, other processes may open it, as far as the system permits. */
enum status shared_memory_take(struct shared_memory *memory, uint64_t size, int shared,
                               const char *what, struct error *e)
{
    *memory = (struct shared_memory){.size = size > 0 ? size : 1, .fd = -1};
    if (shared)
        memory->fd = memfd_create("dbfs", MFD_CLOEXEC);
    if (memory->fd >= 0 && ftruncate(memory->fd, (off_t)memory->size) != 0) {
        close(memory->fd);
        memory->fd = -1;
    }
    int flags = memory->fd >= 0 ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS;
    void *bytes =
        mmap(NULL, memory->size, PROT_READ | PROT_WRITE, flags | MAP_NORESERVE, memory->fd, 0);
    if (bytes == MAP_FAILED) {
        fail_memory(e, what, size);
        shared_memory_release(memory);
        return e->status;
    }
    memory->bytes = bytes;
    huge_advise(bytes, memory->size);
    return ST_OK;
}

enum status shared_memory_open(struct shared_memory *memory, uint64_t size, int pid, int fd, struct error *e)
{
    char path[64];
    *memory = (struct shared_memory){.size = size > 0 ? size : 1, .fd = -1};
    snprintf(path, sizeof path, "/proc/%d/fd/%d", pid, fd);
    int here = open(path, O_RDWR | O_CLOEXEC);
    void *bytes = here < 0 ? MAP_FAILED
                           : mmap(NULL, memory->size, PROT_READ | PROT_WRITE,
                                  MAP_SHARED | MAP_NORESERVE, here, 0);
    if (bytes == MAP_FAILED) {
        fail_errno(e, path, "cannot open the memory of another process");
        e->status = ST_RESOURCE;
    } else {
        memory->bytes = bytes;
    }
    if (here >= 0)
        close(here);
    return e->status;
}

void shared_memory_release(struct shared_memory *memory)
{
    if (memory->bytes != NULL)
        munmap(memory->bytes, memory->size);
    if (memory->size > 0 && memory->fd >= 0)
        close(memory->fd);
    *memory = (struct shared_memory){.fd = -1};
}
