/* diameter_state.h: the file of --resume, from which another run can go on: what is known, and the bounds of all vertices.
 *
 * All numbers stand as they are in memory. In this order:
 * - a key of KEY_BYTES: a line that names the packing of the graph and what is wanted, and zeros;
 * - struct known, and a CRC-32 of it in 8 bytes;
 * - the CRC-32 of each array below, in 8 bytes each;
 * - for each shard: lower bounds, upper bounds and sums of the distances of its normals, and in a directed graph those of the other set of
 *   bounds; then the same of the delegates.
 * So the number of ranks may differ between the runs. */
#ifndef DBFS_DIAMETER_STATE_H
#define DBFS_DIAMETER_STATE_H

#include "finder.h"

/* Collective. Writes the state to a file, which gets its name when it is complete. `component` is the input id of the root
 * that was given, or UINT64_MAX. */
enum status diameter_state_write(const char *name, struct finder *finder, uint64_t component, struct error *e);

/* Collective. Reads the state into *finder, which was opened with the same goals and has not searched. Sets *found to 0 if there
 * is no such file. Fails with ST_BAD_DATA if the file is damaged, or of another graph or other goals. */
enum status diameter_state_read(const char *name, struct finder *finder, uint64_t component, int *found, struct error *e);

#endif
