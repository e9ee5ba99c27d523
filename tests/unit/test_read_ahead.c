/* test_read_ahead.c: inputs that are read ahead give the same bytes, order and errors as without, in the allowed
 * memory */
#include "unit.h"

#include "tools/convert/input/read_ahead.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum { FILES = 6, FILE_BYTES = 5 << 20, CUT_FILE = 4, CUT_BYTES = 20000, PLAIN_FILE = 2 };

static char folder[64];
static char paths[FILES][96];

/* Byte `at` of file `file`. */
static unsigned char content(int file, size_t at)
{
    return (unsigned char)('a' + (at / 7 + at / 4096 + (size_t)file) % 26);
}

static int make_file(int file)
{
    unsigned char *bytes = malloc(FILE_BYTES);
    snprintf(paths[file], sizeof paths[file], "%s/%d", folder, file);
    for (size_t i = 0; bytes != NULL && i < FILE_BYTES; i++)
        bytes[i] = content(file, i);
    gzFile out = gzopen(paths[file], file == PLAIN_FILE ? "wbT" : "wb1");
    int made = bytes != NULL && out != NULL && gzwrite(out, bytes, FILE_BYTES) == FILE_BYTES &&
               gzclose(out) == Z_OK;
    free(bytes);
    return made && (file != CUT_FILE || truncate(paths[file], CUT_BYTES) == 0);
}

static struct read_ahead *open_all(int ahead, uint64_t memory_bytes)
{
    const char *all[FILES];
    struct read_ahead *r = NULL;
    struct error e = {0};
    for (int i = 0; i < FILES; i++)
        all[i] = paths[i];
    all[1] = NULL; /* stands for a pipe of the caller */
    read_ahead_open(&r, all, FILES, ahead, memory_bytes, NULL, &e);
    return r;
}

/* Counts the steps until there is nothing to do. */
static int work_all(struct read_ahead *r)
{
    int steps = 0;
    while (read_ahead_work(r))
        steps++;
    return steps;
}

static int reads_as_made(struct input *in, int file, struct error *e)
{
    static unsigned char bytes[100003]; /* crosses the ends of kept pieces */
    size_t at = 0, got = sizeof bytes;
    int right = 1;
    while (got == sizeof bytes && input_read(in, bytes, sizeof bytes, &got, e) == ST_OK) {
        for (size_t i = 0; i < got; i++)
            right &= bytes[i] == content(file, at + i);
        at += got;
    }
    return right && at == FILE_BYTES;
}

/* Reads every input, doing `steps` of work before each (-1: all work). */
static void test_reading(int ahead, uint64_t memory_bytes, int steps)
{
    struct read_ahead *r = open_all(ahead, memory_bytes);
    int right = r != NULL;
    char name[96];
    for (int i = 0; right && i < FILES; i++) {
        struct error e = {0};
        struct input *in;
        for (int step = 0; step != steps && read_ahead_work(r); step++)
            continue;
        right = read_ahead_next(r, &in, &e) == ST_OK && (in == NULL) == (i == 1);
        if (right && in != NULL && i == CUT_FILE)
            right = !reads_as_made(in, i, &e) && e.status == ST_BAD_DATA &&
                    strstr(e.text, "byte 20000: found the end of the file") != NULL;
        else if (right && in != NULL)
            right = reads_as_made(in, i, &e) && e.status == ST_OK;
    }
    read_ahead_close(r);
    snprintf(name, sizeof name, "%d ahead, %d MiB, %d steps: bytes, order and the cut file", ahead,
             (int)(memory_bytes >> 20), steps);
    report(right, name);
}

static void test_memory(void)
{
    struct read_ahead *r = open_all(5, 4 << 20);
    struct error e = {0};
    struct input *in = NULL;
    int steps = work_all(r); /* opens an input, and keeps as much as fits */
    read_ahead_next(r, &in, &e);
    report(steps >= 3 && in != NULL && input_memory(in) <= (4 << 20) + 4096 &&
               input_memory(in) > 2 << 20,
           "what is kept stays within the memory allowed");
    report(work_all(r) == 0, "nothing more is read ahead while the memory is full");
    report(in != NULL && reads_as_made(in, 0, &e) && work_all(r) > 0,
           "until reading has given it back");
    read_ahead_close(r);
    r = open_all(0, 1 << 30);
    report(work_all(r) == 0, "nothing is done where nothing is to be open ahead");
    read_ahead_close(r);
    r = open_all(5, 1 << 30);
    work_all(r);
    report(work_all(r) == 0, "work ends when everything is kept");
    read_ahead_close(r);
}

static void test_missing(void)
{
    const char *missing[] = {paths[0], "/nonexistent/file", paths[3]};
    struct read_ahead *r = NULL;
    struct error e = {0};
    struct input *in;
    read_ahead_open(&r, missing, 3, 2, 1 << 30, NULL, &e);
    work_all(r);
    int right = read_ahead_next(r, &in, &e) == ST_OK && in != NULL;
    report(right && read_ahead_next(r, &in, &e) == ST_RUNTIME &&
               strstr(e.text, "/nonexistent/file: cannot open") != NULL,
           "a file that is missing fails in its turn");
    read_ahead_close(r);
}

int main(void)
{
    const char *base = getenv("TMPDIR");
    int made = 1;
    snprintf(folder, sizeof folder, "%.40s/dbfs-ahead.XXXXXX", base != NULL ? base : "/tmp");
    made = mkdtemp(folder) != NULL;
    for (int i = 0; i < FILES; i++)
        made &= make_file(i);
    report(made, "files to read");
    if (made) {
        for (int steps = -1; steps < 4; steps++) {
            test_reading(1, 1 << 30, steps);
            test_reading(5, 1 << 30, steps);
            test_reading(5, 3 << 20, steps);
        }
        test_memory();
        test_missing();
    }
    for (int i = 0; i < FILES; i++)
        unlink(paths[i]);
    rmdir(folder);
    return unit_result();
}
