/* numa_nodes.h: on which NUMA nodes of a host the memory of a graph lies.
 *
 * A search reads the sections of a shard from all cores. A page lies on the node of the thread that writes
 * it first, and after loading nothing moves. So sections are spread over nodes page by page: each node then
 * gives its share of the bandwidth. Masks and depths need no help, because a search clears and writes them
 * with the threads that use them (cpu/thread_pool.h).
 */
#ifndef DBFS_NUMA_NODES_H
#define DBFS_NUMA_NODES_H

#include <sched.h>
#include <stdint.h>

/* The nodes that have a core of `cores`, as bits; nodes above 63 are left out. `folder` is "/sys/devices/system/node",
 * except in tests; 0 if the folder says nothing. */
uint64_t numa_nodes_of(const char *folder, const cpu_set_t *cores);

/* Spreads pages over the NUMA nodes of this thread's cores: from now on, the pages that this thread, or a thread started by
 * this thread, writes first. Nothing changes if the cores have one node, or no node is known. Returns the number of nodes.
 * */
int numa_spread(void);

/* Ends the spreading. */
void numa_rest(void);

#endif
