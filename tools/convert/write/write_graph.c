/* write_graph.c: see write_graph.h */
#include "write_graph.h"

#include "sg_build.h"

#include "tools/spill/unnamed.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct graph_writer {
    enum edge_format format;
    struct outfile *out; /* not owned; NULL for a temporary file */
    enum edges_direction direction;
    uint64_t base; /* of text */
    struct edges_writer *edges;
    struct sg_build *sg;
    int temporary_fd;
    char *temporary_folder; /* for messages; NULL: `out` is written */
};

static struct graph_writer *new_writer(enum edge_format format, struct error *e)
{
    struct graph_writer *writer = calloc(1, sizeof *writer);
    if (writer == NULL) {
        fail_memory(e, "graph writer", sizeof *writer);
        return NULL;
    }
    writer->format = format;
    writer->temporary_fd = -1;
    return writer;
}

enum status graph_writer_open(struct graph_writer **result, enum edge_format format,
                              struct outfile *out, const struct edges_info *info,
                              struct workspace *space, struct error *e)
{
    *result = NULL;
    if (format == EDGE_FORMAT_SG && !outfile_seekable(out))
        return fail(e, ST_USAGE,
                    "%s: -t sg needs a regular file (-o FILE): its head is written last",
                    outfile_name(out));
    struct graph_writer *writer = new_writer(format, e);
    if (writer == NULL)
        return e->status;
    writer->out = out;
    writer->direction = info->direction;
    writer->base = info->base;
    if (format == EDGE_FORMAT_EDGES)
        edges_writer_open(&writer->edges, out, info, e);
    else if (format == EDGE_FORMAT_SG)
        sg_build_open(&writer->sg, space, e);
    if (e->status != ST_OK) {
        graph_writer_free(writer);
        return e->status;
    }
    *result = writer;
    return ST_OK;
}

enum status graph_writer_open_temporary(struct graph_writer **result, const char *folder, struct error *e)
{
    *result = NULL;
    struct graph_writer *writer = new_writer(EDGE_FORMAT_GRAPH500, e);
    if (writer == NULL)
        return e->status;
    writer->temporary_folder = strdup(folder);
    if (writer->temporary_folder == NULL)
        fail_memory(e, folder, strlen(folder));
    else if ((writer->temporary_fd = unnamed_file(folder)) < 0)
        fail_errno(e, folder, "cannot create a temporary file in it");
    if (e->status != ST_OK) {
        graph_writer_free(writer);
        return e->status;
    }
    *result = writer;
    return ST_OK;
}

/* Hands the descriptor over: the writer has none afterwards. */
int graph_writer_temporary_fd(struct graph_writer *writer)
{
    int fd = writer->temporary_fd;
    writer->temporary_fd = -1;
    if (fd >= 0)
        lseek(fd, 0, SEEK_SET);
    return fd;
}

void graph_writer_free(struct graph_writer *writer)
{
    if (writer == NULL)
        return;
    edges_writer_free(writer->edges);
    sg_build_close(writer->sg);
    if (writer->temporary_fd >= 0)
        close(writer->temporary_fd);
    free(writer->temporary_folder);
    free(writer);
}

/* The edges of a block, where the format has blocks. */
size_t graph_writer_granule(const struct graph_writer *writer)
{
    return writer->format == EDGE_FORMAT_EDGES ? EDGES_BLOCK_EDGES : 1;
}

/* ---- encoding ---- */

/* Checks that ids are below the limit of the format. The OR of all ids is at least as large as each of them, so if it is below
 * the limit, all ids are. */
static enum status check_ids(enum edge_format format, const struct edge *edges, size_t count, struct error *e)
{
    uint64_t joined = 0, limit = edge_format_id_limit(format);
    for (size_t i = 0; i < count; i++)
        joined |= edges[i].u | edges[i].v;
    if (joined < limit)
        return ST_OK;
    size_t i = 0;
    while (i < count && edges[i].u < limit && edges[i].v < limit)
        i++;
    if (i == count)
        return ST_OK;
    return fail(e, ST_BAD_DATA, "edge %llu %llu: its ids do not fit %s",
                (unsigned long long)edges[i].u, (unsigned long long)edges[i].v,
                format == EDGE_FORMAT_SG ? "the 31 bits of an .sg file: --compact may help"
                                         : "32 bits: use -t u64");
}

/* Checks that ids fit the format; changes nothing but *encoded. */
enum status graph_writer_encode(const struct graph_writer *writer, struct encoded_edges *encoded,
                                const struct edge *edges, size_t count, struct error *e)
{
    enum edge_format format = writer->format;
    if ((format == EDGE_FORMAT_U32 || format == EDGE_FORMAT_SG) &&
        check_ids(format, edges, count, e) != ST_OK)
        return e->status;
    return edge_encode(format, writer->direction, writer->base, edges, count, encoded, e);
}

/* ---- writing ---- */

/* Writes encoded edges, the next in order; of .sg they are kept until the end. */
enum status graph_writer_put(struct graph_writer *writer, const struct encoded_edges *encoded, struct error *e)
{
    if (writer->temporary_folder != NULL)
        return unnamed_append(writer->temporary_fd, encoded->bytes, encoded->size,
                              writer->temporary_folder, "the temporary file", e);
    if (writer->format == EDGE_FORMAT_SG)
        return sg_build_add(writer->sg, encoded->bytes, encoded->size / 8, e);
    return encoded_edges_write(encoded, writer->edges, writer->out, e);
}

enum status graph_writer_finish(struct graph_writer *writer, uint64_t n, struct error *e)
{
    if (writer->format == EDGE_FORMAT_EDGES)
        return edges_writer_finish(writer->edges, n, NULL, e);
    if (writer->format == EDGE_FORMAT_SG)
        return sg_build_finish(writer->sg, writer->out, writer->direction, n, e);
    return ST_OK;
}

uint64_t graph_writer_dropped(const struct graph_writer *writer)
{
    return writer->format == EDGE_FORMAT_SG ? sg_build_dropped(writer->sg) : 0;
}
