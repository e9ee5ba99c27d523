/* numa_nodes.c: spreads memory over the NUMA nodes of this thread's cores; see numa_nodes.h */
#include "numa_nodes.h"

#include <linux/mempolicy.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MOST_NODES = 64 };

/* Returns whether any core of `cores` is in a list of cores such as "0-15,32-47". */
static int has_core(const char *list, const cpu_set_t *cores)
{
    char *end;
    for (const char *at = list; *at >= '0' && *at <= '9'; at = *end == ',' ? end + 1 : end) {
        unsigned long first = strtoul(at, &end, 10);
        unsigned long last = *end == '-' ? strtoul(end + 1, &end, 10) : first;
        for (unsigned long core = first; core <= last && core < CPU_SETSIZE; core++) {
            if (CPU_ISSET(core, cores))
                return 1;
        }
    }
    return 0;
}

/* Returns the NUMA nodes that have a core of `cores`, as bits of nodes 0 to 63. `folder` has a folder for each node, with
 * the list of its cores. Returns 0 if no node can be read there. */
uint64_t numa_nodes_of(const char *folder, const cpu_set_t *cores)
{
    uint64_t nodes = 0;
    for (int node = 0; node < MOST_NODES; node++) {
        char path[4096], list[4096] = "";
        snprintf(path, sizeof path, "%s/node%d/cpulist", folder, node);
        FILE *file = fopen(path, "r");
        if (file == NULL)
            continue;
        if (fgets(list, sizeof list, file) != NULL && has_core(list, cores))
            nodes |= UINT64_C(1) << node;
        fclose(file);
    }
    return nodes;
}

/* Makes the kernel spread the pages that this thread, or a thread started by it, writes first from now on. The pages go to
 * the NUMA nodes of this thread's cores in turn. Nothing changes if there are fewer than two nodes. Returns the number of
 * nodes. */
int numa_spread(void)
{
    cpu_set_t cores;
    if (sched_getaffinity(0, sizeof cores, &cores) != 0)
        return 0;
    unsigned long nodes = numa_nodes_of("/sys/devices/system/node", &cores);
    int count = __builtin_popcountl(nodes);
    if (count > 1)
        syscall(SYS_set_mempolicy, MPOL_INTERLEAVE, &nodes, MOST_NODES + 1);
    return count;
}

/* Ends the spreading of numa_spread: from now on a page lies on the node of the thread that writes it first. */
void numa_rest(void)
{
    syscall(SYS_set_mempolicy, MPOL_DEFAULT, NULL, 0);
}
