/* subgraph.c: see subgraph.h */
#include "subgraph.h"

const char *const subgraph_name[ROW_SETS] = {"nn", "nd", "dn", "dd", "in-nn", "in-nd", "in-dn", "in-dd"};
