/* wrapping.c: see wrapping.h */
#include "wrapping.h"

#include <string.h>

enum { TAR_SUM_AT = 148, TAR_SUM_BYTES = 8, TAR_HEADER_BYTES = 512 };

static const struct magic {
    enum wrapping kind;
    size_t length;
    const char *bytes;
} magics[] = {
    {WRAPPING_GZIP, 3, "\x1f\x8b\x08"},
    {WRAPPING_XZ, 6,
     "\xfd"
     "7zXZ"},
    {WRAPPING_ZSTD, 4, "\x28\xb5\x2f\xfd"},
    {WRAPPING_ZIP, 4, "PK\3\4"},
    {WRAPPING_ZIP, 4, "PK\5\6"}, /* without a file in it */
    {WRAPPING_7Z, 6, "7z\xbc\xaf\x27\x1c"},
};

static const struct {
    const char *name, *pipe;
    size_t memory;
} kinds[] = {
    [WRAPPING_NONE] = {"file", "cat FILE", 0},
    [WRAPPING_GZIP] = {"gzip file", "gzip -dc FILE", 1 << 16},
    [WRAPPING_XZ] = {"xz file", "xz -dc FILE", 9 << 20},
    [WRAPPING_BZIP2] = {"bzip2 file", "bzip2 -dc FILE", 4 << 20},
    [WRAPPING_ZSTD] = {"zstd file", "zstd -dc FILE", 10 << 20},
    [WRAPPING_TAR] = {"tar archive", "tar -xOf FILE MEMBER", 1 << 16},
    [WRAPPING_ZIP] = {"zip archive", "unzip -p FILE MEMBER", 1 << 18},
    [WRAPPING_7Z] = {"7z archive", "7z x -so FILE MEMBER", 24 << 20},
};

/* Nonzero for the beginning of bzip2 data: "BZh", the size of blocks, and the mark of a first block or, if there is none, of the end. */
static int is_bzip2(const unsigned char *bytes, size_t count)
{
    return count >= 10 && memcmp(bytes, "BZh", 3) == 0 && bytes[3] >= '1' && bytes[3] <= '9' &&
           (memcmp(bytes + 4, "1AY&SY", 6) == 0 ||
            memcmp(bytes + 4, "\x17\x72\x45\x38\x50\x90", 6) == 0);
}

/* Nonzero for the beginning of a file of pzstd: a frame of 12 bytes, of which 4 tell the size of the frame after it. */
static int is_pzstd(const unsigned char *bytes, size_t count)
{
    return count >= 16 && (bytes[0] & 0xf0) == 0x50 &&
           memcmp(bytes + 1, "\x2a\x4d\x18\4\0\0\0", 7) == 0 &&
           memcmp(bytes + 12, "\x28\xb5\x2f\xfd", 4) == 0;
}

/* Nonzero if the checksum in the first header of a tar archive is right; old archives have no other mark. The checksum is
 * octal, and counts its own field as blanks. */
static int is_tar(const unsigned char *bytes, size_t count)
{
    unsigned long sum = 0, stated = 0;
    const unsigned char *digit = bytes + TAR_SUM_AT, *end = digit + TAR_SUM_BYTES;
    if (count < TAR_HEADER_BYTES || bytes[0] == '\0')
        return 0;
    for (size_t i = 0; i < TAR_HEADER_BYTES; i++)
        sum += i - TAR_SUM_AT < TAR_SUM_BYTES ? ' ' : bytes[i];
    while (digit < end && *digit == ' ')
        digit++;
    for (; digit < end && *digit >= '0' && *digit <= '7'; digit++)
        stated = 8 * stated + (unsigned long)(*digit - '0');
    return stated == sum;
}

enum wrapping wrapping_sniff(const unsigned char *bytes, size_t count)
{
    for (size_t i = 0; i < sizeof magics / sizeof *magics; i++) {
        const struct magic *m = &magics[i];
        if (count >= m->length && memcmp(bytes, m->bytes, m->length) == 0)
            return m->kind;
    }
    if (is_bzip2(bytes, count))
        return WRAPPING_BZIP2;
    if (is_pzstd(bytes, count))
        return WRAPPING_ZSTD;
    return is_tar(bytes, count) ? WRAPPING_TAR : WRAPPING_NONE;
}

int wrapping_is_archive(enum wrapping kind)
{
    return kind == WRAPPING_TAR || kind == WRAPPING_ZIP || kind == WRAPPING_7Z;
}

size_t wrapping_memory(enum wrapping kind)
{
    return kinds[kind].memory;
}

const char *wrapping_name(enum wrapping kind)
{
    return kinds[kind].name;
}

/* The shell command that gives the content of FILE; for messages. */
const char *wrapping_pipe(enum wrapping kind)
{
    return kinds[kind].pipe;
}
