/* webgraph_properties.h: the file NAME.properties beside a graph of WebGraph: what it says of NAME.graph */
#ifndef DBFS_WEBGRAPH_PROPERTIES_H
#define DBFS_WEBGRAPH_PROPERTIES_H

#include "bit_codes.h"

#include "formats/base/status.h"

#include <stdint.h>

/* The parts of a list that have a code of their own. */
enum webgraph_part {
    PART_OUTDEGREES,
    PART_REFERENCES,
    PART_BLOCK_COUNT,
    PART_BLOCKS,
    PART_INTERVALS,
    PART_RESIDUALS,
    PART_OFFSETS, /* of NAME.offsets */
    PARTS
};

struct webgraph_properties {
    uint64_t nodes, arcs;
    uint64_t window;         /* a list may refer to one of as many lists before it; 0: to none */
    uint64_t least_interval; /* vertices of an interval; 0: lists have none */
    enum code code[PARTS];
    unsigned zeta_k;
};

/* Reads NAME.properties. ST_BAD_DATA names what is missing, or is of a kind that is not read. */
enum status webgraph_read_properties(struct webgraph_properties *p, const char *graph, struct error *e);

#endif
