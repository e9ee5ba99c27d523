/* test_numa_nodes.c: the nodes of the cores that a process may use, from folders like those of the kernel */
#include "unit.h"

#include "traverse/numa_nodes.h"

#include <stdlib.h>
#include <sys/stat.h>

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
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command) != 0 || unit_result();
}
