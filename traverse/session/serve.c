/* serve.c: reads the roots of a search from each line of standard input on rank 0, and sends them to all ranks; see serve.h */
#include "serve.h"

#include "traverse/results/outputs.h"

#include "formats/base/text.h"
#include "formats/mpi/lead.h"
#include "formats/mpi/watch.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What rank 0 tells all ranks after each line of the input. With ORDER_SEARCH, `count` is the number of roots, whose ids
 * follow. */
struct order {
    enum { ORDER_SEARCH, ORDER_NOTHING, ORDER_END, ORDER_FAIL } what;
    uint64_t count;
};

/* Reads a line of standard input into s->line, as a string without the "\n" or "\r\n" at its end, cut off after
 * MOST_LINE_BYTES. Returns the number of bytes of the whole line. Returns -1 if the input has ended, or cannot be read. */
static int64_t read_line(struct serve *s)
{
    int64_t bytes = 0;
    int c;
    for (; (c = getc_unlocked(stdin)) != EOF && c != '\n'; bytes++) {
        if (bytes < MOST_LINE_BYTES)
            s->line[bytes] = (char)c;
    }
    if (c == EOF && (bytes == 0 || ferror(stdin)))
        return -1;
    if (bytes > 0 && bytes <= MOST_LINE_BYTES && s->line[bytes - 1] == '\r')
        bytes--;
    s->line[bytes < MOST_LINE_BYTES ? bytes : MOST_LINE_BYTES] = '\0';
    return bytes;
}

/* Sets *id to the input id of the vertex that a text names by its number. Fails with ST_USAGE if the graph has no such vertex. */
static enum status find_id(const char *text, const struct graph *graph, uint64_t *id, struct error *e)
{
    const int is_number = parse_u64(text, id) == 0;
    if (!is_number && !has_digits_alone(text))
        return fail(e, ST_USAGE, "'%.64s' is not a whole number", text);
    if (!is_number) /* it is above 2^64 */
        return fail(e, ST_USAGE, "%s: root %.64s: the graph has vertices %" PRIu64 " to %" PRIu64, graph->folder, text,
                    graph->base, graph->base + graph->manifest.totals.n - 1);
    return id_from_user(graph, "root", *id, id, e);
}

/* Allocates and sets roots->ids to the input ids of the roots on a line of `bytes` bytes. If there is a map, roots are names,
 * otherwise numbers. Only with --together a line may have several: numbers with commas between them, or names with tabs. Fails
 * with ST_USAGE if the graph has no such vertex. Overwrites the line. */
static enum status find_ids(char *line, int64_t bytes, const struct searcher *searcher, struct roots *roots, struct error *e)
{
    const char separator[] = {searcher->map != NULL ? '\t' : ',', '\0'};
    uint64_t count = 1;
    if (bytes > MOST_LINE_BYTES)
        return fail(e, ST_USAGE, "a line of %" PRId64 " bytes: expected %d at most", bytes, MOST_LINE_BYTES);
    if (memchr(line, '\0', (size_t)bytes) != NULL)
        return fail(e, ST_USAGE, "'%.64s' goes on with a NUL byte: expected a line of text", line);
    for (const char *at = line; searcher->args->together && (at = strchr(at, *separator)) != NULL; at++)
        count++;
    if (count > MAX_ROOTS)
        return fail(e, ST_USAGE, "a line of more than %d roots", MAX_ROOTS);
    const char **text = zeroed(count, sizeof *text, "roots", e);
    if (roots_resize(roots, count, e) == ST_OK) {
        for (uint64_t i = 0; i < count; i++)
            text[i] = count > 1 ? strsep(&line, separator) : line;
        if (searcher->map != NULL)
            name_map_find(searcher->map, text, count, roots->ids, e);
        for (uint64_t i = 0; i < count && searcher->map == NULL && e->status == ST_OK; i++)
            find_id(text[i], &searcher->graph, &roots->ids[i], e);
    }
    free(text);
    return e->status;
}

