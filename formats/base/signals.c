/* signals.c: see signals.h. The handler must know the name of every temporary file that exists, although it may run in any
 * thread while others go on. So a thread blocks signals while it creates a file, and the handler waits for that thread. Once
 * the handler has begun, no thread creates a file any more. */
#include "signals.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

enum { MAX_PENDING = 256, MAX_PATH_BYTES = 4096 };

static const int ending[] = {SIGINT, SIGTERM, SIGHUP};

enum { ENDING = sizeof ending / sizeof *ending };

/* Names of the files to remove. A slot is in use while its first byte is not 0. The table is fixed, because a handler may not allocate. */
static char pending[MAX_PENDING][MAX_PATH_BYTES];
static char farewell[MAX_PATH_BYTES + 512];
static volatile size_t farewell_bytes;
static int creating, dying; /* atomic */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int installed;

enum { NEW_FILE = -1 };

/* Sets *set to the signals that end the program. */
static void set_of_ending(sigset_t *set)
{
    sigemptyset(set);
    for (size_t i = 0; i < ENDING; i++)
        sigaddset(set, ending[i]);
}

/* ---- the handler ---- */

static void say_farewell(void)
{
    size_t said = 0;
    while (said < farewell_bytes) {
        ssize_t wrote = write(STDERR_FILENO, farewell + said, farewell_bytes - said);
        if (wrote <= 0)
            break;
        said += (size_t)wrote;
    }
}

/* Another thread is about to end the process. */
_Noreturn static void wait_for_the_end(void)
{
    for (;;)
        pause();
}

/* Removes the files and folders of the table, after the farewell. No thread creates a file from here on. */
static void remove_files(void)
{
    if (__atomic_exchange_n(&dying, 1, __ATOMIC_SEQ_CST))
        wait_for_the_end();
    while (__atomic_load_n(&creating, __ATOMIC_SEQ_CST) > 0)
        sched_yield();
    say_farewell();
    for (int i = 0; i < MAX_PENDING; i++) {
        if (pending[i][0] != '\0')
            unlink(pending[i]);
    }
    for (int i = 0; i < MAX_PENDING; i++) {
        if (pending[i][0] != '\0')
            rmdir(pending[i]); /* removes folders; it fails for files */
    }
}

static void (*leave_by)(int exit_code);
static volatile sig_atomic_t *asked_first; /* where the first signal is stored; NULL: the first one ends the program, too */

