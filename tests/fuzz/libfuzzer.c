/* libfuzzer.c: a fuzz target under clang's libFuzzer, with our changes and mended CRCs */
#include "change.h"
#include "fuzz.h"
#include "mend.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t room, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *bytes, size_t size, size_t room);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (size <= FUZZ_MOST_BYTES)
        fuzz_one(bytes, size);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t room, unsigned seed)
{
    uint64_t state = seed;
    size = change_random(&state) % 2 == 0 ? LLVMFuzzerMutate(bytes, size, room)
                                          : change_by_kind(bytes, size, room, &state);
    if (change_random(&state) % 3 > 0)
        mend(bytes, size);
    return size;
}
