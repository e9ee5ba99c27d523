/* subgraph.c: see subgraph.h */
#include "subgraph.h"

const char *const subgraph_name[SUBGRAPHS] = {"nn", "nd", "dn", "dd"};
