/* archive_in.c: see archive_in.h */
#include "archive_in.h"

#include "members.h"

#include "formats/base/memory.h"
#include "formats/base/bytes.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    TAR_END_BYTES = 1024,    /* two blocks of zeros */
    ZIP_END_BYTES = 22,      /* of the record that ends an archive, without its comment */
    ZIP_MAX_COMMENT = 65535,
    ZIP64_LOCATOR_BYTES = 20, /* before that record, if numbers do not fit there, */
    ZIP64_END_BYTES = 56,     /* and says where this record is */
    ZSTD_MAX_WINDOW = 1 << 27, /* libarchive's */
    TAIL_BYTES = ZIP_END_BYTES + ZIP_MAX_COMMENT,
};

typedef unsigned long long ull;

struct archive_in {
    struct archive *archive;
    struct archive_entry *entry;
    struct raw_in *raw;
    enum wrapping kind;
    struct members members;
    char *path;
    uint64_t entries, files;   /* files found, and those of them given out */
    struct error input_error;  /* a failure to read the archive itself */
    unsigned char *tail;       /* the last bytes read, of tar and zip */
    size_t tail_bytes;
    int in_file;
    int seeks; /* libarchive moves in the file, to the table of contents at its end */
};

/* ---- bytes for libarchive ---- */

/* Keeps the last TAIL_BYTES bytes of an archive, in which its end is looked for later. */
static void keep_tail(struct archive_in *in, const unsigned char *bytes, size_t count)
{
    size_t kept = in->tail_bytes;
    if (count > TAIL_BYTES) {
        bytes += count - TAIL_BYTES;
        count = TAIL_BYTES;
    }
    if (kept + count > TAIL_BYTES) {
        size_t dropped = kept + count - TAIL_BYTES;
        memmove(in->tail, in->tail + dropped, kept - dropped);
        kept -= dropped;
    }
    memcpy(in->tail + kept, bytes, count);
    in->tail_bytes = kept + count;
}

/* Gives libarchive the unread bytes of the buffer, which is filled again when it is empty. *count is 0 at the end of the input. */
static enum status next_bytes(struct archive_in *in, const void **bytes, size_t *count, struct error *e)
{
    struct raw_in *raw = in->raw;
    if (raw->at == raw->end && raw_in_fill(raw, e) != ST_OK)
        return e->status;
    *bytes = raw->buffer + raw->at;
    *count = raw->end - raw->at;
    raw->at = raw->end;
    if (in->tail != NULL)
        keep_tail(in, *bytes, *count);
    return ST_OK;
}

/* libarchive's callback for reading. A failure of the input is kept in in->input_error, and goes before libarchive's own. */
static la_ssize_t give_bytes(struct archive *archive, void *context, const void **bytes)
{
    struct archive_in *in = context;
    size_t count = 0;
    if (next_bytes(in, bytes, &count, &in->input_error) == ST_OK)
        return (la_ssize_t)count;
    archive_set_error(archive, EIO, "%s", in->input_error.text);
    return ARCHIVE_FATAL;
}

/* libarchive's callback for seeking; failures as in give_bytes. */
static la_int64_t seek_for_libarchive(struct archive *archive, void *context, la_int64_t offset, int whence)
{
    struct archive_in *in = context;
    la_int64_t base = whence == SEEK_SET   ? 0
                      : whence == SEEK_CUR ? (la_int64_t)raw_in_position(in->raw)
                                           : (la_int64_t)in->raw->size;
    if (base + offset >= 0 && raw_in_seek(in->raw, (uint64_t)(base + offset), &in->input_error) == ST_OK)
        return base + offset;
    archive_set_error(archive, EIO, "%s", in->input_error.text);
    return ARCHIVE_FATAL;
}

/* ---- opening ---- */

/* The reason why libarchive gave up. */
static const char *reason(const struct archive_in *in)
{
    const char *why = archive_error_string(in->archive);
    if (why == NULL)
        return "it ends too early";
    /* the kind is known already, so the table at the end must be missing */
    return strncmp(why, "Unrecognized", 12) == 0 ? "its table of contents is missing" : why;
}

static enum status refuse_window(const struct archive_in *in, struct error *e)
{
    return fail(e, ST_BAD_DATA,
                "%s: its window exceeds the %u MiB that this edgeconv keeps: use `zstd -dc --long=31 FILE | edgeconv -`",
                in->raw->name, ZSTD_MAX_WINDOW >> 20);
}

