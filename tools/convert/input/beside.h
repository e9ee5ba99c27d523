/* beside.h: the files that are read with another one: NAME.properties and NAME.offsets with NAME.graph of WebGraph.
 *
 * They stand beside the graph, or beside the file that a symbolic link leads to.
 */
#ifndef DBFS_BESIDE_H
#define DBFS_BESIDE_H

enum { BESIDE_NAME_BYTES = 4096 };

enum beside {
    BESIDE_PROPERTIES, /* without them the graph cannot be read */
    BESIDE_OFFSETS,    /* they change the time alone */
    BESIDE_KINDS
};

/* Writes the name of a file beside NAME.graph: one that exists, if there is one. Returns 0 if the graph is not named so. */
int beside_name(const char *graph, enum beside kind, char name[BESIDE_NAME_BYTES]);

/* Nonzero if the properties beside NAME.graph are those of a graph of WebGraph. */
int beside_webgraph(const char *graph);

/* Writes the names of all files that are read with a graph of WebGraph where they exist, and their kinds. Returns how many
 * there are; 0 for any other file. */
enum { BESIDE_MOST = 2 * BESIDE_KINDS };
int beside_list(const char *graph, char name[BESIDE_MOST][BESIDE_NAME_BYTES], enum beside kind[BESIDE_MOST]);

#endif
