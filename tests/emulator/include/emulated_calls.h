/* emulated_calls.h: functions under the words of CUDA C++: a block's lanes as each of them sees the others */
#ifndef EMULATED_CALLS_H
#define EMULATED_CALLS_H

#include "emulated_launch.h"
#include "emulated_site.h"

#include <cstdint>

extern __thread dim3 threadIdx, blockIdx, blockDim, gridDim;

/* ---- a block ---- */

unsigned emulated_lane();
void emulated_barrier(int value, emulated::site at);
int emulated_barrier_or(int value, emulated::site at); /* nonzero if any lane gives nonzero */
void emulated_sleep(emulated::site at);                /* lets others continue, and then looks again */
void emulated_change_lanes();                          /* the same now and then, if there is a seed */
unsigned long long emulated_nanoseconds();
[[noreturn]] void emulated_trap(); /* the device is lost */

/* ---- stores that peers see ---- */

void emulated_store(unsigned long long *to, unsigned long long value); /* only fences order it */
void emulated_fence(const char *name);                                 /* a fence of the system */

/* ---- a warp: the lanes of the mask ---- */

void emulated_sync(unsigned mask, emulated::site at);
uint64_t emulated_shuffle(unsigned mask, uint64_t value, unsigned source, emulated::site at);
unsigned emulated_ballot(unsigned mask, bool value, emulated::site at);
unsigned emulated_match(unsigned mask, uint64_t value, emulated::site at);
unsigned emulated_add(unsigned mask, unsigned value, emulated::site at);
unsigned emulated_max(unsigned mask, unsigned value, emulated::site at);
unsigned emulated_active(emulated::site at);

#endif