/* Returns how far back the first frame of zstd data may refer, in bytes; 0 if the frame does not say. */
static uint64_t zstd_window(const unsigned char *frame, size_t count)
{
    enum { MAGIC_BYTES = 4, FLAGS_AT = MAGIC_BYTES, IS_ONE_SEGMENT = 1 << 5 };
    if (count < FLAGS_AT + 2 || memcmp(frame, "\x28\xb5\x2f\xfd", MAGIC_BYTES) != 0 || (frame[FLAGS_AT] & IS_ONE_SEGMENT))
        return 0;
    uint64_t power = UINT64_C(1) << (10 + (frame[FLAGS_AT + 1] >> 3));
    return power + power / 8 * (frame[FLAGS_AT + 1] & 7);
}

/* Fails with the reason why libarchive gave up: a fault of the input below it, too little memory, or damage. */
static enum status fail_libarchive(const struct archive_in *in, struct error *e)
{
    int in_entry = in->in_file && in->path != NULL;
    if (in->input_error.status != ST_OK)
        return fail(e, in->input_error.status, "%s", in->input_error.text);
    if (archive_errno(in->archive) == ENOMEM)
        return fail_memory(e, in->raw->name, wrapping_memory(in->kind));
    if (in->kind == WRAPPING_ZSTD && strstr(reason(in), "too much memory") != NULL) /* a later frame */
        return refuse_window(in, e);
    return fail(e, ST_BAD_DATA,
                "%s%s%.200s%s: byte %llu: found a fault in the %s (%s), expected it whole%s",
                in->raw->name, in_entry ? "(" : "", in_entry ? in->path : "", in_entry ? ")" : "",
                (ull)archive_filter_bytes(in->archive, -1), wrapping_name(in->kind), reason(in),
                in->kind == WRAPPING_ZIP && !in->seeks
                    ? ": or give it as a file, since only the table at its end tells the sizes of some members"
                    : "");
}

/* Lets libarchive open this one kind of compression or archive, so that it does not guess the kind from the content. */
static int choose_kind(struct archive *archive, enum wrapping kind, int seekable)
{
    switch (kind) {
    case WRAPPING_XZ: return archive_read_append_filter(archive, ARCHIVE_FILTER_XZ);
    case WRAPPING_BZIP2: return archive_read_append_filter(archive, ARCHIVE_FILTER_BZIP2);
    case WRAPPING_ZSTD: return archive_read_append_filter(archive, ARCHIVE_FILTER_ZSTD);
    case WRAPPING_TAR:
        /* with this option libarchive reads on behind the blocks that end an archive, so that nothing there is lost */
        return archive_read_support_format_tar(archive) |
               archive_read_set_options(archive, "tar:read_concatenated_archives");
    case WRAPPING_ZIP:
        return seekable ? archive_read_support_format_zip_seekable(archive)
                        : archive_read_support_format_zip_streamable(archive);
    case WRAPPING_7Z: return archive_read_support_format_7zip(archive);
    case WRAPPING_NONE:
    case WRAPPING_GZIP: break;
    }
    return ARCHIVE_FATAL;
}

/* Lets libarchive open the archive or the compressed data. */
static enum status open_libarchive(struct archive_in *in, struct error *e)
{
    struct archive *archive = in->archive;
    const struct raw_in *raw = in->raw;
    if (in->kind == WRAPPING_ZSTD && zstd_window(raw->buffer + raw->at, raw->end - raw->at) > ZSTD_MAX_WINDOW)
        return refuse_window(in, e);
    int result = choose_kind(archive, in->kind, in->seeks);
    if (!wrapping_is_archive(in->kind))
        result |= archive_read_support_format_raw(archive) |
                  archive_read_support_format_empty(archive);
    if (in->seeks)
        result |= archive_read_set_seek_callback(archive, seek_for_libarchive);
    result |= archive_read_set_read_callback(archive, give_bytes) |
              archive_read_set_callback_data(archive, in);
    /* libarchive does not return a fault in the first bytes as a failure, but has a message for it */
    if (result != ARCHIVE_OK || archive_read_open1(archive) != ARCHIVE_OK || archive_error_string(archive) != NULL)
        return fail_libarchive(in, e);
    return ST_OK;
}

