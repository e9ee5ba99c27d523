/* files.c: files for fuzz targets; see fuzz.h */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void need(int ok, const char *what)
{
    if (ok)
        return;
    perror(what);
    _exit(2);
}

const char *fuzz_file(const unsigned char *bytes, size_t size, int *fd)
{
    static char path[64];
    static int file = -1;
    if (file < 0) {
        file = memfd_create("fuzz", MFD_CLOEXEC);
        need(file >= 0, "memfd_create");
        snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    }
    need(ftruncate(file, 0) == 0 && pwrite(file, bytes, size, 0) == (ssize_t)size &&
             lseek(file, 0, SEEK_SET) == 0,
         "memory file");
    *fd = file;
    return path;
}

enum { MOST_FILES = 4 };

static char folder[64], file_path[MOST_FILES][256];

static void remove_folder(void)
{
    for (int i = 0; i < MOST_FILES && file_path[i][0] != '\0'; i++)
        unlink(file_path[i]);
    rmdir(folder);
}

const char *fuzz_folder(void)
{
    if (folder[0] == '\0') {
        snprintf(folder, sizeof folder, "%s/dbfs-fuzz.XXXXXX",
                 access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
        need(mkdtemp(folder) != NULL, folder);
        atexit(remove_folder);
    }
    return folder;
}

void fuzz_file_in_folder(const char *name, const unsigned char *bytes, size_t size)
{
    char path[256];
    int i = 0;
    snprintf(path, sizeof path, "%s/%s", fuzz_folder(), name);
    while (i < MOST_FILES && file_path[i][0] != '\0' && strcmp(file_path[i], path) != 0)
        i++;
    need(i < MOST_FILES, path);
    strcpy(file_path[i], path);
    FILE *file = fopen(path, "wb");
    need(file != NULL && fwrite(bytes, 1, size, file) == size && fclose(file) == 0, path);
}
