/* pack_folder.c: see pack_folder.h */
#include "pack_folder.h"

#include "formats/manifest.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* part-SSSS-of-PPPP.dbfs, as some packing named it */
static int is_part(const char *name)
{
    unsigned shard, p;
    int used = 0;
    return sscanf(name, "part-%u-of-%u.dbfs%n", &shard, &p, &used) == 2 && used > 0 &&
           name[used] == '\0';
}

static int is_dot(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

static enum status refuse_contents(const char *path, struct error *e)
{
    int empty = 1, manifest = 0;
    const struct dirent *entry;
    DIR *dir = opendir(path);
    if (dir == NULL)
        return fail_errno(e, path, "cannot open the folder");
    while ((entry = readdir(dir)) != NULL) {
        empty &= is_dot(entry->d_name);
        manifest |= strcmp(entry->d_name, MANIFEST_NAME) == 0;
    }
    closedir(dir);
    if (manifest)
        return fail(e, ST_RUNTIME, "%s: holds a packed graph already: --force replaces it", path);
    if (!empty)
        return fail(e, ST_RUNTIME, "%s: is not empty: --force writes into it all the same", path);
    return ST_OK;
}

enum status pack_folder_open(struct pack_folder *f, const char *path, uint32_t p, int force,
                             struct error *e)
{
    struct stat st;
    *f = (struct pack_folder){.path = path, .p = p, .first_part = p};
    if (mkdir(path, 0777) == 0) {
        f->made = 1;
        return ST_OK;
    }
    if (errno != EEXIST || stat(path, &st) != 0)
        return fail_errno(e, path, "cannot make the folder");
    if (!S_ISDIR(st.st_mode))
        return fail(e, ST_RUNTIME, "%s: is not a folder", path);
    return force ? ST_OK : refuse_contents(path, e);
}

static enum status remove_file(const char *folder, const char *name, struct error *e)
{
    char *path = manifest_path(folder, name);
    if (path == NULL)
        return fail_memory(e, folder, strlen(folder));
    if (unlink(path) != 0 && errno != ENOENT)
        fail_errno(e, path, "cannot remove");
    free(path);
    return e->status;
}

enum status pack_folder_clear(const struct pack_folder *f, struct error *e)
{
    const struct dirent *entry;
    if (remove_file(f->path, MANIFEST_NAME, e) != ST_OK)
        return e->status;
    DIR *dir = opendir(f->path);
    if (dir == NULL)
        return fail_errno(e, f->path, "cannot open the folder");
    while ((entry = readdir(dir)) != NULL && e->status == ST_OK) {
        if (is_part(entry->d_name))
            remove_file(f->path, entry->d_name, e);
    }
    closedir(dir);
    return e->status;
}

char *pack_folder_part(const struct pack_folder *f, uint32_t shard)
{
    char name[64];
    return manifest_path(f->path, manifest_part_name(name, sizeof name, shard, f->p));
}

void pack_folder_abandon(const struct pack_folder *f)
{
    for (uint32_t shard = f->first_part; shard < f->p; shard++) {
        char *path = pack_folder_part(f, shard);
        if (path != NULL)
            unlink(path);
        free(path);
    }
    if (f->made)
        rmdir(f->path);
}
