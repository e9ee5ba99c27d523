/* outfile.c: see outfile.h */
#include "outfile.h"
#include "signals.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    BUFFER_BYTES = 1 << 18,
    WRITE_BACK_BYTES = 1 << 23
};

struct outfile {
    int fd;
    int pending_slot; /* >= 0: the temporary name exists and is registered for removal */
    int seekable;
    int in_place;     /* the file itself is written over */
    int grows;        /* the temporary name is NAME.part, which stays until the commit */
    uint64_t end;     /* bytes appended, buffered ones included */
    uint64_t written_back; /* those that the system was told to write to disk */
    size_t buffered;
    char *final_path; /* NULL: written directly */
    char *temp_path;  /* the temporary name, or its pattern while the file has none */
    char *name;
    unsigned char *buffer;
};

/* Closes the file, if it is no standard stream, and frees all. A temporary file stays, and no signal removes it any more. */
static void free_outfile(struct outfile *out)
{
    if (out->fd > STDERR_FILENO)
        close(out->fd);
    signals_forget(out->pending_slot);
    free(out->final_path);
    free(out->temp_path);
    free(out->name);
    free(out->buffer);
    free(out);
}

static void remove_temporary(const struct outfile *out)
{
    if (out->pending_slot >= 0)
        unlink(out->temp_path);
}

/* ---- what a path names ---- */

enum { MOST_LINKS = 40 }; /* as Linux follows */

/* Replaces a path that is a symbolic link by what the link names. Returns 0 for any other path. */
static int follow_link(char path[PATH_MAX])
{
    char target[PATH_MAX];
    ssize_t length = readlink(path, target, sizeof target - 1);
    if (length < 0)
        return 0;
    target[length] = '\0';
    char *slash = target[0] == '/' ? NULL : strrchr(path, '/');
    char *end = slash != NULL ? slash + 1 : path;
    snprintf(end, (size_t)(path + PATH_MAX - end), "%s", target);
    return 1;
}

/* Writes the name of the file that a path leads to, through links whose end need not exist. */
static void follow_links(const char *path, char made[PATH_MAX])
{
    snprintf(made, PATH_MAX, "%s", path);
    for (int i = 0; i < MOST_LINKS && follow_link(made); i++)
        ;
}

/* Returns the file that an output names, at the end of links, so that links stay; the caller frees it. */
static char *resolve_link(const char *path)
{
    char made[PATH_MAX], *real = realpath(path, NULL);
    if (real != NULL)
        return real;
    follow_links(path, made);
    return strdup(made);
}

/* Nonzero for "-" and NULL: standard input or output. */
static int is_standard(const char *path)
{
    return path == NULL || strcmp(path, "-") == 0;
}

/* The open descriptor that an output names: "-" is 1, and so is /dev/stdout; /dev/fd/3 is 3. -1: the output names none.
 * Such an output is no file of that name: the shell has opened the file, and it is written where it is open. */
static int descriptor_of(const char *output)
{
    static const char *const folder[] = {"/proc/self/fd/", "/dev/fd/"};
    char at[PATH_MAX];
    uint64_t number;
    int links = 0;
    if (is_standard(output))
        return STDOUT_FILENO;
    snprintf(at, sizeof at, "%s", output);
    do {
        for (size_t i = 0; i < sizeof folder / sizeof *folder; i++) {
            size_t length = strlen(folder[i]);
            if (strncmp(at, folder[i], length) == 0 && parse_u64(at + length, &number) == 0 && number <= INT_MAX)
                return (int)number;
        }
    } while (links++ < MOST_LINKS && follow_link(at));
    return -1;
}

int outfile_is_stdout(const char *output)
{
    return output != NULL && descriptor_of(output) == STDOUT_FILENO;
}

/* Looks at the file behind an output; nonzero where there is one. */
static int look_at_output(const char *output, struct stat *st)
{
    int fd = descriptor_of(output);
    return (fd >= 0 ? fstat(fd, st) : stat(output, st)) == 0;
}

/* Refuses a descriptor that cannot be written. One that would be closed for a new program is a file of this program,
 * and not of the caller. */
