/* npy.c: see npy.h */
#include "npy.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Writes the header in numpy's format 1.0: a magic number, the version, the length of the header, a Python dict, and spaces that make the
 * header a multiple of 64 bytes, with a newline at the end. */
void npy_header(char header[NPY_HEADER_BYTES], uint32_t width, uint64_t rows, uint64_t n)
{
    char shape[48];
    if (rows == 0)
        snprintf(shape, sizeof shape, "(%" PRIu64 ",)", n);
    else
        snprintf(shape, sizeof shape, "(%" PRIu64 ", %" PRIu64 ")", rows, n);
    memset(header, ' ', NPY_HEADER_BYTES);
    memcpy(header, "\x93NUMPY\x01\x00", 8);
    header[8] = (char)(NPY_HEADER_BYTES - 10);
    header[9] = 0;
    int length = snprintf(header + 10, NPY_HEADER_BYTES - 10,
                          "{'descr': '%ci%u', 'fortran_order': False, 'shape': %s, }", width > 1 ? '<' : '|', width, shape);
    header[10 + length] = ' '; /* overwrites the terminating NUL */
    header[NPY_HEADER_BYTES - 1] = '\n';
}
