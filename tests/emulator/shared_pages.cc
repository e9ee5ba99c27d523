/* shared_pages.cc: see shared_pages.h */
#include "shared_pages.h"

#include <cstdio>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace emulated {

static size_t page_bytes()
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

/* A page before and a page behind stay reserved. */
static bool map_file(shared_pages *pages)
{
    const size_t page = page_bytes();
    char *place = (char *)mmap(nullptr, pages->bytes + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (place == MAP_FAILED)
        return false;
    void *memory = mmap(place + page, pages->bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, pages->file, 0);
    if (memory == MAP_FAILED) {
        munmap(place, pages->bytes + 2 * page);
        return false;
    }
    pages->memory = memory;
    return true;
}

bool pages_open(shared_pages *pages, size_t bytes)
{
    const size_t page = page_bytes();
    pages->bytes = (bytes + page - 1) / page * page;
    pages->file = memfd_create("emulated-gpu", MFD_CLOEXEC);
    if (pages->file >= 0 && ftruncate(pages->file, (off_t)pages->bytes) == 0 && map_file(pages))
        return true;
    pages_close(pages);
    return false;
}

pages_handle pages_name(const shared_pages *pages, size_t offset)
{
    return pages_handle{(int)getpid(), pages->file, pages->bytes, offset};
}

bool pages_map(shared_pages *pages, const pages_handle *handle)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/fd/%d", handle->process, handle->file);
    pages->bytes = handle->bytes;
    pages->file = open(path, O_RDWR | O_CLOEXEC);
    if (pages->file >= 0 && map_file(pages))
        return true;
    pages_close(pages);
    return false;
}

void pages_close(shared_pages *pages)
{
    const size_t page = page_bytes();
    if (pages->memory != nullptr)
        munmap((char *)pages->memory - page, pages->bytes + 2 * page);
    if (pages->file >= 0)
        close(pages->file);
    *pages = shared_pages{};
}

}