static enum status check_descriptor(const char *name, int fd, struct error *e)
{
    int mode = fcntl(fd, F_GETFL), flags = fcntl(fd, F_GETFD);
    int takes_bytes = mode >= 0 && (mode & O_ACCMODE) != O_RDONLY;
    if (takes_bytes && (fd <= STDERR_FILENO || (flags & FD_CLOEXEC) == 0))
        return ST_OK;
    errno = EBADF;
    return fail_errno(e, name, "cannot write");
}

/* ---- opening ---- */

/* The mode of a new output: that of the file that is replaced. A program with the rights of its owner must not come of
 * it, and where the owner becomes another one nobody else may write. */
static mode_t creation_mode(const struct stat *replaced)
{
    if (replaced != NULL)
        return replaced->st_mode & (replaced->st_uid == geteuid() ? 0777 : 0755);
    mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

/* Opens out->fd beside the final path, without a name if possible, else under a temporary name. */
static enum status open_temporary(struct outfile *out, const struct stat *replaced, struct error *e)
{
    size_t bytes = strlen(out->final_path) + 16;
    char *folder_copy = strdup(out->final_path), *base_copy = strdup(out->final_path);
    out->temp_path = malloc(bytes);
    if (folder_copy == NULL || base_copy == NULL || out->temp_path == NULL) {
        free(folder_copy);
        free(base_copy);
        return fail_memory(e, out->name, bytes);
    }
    const char *folder = dirname(folder_copy);
    snprintf(out->temp_path, bytes, "%s/.%s.XXXXXX", folder, basename(base_copy));
    /* without a name, if /proc could name it later: nothing is left of it then, however the process ends */
    out->fd = access("/proc/self/fd", X_OK) == 0 ? open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, S_IRUSR | S_IWUSR) : -1;
    free(folder_copy);
    free(base_copy);
    if (out->fd < 0)
        out->fd = signals_create(out->temp_path, &out->pending_slot);
    if (out->fd < 0)
        return fail_errno(e, out->name, "cannot create a temporary file beside it");
    if (fchmod(out->fd, creation_mode(replaced)) != 0) {
        fail_errno(e, out->name, "cannot set its mode");
        remove_temporary(out);
        return e->status;
    }
    return ST_OK;
}

/* Returns "PATH.part"; the caller frees it. */
static char *part_of(const char *path)
{
    char *part = malloc(strlen(path) + sizeof ".part");
    if (part != NULL)
        sprintf(part, "%s.part", path);
    return part;
}

/* Opens out->fd as NAME.part, new or with its first `kept` bytes. No link is followed, as another user may have made it. */
static enum status open_part(struct outfile *out, uint64_t kept, const struct stat *replaced, struct error *e)
{
    struct stat st;
    out->temp_path = part_of(out->final_path);
    if (out->temp_path == NULL)
        return fail_memory(e, out->name, strlen(out->final_path));
    if (kept == 0)
        unlink(out->temp_path);
    out->fd = open(out->temp_path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | (kept == 0 ? O_CREAT | O_EXCL : 0), 0600);
    if (out->fd < 0 || fstat(out->fd, &st) != 0)
        return fail_errno(e, out->temp_path, kept == 0 ? "cannot create" : "cannot go on");
    if (!S_ISREG(st.st_mode))
        return fail(e, ST_RUNTIME, "%s: cannot go on: is not a regular file", out->temp_path);
    if (kept == 0 && fchmod(out->fd, creation_mode(replaced)) != 0)
        return fail_errno(e, out->temp_path, "cannot set its mode");
    if (ftruncate(out->fd, (off_t)kept) != 0 || lseek(out->fd, 0, SEEK_END) < 0)
        return fail_errno(e, out->temp_path, "cannot go on");
    out->end = kept;
    return ST_OK;
}

