/* clones.h: hot loops compiled for wider vectors too, chosen when the program starts.
 *
 * WIDE_CLONES before a function of plain C makes one copy of it for each of these machines; what runs
 * computes the same. Nothing happens where the compiler or the C library cannot choose by themselves,
 * and under AddressSanitizer, which is not ready yet when they would.
 */
#ifndef DBFS_CLONES_H
#define DBFS_CLONES_H

#include <features.h>

#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__clang__) && __GNUC__ >= 12 &&         \
    !defined(__SANITIZE_ADDRESS__)
#define WIDE_CLONES __attribute__((target_clones("arch=x86-64-v4", "avx2", "default")))
#else
#define WIDE_CLONES
#endif

#endif