enum status archive_in_open(struct archive_in **result, struct raw_in *raw, enum wrapping kind,
                            const char *member, struct error *e)
{
    *result = NULL;
    if (kind == WRAPPING_7Z && !raw->seekable)
        return fail(e, ST_BAD_DATA,
                    "%s: is a 7z archive in a stream, expected it in a file of its own: its table "
                    "of contents is at its end",
                    raw->name);
    struct archive_in *in = *result = zeroed(1, sizeof *in, raw->name, e);
    if (in == NULL)
        return e->status;
    in->raw = raw;
    in->kind = kind;
    members_init(&in->members, member);
    in->archive = archive_read_new();
    /* libarchive finds no table in a zip archive without files */
    in->seeks = raw->seekable && !(raw->end - raw->at >= 4 && memcmp(raw->buffer + raw->at, "PK\5\6", 4) == 0);
    int needs_tail = kind == WRAPPING_TAR || kind == WRAPPING_ZIP;
    if (needs_tail)
        in->tail = malloc(TAIL_BYTES);
    if (in->archive == NULL || (needs_tail && in->tail == NULL))
        fail_memory(e, raw->name, TAIL_BYTES);
    else
        open_libarchive(in, e);
    if (e->status != ST_OK) {
        archive_in_close(in);
        *result = NULL;
    }
    return e->status;
}

void archive_in_close(struct archive_in *in)
{
    if (in == NULL)
        return;
    archive_read_free(in->archive);
    members_free(&in->members);
    free(in->tail);
    free(in->path);
    free(in);
}

const char *archive_in_path(const struct archive_in *in)
{
    return in->path;
}

/* ---- the end ---- */

/* Checks, when all was read, that the tail of the archive is two blocks of zeros. */
static enum status check_tar_end(const struct archive_in *in, struct error *e)
{
    size_t zeros = 0;
    while (zeros < in->tail_bytes && in->tail[in->tail_bytes - 1 - zeros] == 0)
        zeros++;
    if (zeros >= TAR_END_BYTES)
        return ST_OK;
    return fail(e, ST_BAD_DATA,
                "%s: byte %llu: found the end of the tar archive without the two blocks of zeros "
                "that mark it: it may have been cut",
                in->raw->name, (ull)raw_in_position(in->raw));
}

/* Returns the record that ends a zip archive: one whose comment, which follows it, ends with the file. NULL if there is none. */
static const unsigned char *find_zip_end(const struct archive_in *in)
{
    for (size_t i = ZIP_END_BYTES; i <= in->tail_bytes; i++) {
        const unsigned char *record = in->tail + in->tail_bytes - i;
        if (memcmp(record, "PK\5\6", 4) == 0 &&
            ZIP_END_BYTES + (size_t)(record[20] | record[21] << 8) == i)
            return record;
    }
    return NULL;
}

/* What the end of a zip archive says: how many files there are, and how many bytes stand before the records that end the
 * archive. UNKNOWN if a number is too large for its field. */
#define UNKNOWN UINT64_MAX
struct zip_end {
    uint64_t files, bytes;
    uint64_t at; /* byte where these records begin */
};

/* Reads the record that ends a zip archive or, where zip64's record stands before it in the tail, that one. */
static struct zip_end read_zip_end(const struct archive_in *in, const unsigned char *record)
{
    uint64_t tail_at = raw_in_position(in->raw) - in->tail_bytes;
    const unsigned char *locator = record - ZIP64_LOCATOR_BYTES;
    uint64_t files = get_u32(record + 8) >> 16, directory = get_u32(record + 16);
    struct zip_end end = {.files = files == UINT16_MAX ? UNKNOWN : files,
                          .bytes = directory == UINT32_MAX ? UNKNOWN : directory + get_u32(record + 12),
                          .at = tail_at + (uint64_t)(record - in->tail)};
    if (record - in->tail < ZIP64_LOCATOR_BYTES || memcmp(locator, "PK\6\7", 4) != 0)
        return end;
    uint64_t at = get_u64(locator + 8), place = at - tail_at, before = (uint64_t)(locator - in->tail);
    if (at < tail_at || place > before || before - place < ZIP64_END_BYTES ||
        memcmp(in->tail + place, "PK\6\6", 4) != 0)
        return end;
    record = in->tail + place;
    return (struct zip_end){.files = get_u64(record + 32), .bytes = get_u64(record + 48) + get_u64(record + 40), .at = at};
}

