/* mapped.c: see mapped.h */
#include "mapped.h"

#include "signals.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

static struct mapped_file *open_files; /* the handler reads it without the lock */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* A string for writev. */
static struct iovec iovec_of(const char *s)
{
    return (struct iovec){(void *)s, strlen(s)};
}

/* Handles SIGBUS: if the address is in a mapped file, prints the message and ends the process. */
static void end_by_bus_error(int number, siginfo_t *info, void *context)
{
    const char *at = info->si_addr;
    (void)context;
    for (const struct mapped_file *f = open_files; f != NULL; f = f->next) {
        if (at < (const char *)f->bytes || at >= (const char *)f->bytes + f->size)
            continue;
        /* one write prints all of the message, because a launcher may stop listening after any write */
        const struct iovec line[] = {iovec_of(program_invocation_short_name), iovec_of(": "), iovec_of(f->path),
                                     iovec_of(": cannot read: the file became shorter while it was in use, or its disk failed\n")};
        if (writev(STDERR_FILENO, line, sizeof line / sizeof *line) < 0)
            errno = 0; /* nobody is left to tell */
        signals_leave(ST_RUNTIME);
    }
    signal(number, SIG_DFL); /* not ours: the access is tried again */
}

/* Installs the handler, once. Call it under the lock. */
static void install(void)
{
    static int installed;
    struct sigaction action = {.sa_sigaction = end_by_bus_error, .sa_flags = SA_SIGINFO};
    if (!installed)
        sigaction(SIGBUS, &action, NULL);
    installed = 1;
}

/* Maps a file for reading, and enters it into open_files for the handler of SIGBUS. */
enum status mapped_open(struct mapped_file *file, int fd, size_t size, const char *path, struct error *e)
{
    void *bytes = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
    if (bytes == MAP_FAILED)
        return fail_errno(e, path, "cannot map");
    pthread_mutex_lock(&lock);
    install();
    *file = (struct mapped_file){path, bytes, size, open_files};
    open_files = file;
    pthread_mutex_unlock(&lock);
    return ST_OK;
}

void mapped_close(struct mapped_file *file)
{
    if (file->bytes == NULL)
        return;
    pthread_mutex_lock(&lock);
    for (struct mapped_file **at = &open_files; *at != NULL; at = &(*at)->next) {
        if (*at == file) {
            *at = file->next;
            break;
        }
    }
    pthread_mutex_unlock(&lock);
    munmap(file->bytes, file->size);
    file->bytes = NULL;
}
