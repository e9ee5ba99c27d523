/* test_journal.c: a journal is the same after writing and reading, and a damaged one is refused */
#include "unit.h"

#include "formats/graph/manifest.h"
#include "formats/split.h"
#include "tools/pack/build/csr_build.h"
#include "tools/pack/folder/journal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[] = "/tmp/dbfs-journal.XXXXXX";
static char path[64];

static const struct journal journals[] = {
    {.inputs = "standard input\n", .p = 1, .heads = {HEADS_AUTO, HEADS_AUTO, HEADS_AUTO, HEADS_AUTO},
     .th_choice = TH_FOR_GPU},
    {.inputs = "a file with blanks\nanother one\n", .p = 4096, .heads = {0, 8, HEADS_AUTO, 1},
     .encoding = PACK_AUTO, .th_known = 1,
     .th = TH_INFINITE},
    {.inputs = "x\n", .p = 3, .th_known = 1, .th = 64, .th_choice = TH_FOR_GPU, .links = LINKS_HOST, .identified = 1,
     .checksum = UINT64_MAX, .pack_id = 1}};

static int same(const struct journal *a, const struct journal *b)
{
    return a->p == b->p &&
           memcmp(a->heads, b->heads, sizeof a->heads) == 0 && a->encoding == b->encoding &&
           a->th_known == b->th_known &&
           a->th == b->th && a->th_choice == b->th_choice && a->links == b->links &&
           a->identified == b->identified && a->checksum == b->checksum &&
           a->pack_id == b->pack_id;
}

static int round_trip(const struct journal *j)
{
    struct journal back;
    struct error e = {0};
    int found = 0;
    return journal_write(j, folder, &e) == ST_OK &&
           journal_read(&back, folder, &found, &e) == ST_OK && found && same(j, &back);
}

static size_t load(char *text, size_t capacity)
{
    FILE *file = fopen(path, "r");
    size_t size = file != NULL ? fread(text, 1, capacity, file) : 0;
    if (file != NULL)
        fclose(file);
    return size;
}

static enum status read_text(const char *text, size_t size)
{
    struct journal j;
    struct error e = {0};
    int found;
    FILE *file = fopen(path, "w");
    if (file != NULL) {
        fwrite(text, 1, size, file);
        fclose(file);
    }
    return journal_read(&j, folder, &found, &e);
}

static int every_damage_is_found(void)
{
    char text[4096];
    struct error e = {0};
    journal_write(&journals[2], folder, &e);
    size_t size = load(text, sizeof text);
    int ok = size > 0 && read_text(text, size) == ST_OK;
    for (size_t i = 0; i < size; i++) {
        text[i] ^= 4;
        ok &= read_text(text, size) == ST_BAD_DATA;
        text[i] ^= 4;
        ok &= read_text(text, i) == ST_BAD_DATA;
    }
    return ok;
}

int main(void)
{
    struct journal j;
    struct error e = {0};
    int found = 1;
    if (mkdtemp(folder) == NULL)
        return 1;
    snprintf(path, sizeof path, "%s/%s", folder, PACKING_NAME);
    report(journal_read(&j, folder, &found, &e) == ST_OK && !found, "no journal");
    report(round_trip(&journals[0]), "before anything is known");
    report(round_trip(&journals[1]), "options given");
    report(round_trip(&journals[2]), "everything known");
    report(every_damage_is_found(), "every flipped bit and every cut is found");
    report(read_text("", 0) == ST_BAD_DATA, "an empty file");
    unlink(path);
    rmdir(folder);
    return unit_result();
}
