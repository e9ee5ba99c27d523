/* clones.h: compiles a hot loop several times, for vectors of different widths.
 *
 * WIDE_CLONES stands before a function in plain C. The compiler makes a copy of the function for each kind of machine listed
 * below, and the program picks one copy when it starts. All copies compute the same results. WIDE_CLONES is empty where the
 * compiler or the C library cannot pick a copy, and under AddressSanitizer, which is not yet initialised at that time.
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