/* Releases the answer of a line "release NUMBER" (--device-answers). Sets s->refused if there is no such answer. Returns 0 if the line
 * is another one. */
static int releases_answer(struct serve *s, struct searcher *searcher)
{
    static const char word[] = "release ";
    const char *text = s->line + strlen(word);
    uint64_t number = 0;
    if (!searcher->args->device_answers || strncmp(s->line, word, strlen(word)) != 0)
        return 0;
    if (parse_u64(text, &number) != 0)
        fail(&s->refused, ST_USAGE, "release '%.64s': expected the number of an answer", text);
    else
        kept_answers_release(&searcher->results.kept, &searcher->results.answers, number, &s->refused);
    return 1;
}

/* Collective. Makes the roots that rank 0 has found those of all ranks, and finds their shards. */
static enum status share_roots(const struct searcher *searcher, uint64_t count, struct roots *roots, struct error *e)
{
    const struct comm *comm = searcher->rank.comm;
    if (comm->rank != 0)
        roots_resize(roots, count, e);
    if (comm_agree(comm, e) != ST_OK)
        return e->status;
    comm_broadcast(comm, roots->ids, count * sizeof *roots->ids, 0);
    return roots_locate(roots, &searcher->rank, e);
}

/* Collective. Rank 0 reads the next line that is not empty, while the other ranks wait. There are four cases:
 * - The line has roots: sets `roots`, and finds the shards of the roots.
 * - The line has none, or the names of the results are refused: sets roots->count to 0, and on rank 0 s->refused.
 * - The input has ended: sets roots->count to 0, and s->ended to 1.
 * - Rank 0 cannot read, or memory is short: the call fails on all ranks. */
enum status serve_next_root(struct serve *s, struct searcher *searcher, struct error *e)
{
    const struct rank *rank = &searcher->rank;
    struct roots *roots = &searcher->roots;
    struct order order = {.what = ORDER_SEARCH};
    int64_t bytes;
    watch_phase("waiting for a root");
    if (rank->comm->rank == 0) {
        s->refused = (struct error){0};
        while ((bytes = read_line(s)) == 0 || (bytes > 0 && releases_answer(s, searcher) && s->refused.status == ST_OK))
            ;
        if (s->refused.status != ST_OK)
            order.what = ORDER_NOTHING;
        else if (bytes < 0 && ferror(stdin))
            fail_errno(e, "standard input", "cannot read");
        else if (bytes < 0)
            order.what = ORDER_END;
        else if (find_ids(s->line, bytes, searcher, roots, &s->refused) != ST_OK ||
                 outputs_check_roots(searcher->args, searcher->map, roots->ids, 1, searcher->graph.base, &s->refused) != ST_OK)
            order.what = ORDER_NOTHING;
        order.count = roots->count;
        s->any_refused |= order.what == ORDER_NOTHING;
        if (s->refused.status == ST_RESOURCE) /* only memory is short; the line may have a root */
            *e = s->refused;
        if (e->status != ST_OK)
            order.what = ORDER_FAIL;
    }
    comm_await(rank->comm, &order, sizeof order);
    s->ended = order.what == ORDER_END;
    if (order.what == ORDER_SEARCH)
        return share_roots(searcher, order.count, roots, e);
    roots->count = 0;
    return order.what == ORDER_FAIL ? comm_agree(rank->comm, e) : ST_OK;
}

/* Prints one line with the reason why the last line was refused. Control characters in it, from the line or from the name
 * of a file, are printed as question marks. */
void serve_print_refusal(FILE *out, const struct serve *s)
{
    const char *reason = s->refused.text;
    fputs("error ", out);
    for (; *reason != '\0'; reason++)
        putc(iscntrl((unsigned char)*reason) ? '?' : *reason, out);
    putc('\n', out);
}
