/* numa_nodes.h: spreads the memory of a graph over the NUMA nodes of a host, so that a search is served by the memory of
 * all nodes.
 *
 * By default a page of memory lies on the node of the thread that writes the page first. All sections of a shard might then
 * lie on one node, although all cores read them in a search. With spreading, consecutive pages of a section lie on
 * different nodes. Masks and depths need no spreading, because each part of them is first written by the thread that uses
 * it in searches (cpu/thread_pool.h). */
#ifndef DBFS_NUMA_NODES_H
#define DBFS_NUMA_NODES_H

#include <sched.h>
#include <stdint.h>

/* Returns a bitmap of the NUMA nodes that have any of the cores `cores`. Nodes above 63 are left out. `folder` is
 * "/sys/devices/system/node", except in tests. Returns 0 if the folder describes no node. */
uint64_t numa_nodes_of(const char *folder, const cpu_set_t *cores);

/* Makes the kernel put new pages on the NUMA nodes of this thread's cores in turn, until numa_rest. A page is new if this
 * thread, or a thread that it starts later, writes it for the first time. Has no effect if there are fewer than two nodes.
 * Returns the number of nodes. */
int numa_spread(void);

/* Ends the effect of numa_spread. */
void numa_rest(void);

#endif