/* Compares the number of files read with the number at the end of a zip archive. A damaged archive may hide files: in a pipe libarchive
 * looks for the next local header and passes over damaged ones, and in a file it drops all but one of the entries that have the same
 * place. */
static enum status check_zip_end(const struct archive_in *in, struct error *e)
{
    const unsigned char *record = find_zip_end(in);
    if (record == NULL)
        return fail(e, ST_BAD_DATA,
                    "%s: byte %llu: found the end of the file without the record that ends a zip "
                    "archive: it may have been cut",
                    in->raw->name, (ull)raw_in_position(in->raw));
    struct zip_end end = read_zip_end(in, record);
    if (end.files != UNKNOWN && end.files != in->entries)
        return fail(e, ST_BAD_DATA,
                    "%s: found %llu files in the zip archive, expected %llu as its end says",
                    in->raw->name, (ull)in->entries, (ull)end.files);
    if (!in->seeks && end.bytes != UNKNOWN && end.bytes != end.at)
        return fail(e, ST_BAD_DATA,
                    "%s: byte %llu: found the end of a zip archive of %llu bytes, expected nothing "
                    "in the file but one archive",
                    in->raw->name, (ull)end.at, (ull)end.bytes);
    return ST_OK;
}

/* Checks that nothing follows the compressed data. */
static enum status check_data_end(struct archive_in *in, struct error *e)
{
    const void *bytes;
    size_t count;
    uint64_t end = (uint64_t)archive_filter_bytes(in->archive, -1);
    if (next_bytes(in, &bytes, &count, e) != ST_OK)
        return e->status;
    if (raw_in_position(in->raw) == end)
        return ST_OK;
    return fail(e, ST_BAD_DATA,
                "%s: byte %llu: found other bytes behind the compressed data, expected the end of "
                "the %s",
                in->raw->name, (ull)end, wrapping_name(in->kind));
}

/* Reads the input below to its end, where it shows if it is whole. */
static enum status read_to_end(struct archive_in *in, struct error *e)
{
    const void *bytes;
    size_t count = 1;
    uint64_t size = in->raw->size;
    if (in->seeks && in->kind == WRAPPING_ZIP) { /* it was read in the order of its table */
        in->tail_bytes = 0;
        if (raw_in_seek(in->raw, size > TAIL_BYTES ? size - TAIL_BYTES : 0, e) != ST_OK)
            return e->status;
    }
    while (count > 0) {
        if (next_bytes(in, &bytes, &count, e) != ST_OK)
            return e->status;
    }
    return ST_OK;
}

/* Checks, when all files were read, that the archive is complete and that it had any file to read. */
static enum status check_end(struct archive_in *in, struct error *e)
{
    if (!wrapping_is_archive(in->kind))
        return in->files > 0 ? ST_OK /* checked when it was read */
                             : fail(e, ST_BAD_DATA,
                                    "%s: found nothing in the %s, expected a graph: it is empty or "
                                    "was cut",
                                    in->raw->name, wrapping_name(in->kind));
    if (in->tail != NULL &&
        (read_to_end(in, e) != ST_OK ||
         (in->kind == WRAPPING_TAR ? check_tar_end : check_zip_end)(in, e) != ST_OK))
        return e->status;
    if (in->files > 0)
        return ST_OK;
    const struct members *m = &in->members;
    return fail(e, ST_BAD_DATA, "%s: found no file%s%s%s in the %s, expected a graph%s%s", in->raw->name,
                m->pattern != NULL ? " that matches --member '" : "", m->pattern != NULL ? m->pattern : "",
                m->pattern != NULL ? "'" : "", wrapping_name(in->kind), m->all.count > 0 ? ": there are " : "",
                m->all.text);
}

/* ---- files ---- */

/* Takes the path of a file of the archive, and makes it printable, because a stranger's bytes must not reach a terminal. */
static enum status take_path(struct archive_in *in, struct error *e)
{
    const char *path = archive_entry_pathname(in->entry);
    if (path == NULL)
        path = archive_entry_pathname_utf8(in->entry);
    if (path == NULL)
        path = "a file whose name cannot be read";
    while (strncmp(path, "./", 2) == 0)
        path += 2;
    free(in->path);
    in->path = strdup(path);
    if (in->path == NULL)
        return fail_memory(e, in->raw->name, strlen(path) + 1);
    for (char *c = in->path; *c != '\0'; c++) {
        if ((unsigned char)*c < ' ' || *c == 127)
            *c = '?';
    }
    return ST_OK;
}

