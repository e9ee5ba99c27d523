/* fuzz_journal.c: the journal of an unfinished packing; reading, writing and reading it again gives the same */
#include "fuzz.h"

#include "tools/pack/folder/journal.h"

int fuzz_one(const unsigned char *bytes, size_t size)
{
    struct journal journal, again;
    struct error e = {0};
    int found;
    fuzz_file_in_folder(PACKING_NAME, bytes, size);
    if (journal_read(&journal, fuzz_folder(), &found, &e) != ST_OK || !found ||
        journal_write(&journal, fuzz_folder(), &e) != ST_OK)
        return 0;
    if (journal_read(&again, fuzz_folder(), &found, &e) != ST_OK || !found ||
        again.p != journal.p || again.th != journal.th || again.pack_id != journal.pack_id)
        __builtin_trap();
    return 1;
}
