/* settings.h: the emulated machine, by variables of the environment; see README.md */
#ifndef EMULATOR_SETTINGS_H
#define EMULATOR_SETTINGS_H

#include <cstddef>
#include <cstdint>

namespace emulated {

enum : size_t { MOST_SHARED = 227 << 10 };
enum { MOST_DEVICES = 64 };

/* A GPU: a row GPU of formats/rates.def. */
struct emulated_gpu {
    const char *name;
    int capability, processors; /* multiprocessors of the GPU itself, of which setting().processors run */
    double clock_hz, bytes_s;
    size_t cache_bytes, shared_bytes; /* shared memory of a block at most: EMULATED_SHARED, if it is given */
    int threads;                      /* of a multiprocessor at most */
};

struct settings {
    int gpus;            /* EMULATED_GPUS: 1 */
    int processors;      /* EMULATED_PROCESSORS, of a GPU: 2 */
    emulated_gpu gpu[MOST_DEVICES]; /* EMULATED_DEVICE: names separated by commas, taken in turn; h200 */
    size_t memory_bytes; /* EMULATED_MEMORY, of a GPU, in MiB, or KiB with a K behind: 1,024 */
    bool managed;        /* EMULATED_MANAGED: 1; with 0 host and GPU may not read managed memory at the same time */
    bool peers;          /* EMULATED_PEERS: 1; with 0 no GPU reads the memory of another */
    uint64_t sliced;     /* EMULATED_SLICED, most edges of a graph that is searched by slices: 2^27 */
    uint64_t all_slices; /* EMULATED_ALL_SLICES, most edges with which each level by slices reads all of them: 2^22 */
    uint64_t near;       /* EMULATED_NEAR, vertices whose marks a block has in shared memory, at most: 1,500,000 */
    uint64_t seed;       /* EMULATED_SEED: 0, lanes run in order */
    unsigned late;       /* EMULATED_LATE, most microseconds that a stream waits before a piece of work: 0 */
    double clock;        /* EMULATED_CLOCK, seconds of a device's clock in a second: 1 */
    double patience;     /* EMULATED_PATIENCE, seconds after which a block that waits is reported: 100 */
};

const settings &setting();

/* Returns what GPU number `device` is. */
const emulated_gpu &gpu_of(int device);

}

#endif
