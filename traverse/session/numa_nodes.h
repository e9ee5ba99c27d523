/* numa_nodes.h: on which NUMA nodes of a host the memory of a graph lies.
 *
 * A search reads the sections of a shard from all cores. A page lies on the node of the thread that writes
 * it first, and pages do not move after loading. So sections are spread over nodes page by page: each node then
 * gives its share of the bandwidth. Masks and depths need no spreading, because a search clears and writes them
 * with the threads that use them (cpu/thread_pool.h).
 */
#ifndef DBFS_NUMA_NODES_H
#define DBFS_NUMA_NODES_H

#include <sched.h>
#include <stdint.h>

/* Returns the NUMA nodes that have a core of `cores`, as bits. Nodes above 63 are left out. `folder` is
 * "/sys/devices/system/node", except in tests. Returns 0 if the folder describes no node. */
uint64_t numa_nodes_of(const char *folder, const cpu_set_t *cores);

/* Spreads pages over the NUMA nodes of this thread's cores. This concerns pages that this thread, or a thread that it
 * starts, writes first from now on. Nothing changes if the cores have one node, or if no node is known. Returns the number
 * of nodes. */
int numa_spread(void);

/* Ends the spreading of numa_spread. */
void numa_rest(void);

#endif