/* Handles the signals that end the program: removes the files, and ends the job or this process. */
static void end_by(int signal_number)
{
    if (asked_first != NULL && *asked_first == 0 && signal_number != SIGHUP) {
        *asked_first = signal_number;
        return;
    }
    remove_files();
    if (leave_by != NULL)
        leave_by(128 + signal_number);
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

/* Removes the temporary files, and ends the job or this process. */
_Noreturn void signals_leave(int exit_code)
{
    remove_files();
    if (leave_by != NULL)
        leave_by(exit_code);
    _exit(exit_code);
}

/* Installs the handlers, once. Call it under the lock. */
static void install(void)
{
    if (installed)
        return;
    installed = 1;
    for (size_t i = 0; i < ENDING; i++) {
        struct sigaction old, action = {.sa_handler = end_by};
        set_of_ending(&action.sa_mask);
        /* nohup and shells set signals to be ignored: leave those alone */
        if (sigaction(ending[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(ending[i], &action, NULL);
    }
    signals_ignore_writes();
}

/* SIGPIPE and SIGXFSZ would end the process at once. Without them the write fails with an errno, and the
 * program removes its temporary files. */
void signals_ignore_writes(void)
{
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
}

/* Sets the function that ends a rank together with its job; NULL: a process ends alone. */
void signals_leave_by(void (*leave)(int exit_code))
{
    pthread_mutex_lock(&lock);
    leave_by = leave;
    if (leave != NULL)
        install();
    pthread_mutex_unlock(&lock);
}

/* Lets the first SIGINT or SIGTERM only store its number in *asked (signals.h). */
void signals_ask(volatile sig_atomic_t *asked)
{
    pthread_mutex_lock(&lock);
    asked_first = asked;
    install();
    pthread_mutex_unlock(&lock);
}

/* ---- files ---- */

/* Holds back ending signals from here, and a handler in another thread, until end_creating. Never returns once one runs. */
static void begin_creating(sigset_t *mask)
{
    sigset_t blocked;
    set_of_ending(&blocked);
    pthread_sigmask(SIG_BLOCK, &blocked, mask);
    __atomic_fetch_add(&creating, 1, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&dying, __ATOMIC_SEQ_CST)) {
        __atomic_fetch_sub(&creating, 1, __ATOMIC_SEQ_CST);
        wait_for_the_end();
    }
}

static void end_creating(const sigset_t *mask)
{
    __atomic_fetch_sub(&creating, 1, __ATOMIC_SEQ_CST);
    pthread_sigmask(SIG_SETMASK, mask, NULL);
}

/* A free slot of the table; -1 with errno if there is none. */
static int find_slot(void)
{
    for (int i = 0; i < MAX_PENDING; i++) {
        if (pending[i][0] == '\0')
            return i;
    }
    errno = EMFILE;
    return -1;
}

/* Enters a path into a free slot. Its first byte goes last: a handler never sees half a name. */
static void enter(int slot, const char *path)
{
    strcpy(pending[slot] + 1, path + 1);
    __atomic_store_n(&pending[slot][0], path[0], __ATOMIC_RELEASE);
}

/* Gives an open file without a name the name `path`. -1 with errno on failure. */
int signals_link(int fd, const char *path)
{
    char open_file[32];
    snprintf(open_file, sizeof open_file, "/proc/self/fd/%d", fd);
    return linkat(AT_FDCWD, open_file, AT_FDCWD, path, AT_SYMLINK_FOLLOW);
}

/* Gives the open file a name whose last six letters are random, as mkstemp chooses them. Returns fd, or -1. */
static int link_with_pattern(int fd, char *path)
{
    static const char digits[] = "0123456789abcdefghijklmnopqrstuv";
    char *x = path + strlen(path) - 6;
    for (int attempt = 0; attempt < 100; attempt++) {
        uint32_t random;
        if (getrandom(&random, sizeof random, 0) != sizeof random)
            return -1;
        for (int i = 0; i < 6; i++)
            x[i] = digits[random >> 5 * i & 31];
        if (signals_link(fd, path) == 0)
            return fd;
        if (errno != EEXIST)
            return -1;
    }
    return -1;
}

/* Names the open file `fd` by the pattern, or creates a file (NEW_FILE), and enters it into the table. Returns fd, or -1. */
static int create_entered(int fd, char *path, int *slot)
{
    *slot = -1;
    if (strlen(path) >= MAX_PATH_BYTES) {
        errno = ENAMETOOLONG;
        return -1;
    }
    int free_slot = find_slot();
    if (free_slot < 0)
        return -1;
    fd = fd == NEW_FILE ? mkstemp(path) : link_with_pattern(fd, path);
    if (fd >= 0) {
        enter(free_slot, path);
        *slot = free_slot;
    }
    return fd;
}

/* The same while no handler can run. */
static int create_guarded(int fd, char *path, int *slot)
{
    sigset_t mask;
    pthread_mutex_lock(&lock);
    install();
    begin_creating(&mask);
    fd = create_entered(fd, path, slot);
    int cause = errno;
    end_creating(&mask);
    pthread_mutex_unlock(&lock);
    errno = cause;
    return fd;
}

/* Creates a temporary file with mkstemp, which a signal removes. */
int signals_create(char *path, int *slot)
{
    return create_guarded(NEW_FILE, path, slot);
}

/* Gives an open file without a name one from the pattern, under which a signal removes it. */
int signals_name(int fd, char *path, int *slot)
{
    return create_guarded(fd, path, slot);
}

/* Lets a signal remove this file or empty folder. Returns its slot, or -1. */
int signals_also_remove(const char *path)
{
    pthread_mutex_lock(&lock);
    install();
    int slot = strlen(path) < MAX_PATH_BYTES ? find_slot() : -1;
    if (slot >= 0)
        enter(slot, path);
    pthread_mutex_unlock(&lock);
    return slot;
}

/* Empties the slot: no signal removes the file any more. */
void signals_forget(int slot)
{
    if (slot < 0)
        return;
    pthread_mutex_lock(&lock);
    pending[slot][0] = '\0';
    pthread_mutex_unlock(&lock);
}

/* Sets the line that is printed when a signal comes; NULL: none. */
void signals_farewell(const char *line)
{
    pthread_mutex_lock(&lock);
    farewell_bytes = 0; /* a handler never sees half a line */
    if (line != NULL && strlen(line) < sizeof farewell) {
        install();
        memcpy(farewell, line, strlen(line));
        farewell_bytes = strlen(line);
    }
    pthread_mutex_unlock(&lock);
}
