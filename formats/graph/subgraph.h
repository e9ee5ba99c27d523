/* subgraph.h: the four subgraphs of a degree-separated graph (Pan et al., section III).
 *
 * An edge goes from its row to its column. Each end is a normal vertex or a delegate. The first letter of a
 * subgraph's name is the kind of its rows, the second letter is the kind of its columns. The reverse of a
 * subgraph has the same edges in the opposite direction. nd is the reverse of dn, and dn of nd; nn and dd are
 * their own reverse. A push along g finds vertices among the columns of g. A pull finds the same vertices
 * among the rows of the reverse of g.
 */
#ifndef DBFS_SUBGRAPH_H
#define DBFS_SUBGRAPH_H

enum vertex_kind { NORMALS, DELEGATES, VERTEX_KINDS };

enum subgraph { NN, ND, DN, DD, SUBGRAPHS };

extern const char *const subgraph_name[SUBGRAPHS]; /* nn, nd, dn, dd */

static inline enum vertex_kind subgraph_rows(enum subgraph g)
{
    return (enum vertex_kind)(g >> 1);
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

#endif
