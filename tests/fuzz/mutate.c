/* mutate.c: changes a file of dbfs and makes its CRCs right
 *
 *   mutate get TYPE INDEX FILE         prints an element of a raw section of a split or part
 *   mutate set TYPE INDEX VALUE FILE   changes it (a negative INDEX counts from the end), and mends the CRCs
 *   mutate poke OFFSET WIDTH VALUE FILE  puts a number of WIDTH bytes there (a negative OFFSET counts from the end), and
 *                                      mends the CRCs; counts in the trailer of a stream stay
 *   mutate mend SEED FILE              makes a random change, and mends the CRCs
 *   mutate damage SEED FILE            makes a random change, and leaves the CRCs
 *   mutate fit FILE                    only mends the CRCs
 *
 * If FILE is a part beside a manifest, `set`, `poke` and `mend` make the manifest fit. The same arguments make the same
 * change. */
#include "change.h"
#include "mend.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct file {
    unsigned char *bytes;
    size_t size, room;
};

static void die(const char *what, const char *name)
{
    fprintf(stderr, "mutate: %s: %s\n", name, what);
    exit(2);
}

static int read_file(struct file *f, const char *name)
{
    FILE *in = fopen(name, "rb");
    if (in == NULL)
        return 0;
    fseek(in, 0, SEEK_END);
    f->size = (size_t)ftell(in);
    f->room = f->size + 4096;
    rewind(in);
    f->bytes = malloc(f->room);
    if (f->bytes == NULL || fread(f->bytes, 1, f->size, in) != f->size)
        die("cannot read", name);
    fclose(in);
    return 1;
}

static void write_file(const struct file *f, const char *name)
{
    FILE *out = fopen(name, "wb");
    if (out == NULL || fwrite(f->bytes, 1, f->size, out) != f->size || fclose(out) != 0)
        die("cannot write", name);
}

/* Makes the manifest of DIR fit if the file is like DIR/part-0003-of-0004.dbfs. */
static void fit_manifest(const struct file *part, const char *name)
{
    const char *slash = strrchr(name, '/'), *base = slash != NULL ? slash + 1 : name;
    char path[4096];
    unsigned index;
    struct file manifest;
    snprintf(path, sizeof path, "%.*smanifest", (int)(base - name), name);
    if (sscanf(base, "part-%u-of-", &index) != 1 || !read_file(&manifest, path))
        return;
    if (mend_manifest(manifest.bytes, manifest.size, index, part->bytes, part->size))
        write_file(&manifest, path);
    free(manifest.bytes);
}

/* Finds element `index` of the section of this type, and its width. */
static unsigned char *find_element(const struct file *f, uint32_t type, int64_t index, uint32_t *width)
{
    unsigned char *entry;
    for (uint32_t i = 0; (entry = container_entry(f->bytes, f->size, i)) != NULL; i++) {
        uint64_t at = get_u64_at(entry + 16), bytes = get_u64_at(entry + 24);
        *width = get_u32_at(entry + 8);
        if (get_u32_at(entry) != type || get_u32_at(entry + 4) != 0)
            continue;
        if (*width == 16) /* the count is one of pairs of words */
            *width = 8;
        int64_t count = (int64_t)(bytes / *width), place = index < 0 ? count + index : index;
        return place >= 0 && place < count ? f->bytes + at + (uint64_t)place * *width : NULL;
    }
    return NULL;
}

static void use_element(struct file *f, char **argv, const char *name)
{
    uint32_t width;
    unsigned char *element = find_element(f, (uint32_t)strtoul(argv[2], NULL, 0),
                                          strtoll(argv[3], NULL, 0), &width);
    if (element == NULL)
        die("there is no such element in a raw section", name);
    if (strcmp(argv[1], "get") == 0) {
        printf("%" PRIu64 "\n", width == 4 ? get_u32_at(element) : get_u64_at(element));
        exit(0);
    }
    uint64_t value = strtoull(argv[4], NULL, 0);
    if (width == 4)
        put_u32_at(element, (uint32_t)value);
    else
        put_u64_at(element, value);
}

static void poke(struct file *f, char **argv, const char *name)
{
    long long offset = strtoll(argv[2], NULL, 0);
    size_t width = strtoul(argv[3], NULL, 0), at = (size_t)(offset < 0 ? (long long)f->size + offset : offset);
    uint64_t value = strtoull(argv[4], NULL, 0);
    if (width > 8 || at > f->size || width > f->size - at)
        die("has no such place", name);
    for (size_t i = 0; i < width; i++)
        f->bytes[at + i] = (unsigned char)(value >> 8 * i);
    if (mend_kind(f->bytes, f->size) == KIND_EDGES)
        mend_edges(f->bytes, f->size, 0);
    else
        mend(f->bytes, f->size);
}

int main(int argc, char **argv)
{
    struct file f;
    const char *what = argc > 1 ? argv[1] : "", *name = argv[argc - 1];
    int pokes = strcmp(what, "poke") == 0 && argc == 6;
    int one = (strcmp(what, "get") == 0 && argc == 5) || (strcmp(what, "set") == 0 && argc == 6);
    int fit = strcmp(what, "fit") == 0 && argc == 3, mended = one || fit || strcmp(what, "mend") == 0;
    if (!one && !fit && !pokes && (argc != 4 || (!mended && strcmp(what, "damage") != 0)))
        die("get TYPE INDEX FILE | set TYPE INDEX VALUE FILE | "
            "poke OFFSET WIDTH VALUE FILE | mend SEED FILE | damage SEED FILE | "
            "fit FILE", "usage");
    if (!read_file(&f, name))
        die("cannot open", name);
    if (one) {
        use_element(&f, argv, name);
    } else if (pokes) {
        poke(&f, argv, name);
        fit_manifest(&f, name);
    } else if (!fit) {
        uint64_t state = strtoull(argv[2], NULL, 0);
        f.size = change_by_kind(f.bytes, f.size, f.room, &state);
    }
    if (mended) {
        mend(f.bytes, f.size);
        fit_manifest(&f, name);
    }
    write_file(&f, name);
    free(f.bytes);
    return 0;
}
