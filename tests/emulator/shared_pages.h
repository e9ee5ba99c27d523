/* shared_pages.h: memory that other processes can map, with pages around it that may not be touched */
#ifndef EMULATOR_SHARED_PAGES_H
#define EMULATOR_SHARED_PAGES_H

#include <cstddef>
#include <cstdint>

namespace emulated {

struct shared_pages {
    void *memory = nullptr;
    size_t bytes = 0; /* whole pages */
    int file = -1;
};

/* The place where another process finds the pages, and the place of an allocation in them. */
struct pages_handle {
    int process, file;
    uint64_t bytes, offset;
};

bool pages_open(shared_pages *pages, size_t bytes);
pages_handle pages_name(const shared_pages *pages, size_t offset);
bool pages_map(shared_pages *pages, const pages_handle *handle);
void pages_close(shared_pages *pages);

}

#endif