/* Opens out->fd for a path: a device or an output in place directly, else a temporary file or the part. */
static enum status open_path(struct outfile *out, const char *path, uint64_t kept, struct error *e)
{
    struct stat st;
    int exists = stat(path, &st) == 0;
    if (!exists && errno != ENOENT)
        return fail_errno(e, path, "cannot create it");
    if ((exists && S_ISDIR(st.st_mode)) || (*path != '\0' && path[strlen(path) - 1] == '/'))
        return fail(e, ST_RUNTIME, "%s: is a directory", path);
    out->in_place = out->in_place && exists && S_ISREG(st.st_mode) && creation_mode(&st) == (st.st_mode & 07777);
    if (out->in_place || (exists && !S_ISREG(st.st_mode))) {
        out->fd = open(path, O_WRONLY | O_CLOEXEC);
        return out->fd >= 0 ? ST_OK : fail_errno(e, path, "cannot open for writing");
    }
    out->final_path = resolve_link(path);
    if (out->final_path == NULL)
        return fail_memory(e, path, strlen(path));
    return out->grows ? open_part(out, kept, exists ? &st : NULL, e) : open_temporary(out, exists ? &st : NULL, e);
}

/* Writes to a descriptor that the caller opened: to a standard stream itself, to another by a copy. */
static enum status open_descriptor(struct outfile *out, int fd, struct error *e)
{
    if (check_descriptor(out->name, fd, e) != ST_OK)
        return e->status;
    out->fd = fd <= STDERR_FILENO ? fd : fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    return out->fd >= 0 ? ST_OK : fail_errno(e, out->name, "cannot open for writing");
}

/* What becomes of the old file of an output: it is replaced when the new one is complete, overwritten, or replaced by a file NAME.part. */
enum opening { REPLACING, IN_PLACE, GROWING };

static enum status open_output(struct outfile **result, const char *path, enum opening as, uint64_t kept, struct error *e)
{
    *result = NULL;
    int fd = descriptor_of(path);
    struct outfile *out = calloc(1, sizeof *out);
    if (out == NULL)
        return fail_memory(e, "output", sizeof *out);
    out->fd = -1;
    out->pending_slot = -1;
    out->in_place = as == IN_PLACE;
    out->grows = as == GROWING;
    out->name = strdup(is_standard(path) ? "standard output" : path);
    out->buffer = malloc(BUFFER_BYTES);
    if (out->name == NULL || out->buffer == NULL) {
        fail_memory(e, "output", BUFFER_BYTES);
        goto failed;
    }
    signals_ignore_writes();
    if ((fd >= 0 ? open_descriptor(out, fd, e) : open_path(out, path, kept, e)) != ST_OK)
        goto failed;
    out->seekable = out->temp_path != NULL && !out->grows;
    *result = out;
    return ST_OK;
failed:
    free_outfile(out);
    return e->status;
}

/* Opens an output that gets its final name when it is complete. */
enum status outfile_open(struct outfile **out, const char *path, struct error *e)
{
    return open_output(out, path, REPLACING, /* kept */ 0, e);
}

/* Opens a regular file to be written over where it stands, if it exists. */
enum status outfile_open_in_place(struct outfile **out, const char *path, struct error *e)
{
    return open_output(out, path, IN_PLACE, /* kept */ 0, e);
}

/* Opens an output that is NAME.part until it is complete; its first `kept` bytes stay. */
enum status outfile_open_growing(struct outfile **out, const char *path, uint64_t kept, struct error *e)
{
    return open_output(out, path, GROWING, kept, e);
}

/* Sets *part to the name that outfile_open_growing uses; NULL if the output is written directly. */
enum status outfile_part(char **part, const char *path, struct error *e)
{
    struct stat st;
    *part = NULL;
    if (descriptor_of(path) >= 0 || (stat(path, &st) == 0 && !S_ISREG(st.st_mode)))
        return ST_OK;
    char *final_path = resolve_link(path);
    if (final_path == NULL || (*part = part_of(final_path)) == NULL)
        fail_memory(e, path, strlen(path));
    free(final_path);
    return e->status;
}

/* ---- what an output must not replace ---- */

