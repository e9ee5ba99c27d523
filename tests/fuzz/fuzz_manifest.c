/* fuzz_manifest.c: a manifest; reading, writing and reading it again gives the same */
#include "fuzz.h"

#include "formats/graph/manifest.h"

int fuzz_one(const unsigned char *bytes, size_t size)
{
    struct manifest manifest, again;
    struct error e = {0};
    fuzz_file_in_folder(MANIFEST_NAME, bytes, size);
    if (manifest_read(&manifest, fuzz_folder(), &e) != ST_OK)
        return 0;
    if (manifest.p < 100 && manifest_write(&manifest, fuzz_folder(), &e) == ST_OK) {
        if (manifest_read(&again, fuzz_folder(), &e) != ST_OK || !manifest_same(&manifest, &again))
            __builtin_trap();
        manifest_free(&again);
    }
    manifest_free(&manifest);
    return 1;
}
