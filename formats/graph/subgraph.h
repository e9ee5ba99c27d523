/* subgraph.h: the four subgraphs of a degree-separated graph (Pan et al., section III).
 *
 * An edge goes from its row to its column, each of which is a normal vertex (n) or a delegate (d). The first letter of
 * a subgraph's name is the kind of its rows, the second that of its columns. The reverse of a subgraph has the same
 * edges in the opposite direction: nd and dn are each other's reverse, nn and dd their own. A push along g finds
 * vertices among the columns of g. A pull finds the same vertices among the rows of the reverse of g.
 *
 * A directed graph has two sets of rows. The out-rows, nn to dd, go from the tail of an edge to its head, and are
 * pushed. The in-rows, in-nn to in-dd, go from the head to the tail, and are pulled. For example, an edge from a normal
 * vertex to a delegate stands in nd and in in-dn. The rows of an undirected graph are both.
 */
#ifndef DBFS_SUBGRAPH_H
#define DBFS_SUBGRAPH_H

enum vertex_kind { NORMALS, DELEGATES, VERTEX_KINDS };

enum subgraph { NN, ND, DN, DD, SUBGRAPHS, IN_NN = SUBGRAPHS, IN_ND, IN_DN, IN_DD, ROW_SETS };

extern const char *const subgraph_name[ROW_SETS]; /* nn, nd, dn, dd, and in-nn to in-dd */

/* The kind of vertices that are its rows. */
static inline enum vertex_kind subgraph_rows(enum subgraph g)
{
    return (enum vertex_kind)(g >> 1 & 1);
}

static inline enum vertex_kind subgraph_columns(enum subgraph g)
{
    return (enum vertex_kind)(g & 1);
}

static inline enum subgraph subgraph_between(enum vertex_kind rows, enum vertex_kind columns)
{
    return (enum subgraph)(rows << 1 | columns);
}

static inline enum subgraph subgraph_reverse(enum subgraph g)
{
    return subgraph_between(subgraph_columns(g), subgraph_rows(g));
}

/* The in-rows of a directed graph that go between the same kinds as g. */
static inline enum subgraph subgraph_in(enum subgraph g)
{
    return (enum subgraph)(IN_NN + g);
}

#endif