/* Refuses the current entry if it is a link, no regular file, or encrypted. */
static enum status check_readable(const struct archive_in *in, struct error *e)
{
    const char *found = NULL, *remedy = "--member=NAME says which ones are";
    if (archive_entry_hardlink(in->entry) != NULL ||
        archive_entry_filetype(in->entry) == AE_IFLNK)
        found = "a link";
    else if (archive_entry_filetype(in->entry) != AE_IFREG)
        found = "no regular file";
    else if (archive_entry_is_encrypted(in->entry)) {
        found = "an encrypted file";
        remedy = "unpack the archive with its password";
    }
    if (found == NULL)
        return ST_OK;
    return fail(e, ST_BAD_DATA, "%s(%.200s): found %s, expected a file that can be read: %s", in->raw->name, in->path,
                found, remedy);
}

/* Goes to the next entry, wanted or not: sets in->entry and, in an archive, in->path. */
static enum status next_entry(struct archive_in *in, int *end, struct error *e)
{
    int result = archive_read_next_header(in->archive, &in->entry);
    *end = result == ARCHIVE_EOF && in->input_error.status == ST_OK;
    if (*end)
        return ST_OK;
    /* a warning is about a name or a time; damaged data shows when it is read */
    if ((result != ARCHIVE_OK && result != ARCHIVE_WARN) || in->input_error.status != ST_OK)
        return fail_libarchive(in, e);
    in->entries++;
    return wrapping_is_archive(in->kind) ? take_path(in, e) : ST_OK;
}

static int is_folder(const struct archive_in *in)
{
    return archive_entry_filetype(in->entry) == AE_IFDIR;
}

/* Reads on to the names of members that were not reached, as many as a message would show. The current file is lost. */
static void note_rest(struct archive_in *in)
{
    struct error ignored = {0};
    int end = 0;
    in->in_file = 0;
    while (!member_list_is_full(&in->members.all) && next_entry(in, &end, &ignored) == ST_OK && !end) {
        if (!is_folder(in))
            members_want(&in->members, in->path);
    }
}

/* Reads on through the archive for its names, and appends them to the message. */
void archive_in_explain(struct archive_in *in, struct error *e)
{
    note_rest(in);
    members_explain(&in->members, e);
}

/* Goes to the next file that is to be read, and checks that it can be, and that it fits those read before. */
static enum status next_wanted(struct archive_in *in, int *end, struct error *e)
{
    int wanted = 0;
    while (!wanted) {
        if (next_entry(in, end, e) != ST_OK || *end)
            return e->status;
        wanted = !is_folder(in) && members_want(&in->members, in->path);
    }
    if (check_readable(in, e) == ST_OK && members_join(&in->members, in->raw->name, in->path, e) != ST_OK)
        archive_in_explain(in, e);
    return e->status;
}

/* Goes to the next file to be read; behind the last one, checks the end of the archive. */
enum status archive_in_next(struct archive_in *in, int *end, struct error *e)
{
    in->in_file = 0;
    if ((wrapping_is_archive(in->kind) ? next_wanted : next_entry)(in, end, e) != ST_OK)
        return e->status;
    if (*end)
        return check_end(in, e);
    in->files++;
    in->in_file = 1;
    return ST_OK;
}

const char *archive_in_skipped(const struct archive_in *in, uint64_t *count)
{
    *count = in->members.skipped.count;
    return in->members.skipped.text;
}

enum status archive_in_read(struct archive_in *in, void *bytes, size_t count, size_t *got, struct error *e)
{
    *got = 0;
    while (*got < count && in->in_file) {
        la_ssize_t done = archive_read_data(in->archive, (char *)bytes + *got, count - *got);
        if (done < 0 || in->input_error.status != ST_OK) /* a warning too: a wrong CRC is one */
            return fail_libarchive(in, e);
        *got += (size_t)done;
        if (done == 0) {
            in->in_file = 0;
            if (!wrapping_is_archive(in->kind))
                return check_data_end(in, e);
        }
    }
    return ST_OK;
}
