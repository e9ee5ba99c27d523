/* npy.h: the header of a numpy array in a file (.npy) */
#ifndef DBFS_NPY_H
#define DBFS_NPY_H

#include <stdint.h>

enum { NPY_HEADER_BYTES = 128 };

/* Writes the header of an array of n signed integers of `width` bytes each, little-endian, or, if `rows` is not 0, of a matrix of `rows`
 * rows and n columns. The integers follow it in the file. */
void npy_header(char header[NPY_HEADER_BYTES], uint32_t width, uint64_t rows, uint64_t n);

#endif
