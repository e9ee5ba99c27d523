/* settings.h: the machine that is emulated, as the environment says; see README.md */
#ifndef EMULATOR_SETTINGS_H
#define EMULATOR_SETTINGS_H

#include <cstddef>
#include <cstdint>

namespace emulated {

enum : size_t { MOST_SHARED = 227 << 10 };
enum { MOST_DEVICES = 64 };

struct settings {
    int gpus;            /* EMULATED_GPUS: 1 */
    int processors;      /* EMULATED_PROCESSORS, of a GPU: 2 */
    size_t shared_bytes; /* EMULATED_SHARED, of a block at most: 227 KiB */
    size_t memory_bytes; /* EMULATED_MEMORY, of a GPU, in MiB, or KiB with a K behind: 1,024 */
    unsigned cluster;    /* EMULATED_CLUSTER, blocks at most: 16 */
    bool peers;          /* EMULATED_PEERS: 1; with 0, no GPU reads the memory of another one */
    uint64_t sliced;     /* EMULATED_SLICED, edges of a graph that is searched by slices, at most: 2^27 */
    uint64_t all_slices; /* EMULATED_ALL_SLICES: up to so many edges each level by slices reads all (2^22) */
    uint64_t seed;       /* EMULATED_SEED: 0, lanes run in order */
    unsigned late;       /* EMULATED_LATE: microseconds that a stream waits before some of its work, at most: 0 */
    double clock;        /* EMULATED_CLOCK: seconds that pass on a device's clock in one: 1 */
    double patience;     /* EMULATED_PATIENCE: seconds in which a block must come on: 100 */
};

const settings &setting();

}

#endif
