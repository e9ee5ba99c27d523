/* pack_lack.c: see pack_lack.h */
#include "pack_lack.h"

#include "formats/base/memory.h"

#include <libgen.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

enum { MOST_DISKS = 64 };

/* File systems, each once, and their free bytes together. */
struct disks {
    dev_t device[MOST_DISKS];
    int count;
    uint64_t free_bytes;
};

/* Adds the file system of a folder, unless it is there or the folder is not. */
static void add_disk(struct disks *d, const char *folder)
{
    struct stat st;
    struct statvfs vfs;
    if (d->count == MOST_DISKS || stat(folder, &st) != 0 || statvfs(folder, &vfs) != 0)
        return;
    for (int i = 0; i < d->count; i++) {
        if (d->device[i] == st.st_dev)
            return;
    }
    d->device[d->count++] = st.st_dev;
    d->free_bytes += (uint64_t)vfs.f_bavail * vfs.f_frsize;
}

/* The same for the folder, or the nearest one above it that exists. */
static void add_disk_of(struct disks *d, const char *folder)
{
    char path[PATH_MAX];
    struct stat st;
    snprintf(path, sizeof path, "%s", folder);
    while (stat(path, &st) != 0 && strcmp(path, ".") != 0 && strcmp(path, "/") != 0) {
        const char *above = dirname(path); /* in `path`, or a constant */
        memmove(path, above, strlen(above) + 1);
    }
    add_disk(d, path);
}

/* How much `need` exceeds `have`. */
static uint64_t beyond(uint64_t need, uint64_t have)
{
    return need > have ? need - have : 0;
}

/* Compares the plan with the memory and disk space that are free now. */
struct pack_lack pack_lack_find(const struct pack_plan *plan, const char *output, const char *const *tmpdirs, int count)
{
    struct disks temporary = {.count = 0}, out = {.count = 0};
    for (int i = 0; i < count; i++)
        add_disk(&temporary, tmpdirs[i]);
    struct disks all = temporary;
    uint64_t own = beyond(plan->disk_bytes, temporary.free_bytes), most = own;
    if (output != NULL) {
        add_disk_of(&out, output);
        add_disk_of(&all, output);
        uint64_t written = beyond(plan->written_bytes, out.free_bytes);
        uint64_t both = beyond(plan->disk_bytes + plan->written_bytes, all.free_bytes);
        most = both > own + written ? both : own + written;
    }
    return (struct pack_lack){.memory = beyond(plan->memory_bytes, memory_available()), .disk = most};
}
