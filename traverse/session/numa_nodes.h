/* numa_nodes.h: spreads the memory of a graph over the NUMA nodes of a host.
 *
 * In a search all cores read the sections of a shard. By default a page of memory lies on the node of the thread that writes
 * the page first, and the page does not move later. So all sections might lie on one node, and only the memory of this node
 * would be busy. With spreading, consecutive pages of a section lie on different nodes, and the memories of all nodes are
 * busy. Masks and depths need no spreading, because each part of them is written first by the thread that uses the part in
 * searches (cpu/thread_pool.h).
 */
#ifndef DBFS_NUMA_NODES_H
#define DBFS_NUMA_NODES_H

#include <sched.h>
#include <stdint.h>

/* Returns a bitmap of NUMA nodes. Bit i is set if node i has any of the cores `cores`. Nodes above 63 are left out. `folder`
 * is "/sys/devices/system/node", except in tests. Returns 0 if the folder describes no node. */
uint64_t numa_nodes_of(const char *folder, const cpu_set_t *cores);

/* Makes the kernel put new pages on the NUMA nodes of this thread's cores in turn. A page is new if it is written for the
 * first time after this call, by this thread or by a thread that this thread starts after the call. Nothing changes if the
 * cores are on one node, or if no node is known. Returns the number of nodes. */
int numa_spread(void);

/* Ends the effect of numa_spread. */
void numa_rest(void);

#endif
