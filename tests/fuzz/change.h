/* change.h: one random change of some bytes, of kinds that often mislead readers */
#ifndef DBFS_TESTS_CHANGE_H
#define DBFS_TESTS_CHANGE_H

#include <stddef.h>
#include <stdint.h>

uint64_t change_random(uint64_t *state);

/* Flips a bit, sets a byte or a word of 4 or 8 bytes to a value near a limit, copies or moves a stretch, or
 * cuts the end. Returns the new size, at most `room`. */
size_t change_bytes(unsigned char *bytes, size_t size, size_t room, uint64_t *state);

/* The same at places that matter in the structure: the header, a table entry or any section of a container; a
 * header or the trailer of a stream. */
size_t change_by_kind(unsigned char *bytes, size_t size, size_t room, uint64_t *state);

#endif