static int is_same_file(const struct stat *a, const struct stat *b)
{
    return S_ISREG(a->st_mode) && a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* The folder that a path leads to, and the name in it; nonzero where there is such a folder. */
static int look_at_folder(const char *path, struct stat *folder, const char **name)
{
    char copy[PATH_MAX];
    const char *slash = strrchr(path, '/');
    *name = slash != NULL ? slash + 1 : path;
    snprintf(copy, sizeof copy, "%.*s", (int)(*name - path), path);
    return stat(slash != NULL ? copy : ".", folder) == 0;
}

/* Nonzero if the same new file would be made for both paths: the same name in the same folder. */
static int is_same_new_name(const char *a, const char *b)
{
    struct stat a_folder, b_folder;
    const char *a_name, *b_name;
    char a_made[PATH_MAX], b_made[PATH_MAX];
    follow_links(a, a_made);
    follow_links(b, b_made);
    return look_at_folder(a_made, &a_folder, &a_name) && look_at_folder(b_made, &b_folder, &b_name) &&
           strcmp(a_name, b_name) == 0 && a_folder.st_dev == b_folder.st_dev &&
           a_folder.st_ino == b_folder.st_ino;
}

/* Fails if the output is the same file as one of the inputs. */
enum status outfile_refuse_inputs(const char *output, const char *const *inputs, size_t count, struct error *e)
{
    struct stat out, in;
    if (output == NULL)
        return ST_OK;
    int exists = look_at_output(output, &out);
    for (size_t i = 0; i < count; i++) {
        if (inputs[i] == NULL)
            continue;
        int is_stdin = is_standard(inputs[i]);
        int found = (is_stdin ? fstat(STDIN_FILENO, &in) : stat(inputs[i], &in)) == 0;
        if (found == exists && (found ? is_same_file(&out, &in) : is_same_new_name(output, inputs[i])))
            return fail(e, ST_USAGE, "%s: is an input too (%s); choose another output",
                        is_standard(output) ? "standard output" : output, is_stdin ? "standard input" : inputs[i]);
    }
    return ST_OK;
}

/* Nonzero if bytes of both outputs would go to one file or pipe. Not for a device: there may be many like /dev/null. */
static int is_same_place(const char *output, const char *other)
{
    struct stat a, b;
    int a_exists = look_at_output(output, &a), b_exists = look_at_output(other, &b);
    if (a_exists != b_exists)
        return 0;
    if (!a_exists)
        return is_same_new_name(output, other);
    if (descriptor_of(output) >= 0 && descriptor_of(output) == descriptor_of(other))
        return 1;
    return is_same_file(&a, &b) || (S_ISFIFO(a.st_mode) && a.st_dev == b.st_dev && a.st_ino == b.st_ino);
}

enum status outfile_refuse_output(const char *output, const char *other, struct error *e)
{
    if (output == NULL || other == NULL || !is_same_place(output, other))
        return ST_OK;
    return fail(e, ST_USAGE, "%s: is another output too (%s); choose different ones", output,
                other);
}

/* Fails if the output could not be written at the end, which a trial shows, or would replace a file without `force`. */
enum status outfile_check_output(const char *output, int force, struct error *e)
{
    struct stat st;
    struct outfile *trial;
    int fd = descriptor_of(output);
    if (output == NULL)
        return ST_OK;
    if (fd >= 0)
        return check_descriptor(is_standard(output) ? "standard output" : output, fd, e);
    int exists = stat(output, &st) == 0;
    if (exists && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
        return ST_OK;
    if (exists && S_ISREG(st.st_mode) && !force)
        return fail(e, ST_RUNTIME, "%s: exists already: --force replaces it", output);
    if (outfile_open(&trial, output, e) == ST_OK)
        outfile_abort(trial);
    return e->status;
}

/* ---- writing ---- */

static enum status write_all(struct outfile *out, const unsigned char *bytes, size_t count, struct error *e)
{
    while (count > 0) {
        ssize_t done = write(out->fd, bytes, count);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return fail_errno(e, out->name, "cannot write");
        bytes += done;
        count -= (size_t)done;
    }
    return ST_OK;
}

static enum status flush_buffer(struct outfile *out, struct error *e)
{
    size_t count = out->buffered;
    out->buffered = 0;
    return write_all(out, out->buffer, count, e);
}

/* Lets the system write to disk what was written so far, while more is made, so that outfile_commit waits less. */
static void write_back(struct outfile *out)
{
    if (out->end - out->written_back < WRITE_BACK_BYTES || out->temp_path == NULL)
        return;
    out->written_back = out->end;
    sync_file_range(out->fd, 0, 0, SYNC_FILE_RANGE_WRITE);
}

/* Appends bytes, through the buffer. */
enum status outfile_write(struct outfile *out, const void *bytes, size_t count, struct error *e)
{
    if (out->buffered + count > BUFFER_BYTES && flush_buffer(out, e) != ST_OK)
        return e->status;
    out->end += count;
    write_back(out);
    if (count >= BUFFER_BYTES)
        return write_all(out, bytes, count, e);
    memcpy(out->buffer + out->buffered, bytes, count);
    out->buffered += count;
    return ST_OK;
}

/* Writes bytes at offset `at`, past the buffer. Any number of threads may do so. */
enum status outfile_fill(const struct outfile *out, uint64_t at, const void *bytes, size_t count, struct error *e)
{
    const unsigned char *p = bytes;
    while (count > 0) {
        ssize_t done = pwrite(out->fd, p, count, (off_t)at);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return fail_errno(e, out->name, "cannot write");
        p += done;
        at += (uint64_t)done;
        count -= (size_t)done;
    }
    return ST_OK;
}

/* Overwrites the first bytes, which were written before. */
enum status outfile_rewrite(struct outfile *out, const void *bytes, size_t count, struct error *e)
{
    return flush_buffer(out, e) == ST_OK ? outfile_fill(out, 0, bytes, count, e) : e->status;
}

/* Leaves out the next `count` bytes, which outfile_fill will write at *at. */
enum status outfile_skip(struct outfile *out, uint64_t count, uint64_t *at, struct error *e)
{
    *at = out->end;
    if (flush_buffer(out, e) != ST_OK)
        return e->status;
    if (lseek(out->fd, (off_t)count, SEEK_CUR) < 0)
        return fail_errno(e, out->name, "cannot seek");
    out->end += count;
    write_back(out);
    return ST_OK;
}

/* Flushes the buffer, and syncs a growing output, so that another run can go on from here. */
enum status outfile_keep(struct outfile *out, struct error *e)
{
    if (flush_buffer(out, e) == ST_OK && out->grows && out->temp_path != NULL && fdatasync(out->fd) != 0)
        fail_errno(e, out->temp_path, "cannot sync");
    return e->status;
}

/* Gives the temporary file its temporary name if it has none yet. Nonzero if it has one then. */
static int ensure_name(struct outfile *out)
{
    return out->grows || out->pending_slot >= 0 || signals_name(out->fd, out->temp_path, &out->pending_slot) >= 0;
}

/* The temporary name, which the file gets now if it has none; NULL: other processes cannot join. */
const char *outfile_temporary(struct outfile *out)
{
    return out->temp_path != NULL && ensure_name(out) ? out->temp_path : NULL;
}

/* Opens the temporary file of another process, to fill parts of it. A signal removes it from now on. */
enum status outfile_join(struct outfile **result, const char *temporary, const char *name, struct error *e)
{
    *result = NULL;
    struct outfile *out = calloc(1, sizeof *out);
    if (out == NULL)
        return fail_memory(e, "output", sizeof *out);
    out->pending_slot = -1;
    out->name = strdup(name);
    out->fd = open(temporary, O_WRONLY | O_CLOEXEC);
    if (out->fd < 0 || out->name == NULL) {
        fail_errno(e, name, "cannot open it for another process");
        free_outfile(out);
        return e->status;
    }
    out->pending_slot = signals_also_remove(temporary);
    *result = out;
    return ST_OK;
}

/* Syncs and closes a file that outfile_join opened. */
enum status outfile_leave(struct outfile *out, struct error *e)
{
    if (out == NULL)
        return e->status;
    if (fsync(out->fd) != 0)
        fail_errno(e, out->name, "cannot sync");
    free_outfile(out);
    return e->status;
}

uint64_t outfile_tell(const struct outfile *out)
{
    return out->end;
}

int outfile_seekable(const struct outfile *out)
{
    return out->seekable;
}

int outfile_is_terminal(const struct outfile *out)
{
    return isatty(out->fd);
}

const char *outfile_name(const struct outfile *out)
{
    return out->name;
}

static double now_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Syncs the folder of `path`, because the rename itself must survive a crash of the machine. */
static enum status sync_folder(const char *path, const char *name, struct error *e)
{
    char copy[PATH_MAX]; /* no allocation may fail after the rename */
    snprintf(copy, sizeof copy, "%s", path);
    int fd = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return fail_errno(e, name, "cannot open its folder");
    /* some file systems cannot sync a folder and say EINVAL: nothing more can be done there */
    int failed = fsync(fd) != 0 && errno != EINVAL && errno != EROFS;
    if (failed)
        fail_errno(e, name, "cannot sync its folder");
    close(fd);
    return e->status;
}

/* Syncs the temporary file and gives it its final name. */
static enum status commit_temporary(struct outfile *out, double *sync_seconds, struct error *e)
{
    double start = now_seconds();
    if (fsync(out->fd) != 0)
        return fail_errno(e, out->name, "cannot sync");
    if (sync_seconds != NULL)
        *sync_seconds = now_seconds() - start;
    /* a file without a name gets the final one at once if that is free, so that no temporary one can be left */
    if (!out->grows && out->pending_slot < 0 && signals_link(out->fd, out->final_path) == 0)
        return sync_folder(out->final_path, out->name, e);
    if (!ensure_name(out))
        return fail_errno(e, out->name, "cannot name the complete file");
    int fd = out->fd;
    out->fd = -1;
    if (close(fd) != 0)
        return fail_errno(e, out->name, "cannot close");
    if (rename(out->temp_path, out->final_path) != 0)
        return fail_errno(e, out->name, "cannot rename into place");
    signals_forget(out->pending_slot);
    out->pending_slot = -1;
    return sync_folder(out->final_path, out->name, e);
}

/* Completes the output: flushes and syncs it, gives it its final name and frees `out`; on failure discards it. */
enum status outfile_commit(struct outfile *out, double *sync_seconds, struct error *e)
{
    if (sync_seconds != NULL)
        *sync_seconds = 0;
    if (out == NULL || e->status != ST_OK || flush_buffer(out, e) != ST_OK ||
        (out->temp_path != NULL && commit_temporary(out, sync_seconds, e) != ST_OK)) {
        outfile_abort(out);
        return e->status;
    }
    if (out->temp_path == NULL && out->fd > STDERR_FILENO) {
        if (out->in_place && ftruncate(out->fd, (off_t)out->end) != 0)
            fail_errno(e, out->name, "cannot cut it");
        int fd = out->fd;
        out->fd = -1;
        if (close(fd) != 0)
            fail_errno(e, out->name, "cannot close");
    }
    free_outfile(out);
    return e->status;
}

/* Removes the temporary file, but not a part, and frees `out`. */
void outfile_abort(struct outfile *out)
{
    if (out == NULL)
        return;
    remove_temporary(out);
    free_outfile(out);
}

/* Removes NAME.part, and frees `out`. */
void outfile_remove_part(struct outfile *out)
{
    if (out->grows && out->temp_path != NULL)
        unlink(out->temp_path);
    free_outfile(out);
}

/* Writes a whole output. */
enum status outfile_put(const char *path, const void *bytes, size_t count, struct error *e)
{
    struct outfile *out = NULL;
    if (outfile_open(&out, path, e) == ST_OK)
        outfile_write(out, bytes, count, e);
    return outfile_commit(out, NULL, e);
}

/* Writes the text that `print` prints as a whole output. */
enum status outfile_print(const char *path, text_printer *print, const void *context, struct error *e)
{
    size_t size;
    char *text = text_printed(print, context, &size);
    if (text == NULL)
        return fail_memory(e, path, size);
    outfile_put(path, text, size, e);
    free(text);
    return e->status;
}

/* Flushes a standard stream; fails if any of it could not be written. */
enum status stream_flush(FILE *stream, struct error *e)
{
    if (fflush(stream) != 0 || ferror(stream))
        return fail_errno(e, stream == stderr ? "standard error" : "standard output", "cannot write");
    return ST_OK;
}
