/* test_numa_nodes.c: the nodes of the cores that a process may use, from folders like those of the kernel; and the
 * calls of the kernel
 *
 * A host with several nodes is pretended: fopen, sched_getaffinity and syscall of this file replace those of the C
 * library. */
#include "unit.h"

#include "traverse/session/numa_nodes.h"

#include <dlfcn.h>
#include <linux/mempolicy.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>

static const char *pretended; /* replaces the kernel's folder; NULL: nothing is pretended */
static int last_core;         /* of this process */
static long policy = -1, policy_bits;
static unsigned long policy_nodes;

FILE *fopen(const char *path, const char *mode)
{
    static const char nodes[] = "/sys/devices/system/node";
    static FILE *(*real)(const char *, const char *);
    char other[512];
    if (real == NULL)
        *(void **)&real = dlsym(RTLD_NEXT, "fopen");
    if (pretended == NULL || strncmp(path, nodes, strlen(nodes)) != 0)
        return real(path, mode);
    snprintf(other, sizeof other, "%s%s", pretended, path + strlen(nodes));
    return real(other, mode);
}

int sched_getaffinity(pid_t process, size_t bytes, cpu_set_t *cores)
{
    (void)process;
    CPU_ZERO_S(bytes, cores);
    for (int core = 0; core <= last_core; core++)
        CPU_SET_S((size_t)core, bytes, cores);
    return 0;
}

/* Replaces the C library's syscall. It reads no argument of other numbers: libnuma, if it is linked, calls this,
 * too. */
long syscall(long number, ...)
{
    va_list list;
    if (number != SYS_set_mempolicy)
        return -1;
    va_start(list, number);
    policy = va_arg(list, int);
    const unsigned long *nodes = va_arg(list, const unsigned long *);
    policy_nodes = nodes != NULL ? *nodes : 0;
    policy_bits = va_arg(list, int);
    va_end(list);
    return 0;
}

/* Gives the process cores 0 to `core`. */
static int spreads(int core, int count, unsigned long nodes)
{
    policy = -1;
    last_core = core;
    if (numa_spread() != count)
        return 0;
    return count == 1 ? policy == -1
                      : policy == MPOL_INTERLEAVE && policy_nodes == nodes && policy_bits == 65;
}

static void write_node(const char *folder, int node, const char *list)
{
    char path[256];
    snprintf(path, sizeof path, "%s/node%d", folder, node);
    mkdir(path, 0777);
    snprintf(path, sizeof path, "%s/node%d/cpulist", folder, node);
    FILE *file = fopen(path, "w");
    if (file == NULL)
        return;
    fputs(list, file);
    fclose(file);
}

static uint64_t nodes_of_core(const char *folder, int core)
{
    cpu_set_t cores;
    CPU_ZERO(&cores);
    CPU_SET(core, &cores);
    return numa_nodes_of(folder, &cores);
}

int main(void)
{
    char folder[] = "/tmp/dbfs-nodes.XXXXXX", command[64];
    cpu_set_t all;
    if (mkdtemp(folder) == NULL)
        return 1;
    report(nodes_of_core(folder, 0) == 0, "a folder without nodes: none is known");
    write_node(folder, 0, "0-3,8-11\n");
    write_node(folder, 1, "4-7,12-15\n");
    write_node(folder, 2, "\n");
    write_node(folder, 5, "16\n");
    report(nodes_of_core(folder, 0) == 1 && nodes_of_core(folder, 3) == 1, "the first range of a list");
    report(nodes_of_core(folder, 8) == 1 && nodes_of_core(folder, 12) == 2, "the second range");
    report(nodes_of_core(folder, 16) == 32, "a single core, and a node after a gap");
    report(nodes_of_core(folder, 17) == 0, "a core of no node");
    CPU_ZERO(&all);
    for (int core = 0; core < 64; core++)
        CPU_SET(core, &all);
    report(numa_nodes_of(folder, &all) == 35, "all cores: each node that has some");
    pretended = folder;
    report(spreads(3, 1, 0), "cores of one node: nothing is asked for");
    report(spreads(7, 2, 3) && spreads(63, 3, 35), "cores of several nodes: pages are interleaved over these nodes");
    numa_rest();
    report(policy == MPOL_DEFAULT && policy_nodes == 0, "numa_rest ends the interleaving");
    pretended = NULL;
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command) != 0 || unit_result();
}
