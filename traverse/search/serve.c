/* serve.c: see serve.h */
#include "serve.h"

#include "traverse/results/outputs.h"

#include "formats/base/text.h"
#include "formats/mpi/lead.h"
#include "formats/mpi/watch.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The order of rank 0 to all ranks, made from a line. */
struct order {
    enum { ORDER_SEARCH, ORDER_NOTHING, ORDER_END, ORDER_FAIL } what;
    uint64_t id;
};

/* The next line that is not empty, without its end. NULL at the end of the input. */
static const char *read_line(struct serve *s)
{
    while (getline(&s->line, &s->room, stdin) > 0) {
        s->line[strcspn(s->line, "\r\n")] = '\0';
        if (*s->line != '\0')
            return s->line;
    }
    return NULL;
}

static enum status find_id(const char *line, uint64_t n, const struct name_map *map, uint64_t *id, struct error *e)
{
    if (map != NULL)
        return name_map_find(map, &line, 1, id, e);
    if (parse_u64(line, id) != 0 && !has_digits_alone(line))
        return fail(e, ST_USAGE, "'%.64s' is not a whole number", line);
    if (parse_u64(line, id) != 0 || *id >= n)
        return fail(e, ST_USAGE, "root %.64s: the graph has vertices 0 to %" PRIu64, line, n - 1);
    return ST_OK;
}

/* Reads a line and makes an order of it, on rank 0. */
static struct order read_order(struct serve *s, uint64_t n, const struct args *args, const struct name_map *map,
                               struct error *e)
{
    struct order order = {.what = ORDER_END};
    const char *line = read_line(s);
    s->refused = (struct error){0};
    if (line == NULL && ferror(stdin)) {
        fail_errno(e, "standard input", "cannot read");
        order.what = ORDER_FAIL;
    }
    if (line == NULL)
        return order;
    order.what = ORDER_SEARCH;
    if (find_id(line, n, map, &order.id, &s->refused) != ST_OK ||
        outputs_check_roots(args, &order.id, 1, &s->refused) != ST_OK) {
        order.what = ORDER_NOTHING;
        s->any_refused = 1;
    }
    return order;
}

enum status serve_next(struct serve *s, struct roots *root, const struct rank *rank, const struct args *args,
                       const struct name_map *map, struct error *e)
{
    struct order order = {.what = ORDER_END};
    watch_phase("waiting for a root");
    if (rank->comm->rank == 0)
        order = read_order(s, rank->graph->manifest.totals.n, args, map, e);
    comm_await(rank->comm, &order, sizeof order);
    s->ended = order.what == ORDER_END;
    root->count = order.what == ORDER_SEARCH;
    *root->ids = order.id;
    if (order.what == ORDER_FAIL)
        return comm_agree(rank->comm, e);
    return root->count > 0 ? roots_locate(root, rank, e) : ST_OK;
}

void serve_close(struct serve *s)
{
    free(s->line);
}
