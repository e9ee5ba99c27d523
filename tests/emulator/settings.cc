/* settings.cc: see settings.h */
#include "settings.h"

#include "report.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace emulated {

/* `unit`: the letter that may follow the number */
static unsigned long long number(const char *name, unsigned long long otherwise, char unit = '\0')
{
    const char *text = getenv(name);
    char *end = nullptr;
    if (text == nullptr || *text == '\0')
        return otherwise;
    errno = 0;
    const unsigned long long value = strtoull(text, &end, 10);
    if (*end == unit && unit != '\0')
        end++;
    if (errno != 0 || *end != '\0' || *text == '-')
        give_up("%s=%s: a number is expected", name, text);
    return value;
}

static size_t memory_bytes()
{
    const char *text = getenv("EMULATED_MEMORY");
    const bool is_small = text != nullptr && strchr(text, 'K') != nullptr;
    return number("EMULATED_MEMORY", 1024, 'K') << (is_small ? 10 : 20);
}

static const emulated_gpu known[] = {
#define GPU(name, capability, processors, clock_hz, bytes_s, cache_bytes, shared_bytes, threads, memory_bytes) \
    {#name, capability, processors, clock_hz, bytes_s, cache_bytes, shared_bytes, threads},
#include "formats/rates.def"
};

/* Fills s.gpu from EMULATED_DEVICE and EMULATED_SHARED. */
static void read_gpus(settings &s)
{
    const char *const names = getenv("EMULATED_DEVICE"), *name = names == nullptr || *names == '\0' ? "h200" : names, *const first = name;
    for (emulated_gpu &gpu : s.gpu) {
        const size_t length = strcspn(name, ",");
        gpu = {};
        for (const emulated_gpu &one : known) {
            if (strlen(one.name) == length && strncmp(one.name, name, length) == 0)
                gpu = one;
        }
        if (gpu.name == nullptr)
            give_up("EMULATED_DEVICE=%s: a name is none of a GPU in formats/rates.def", names);
        gpu.shared_bytes = number("EMULATED_SHARED", gpu.shared_bytes);
        if (gpu.shared_bytes > MOST_SHARED)
            give_up("EMULATED_SHARED is out of range");
        name = name[length] == ',' ? name + length + 1 : first;
    }
}

static settings read()
{
    settings s = {};
    s.gpus = (int)number("EMULATED_GPUS", 1);
    s.processors = (int)number("EMULATED_PROCESSORS", 2);
    read_gpus(s);
    s.memory_bytes = memory_bytes();
    s.managed = number("EMULATED_MANAGED", 1) != 0;
    s.peers = number("EMULATED_PEERS", 1) != 0;
    s.sliced = number("EMULATED_SLICED", 1 << 27);
    s.all_slices = number("EMULATED_ALL_SLICES", 1 << 22);
    s.near = number("EMULATED_NEAR", 1500000);
    s.seed = number("EMULATED_SEED", 0);
    s.late = (unsigned)number("EMULATED_LATE", 0);
    s.clock = (double)number("EMULATED_CLOCK", 1);
    s.patience = (double)number("EMULATED_PATIENCE", 100);
    if (s.gpus > MOST_DEVICES)
        give_up("EMULATED_GPUS is above %d", MOST_DEVICES);
    if (s.processors < 1)
        give_up("EMULATED_PROCESSORS is out of range");
    return s;
}

const settings &setting()
{
    static const settings all = read();
    return all;
}

const emulated_gpu &gpu_of(int device)
{
    return setting().gpu[device];
}

}

/* cuda_limits.h */
extern "C" uint64_t emulated_most_sliced(void)
{
    return emulated::setting().sliced;
}

extern "C" uint64_t emulated_all_sliced(void)
{
    return emulated::setting().all_slices;
}

extern "C" int emulated_processors(int device)
{
    return emulated::gpu_of(device).processors;
}

extern "C" uint64_t emulated_near_sliced(void)
{
    return emulated::setting().near;
}
