/* numa_nodes.c: spreads memory over the NUMA nodes on which this thread may run; see numa_nodes.h */
#include "numa_nodes.h"

#include <linux/mempolicy.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MOST_NODES = 64 };

/* Returns whether a list of cores, such as "0-15,32-47", has any of the cores `cores`. */
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

/* Returns a bitmap of the NUMA nodes that have any of the cores `cores`, by the files nodeN/cpulist in `folder`. Returns 0
 * if no such file can be read. */
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

/* Makes the kernel put new pages on the NUMA nodes of this thread's cores in turn. Returns the number of nodes. */
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

/* Ends the effect of numa_spread. Afterwards a new page lies on the node of the thread that writes the page first. */
void numa_rest(void)
{
    syscall(SYS_set_mempolicy, MPOL_DEFAULT, NULL, 0);
}
