/* read_webgraph.c: graphs of WebGraph in the BV format, as LAW, Software Heritage and Common Crawl publish them:
 * NAME.graph, with NAME.properties beside it. A list of successors becomes the arcs of its node.
 *
 * A list refers to lists before it, so that the file is decoded in order, while other threads encode what it gave. With
 * NAME.offsets, which has the bit at which each node begins, threads decode spans of nodes side by side. The offsets
 * and the heads of the nodes are read in order, when a piece is taken: they tell how many arcs a span has, and at which node
 * before it a thread must begin to know all lists that the span refers to.
 *
 * Three kinds of spans are decoded in order all the same, so that a piece and a thread's lists are never large, and little is
 * decoded twice: a long list, spans whose references lead to many arcs, and those whose references lead too far back. A long
 * list fills several pieces. One thread alone reads the graph in order.
 */
#include "graph_reader.h"
#include "webgraph.h"

#include "tools/convert/input/beside.h"
#include "tools/convert/input/wrapping.h"

#include "formats/base/arith.h"
#include "formats/base/read_fully.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

typedef unsigned long long ull;

enum {
    PIECE_ARCS = 1 << 18,
    PIECE_NODES = 1 << 18,
    MOST_REACH = 1 << 10, /* nodes before a span that a thread may have to decode */
};

static const uint64_t usual_long_list = PIECE_ARCS / 8;

/* A node whose offset has been read. */
struct start {
    uint64_t bit;
    uint64_t oldest; /* the last node that its references lead to, one after the other; itself, if it has none */
    uint64_t arcs;   /* of its list, at most PIECE_ARCS */
};

/* Nodes that a thread decodes, in the buffer of a piece. */
struct span {
    uint64_t from, to;
    uint64_t places; /* a digest of the bits at which its nodes begin, and of the one where it ends */
    uint64_t oldest; /* decoding begins there */
    uint64_t bit[MOST_REACH + 1]; /* of the nodes oldest to `from` */
};

struct webgraph {
    char name[BESIDE_NAME_BYTES]; /* of the graph, for messages */
    struct webgraph_properties properties;
    struct bit_source source;
    uint64_t to; /* nodes before are in pieces, or are being decoded in order */

    int in_order; /* the decoder is on its way to node `to` */
    struct webgraph_decoder decoder;
    const struct webgraph_list *list; /* of node decoder.next - 1, not yet in pieces as a whole; NULL: there is none */
    uint64_t used;                    /* its successors that are in pieces */

    /* by offsets */
    int has_offsets, offsets_fd;
    char offsets_name[BESIDE_NAME_BYTES];
    struct bit_reader offsets, heads;
    uint64_t long_list; /* successors of a list that is decoded in order */
    uint64_t bit;       /* where node `to` begins */
    uint64_t from;      /* the first node of the last span */
    uint64_t places, decoded_places; /* digests of that span: by the offsets; as far as it was decoded in order */
    struct start recent[MOST_REACH]; /* of node v: recent[v % MOST_REACH] */
};

/* ---- opening ---- */

/* bit_source.read_at of the graph. */
static enum status read_graph(const void *file, uint64_t offset, void *bytes, size_t count, size_t *got, struct error *e)
{
    return input_read_at(file, offset, bytes, count, got, e);
}

/* bit_source.read_at of NAME.offsets; `file` is the struct webgraph. */
static enum status read_offsets_file(const void *file, uint64_t offset, void *bytes, size_t count, size_t *got,
                                     struct error *e)
{
    const struct webgraph *w = file;
    return read_fully_at(w->offsets_fd, offset, bytes, count, got) == 0 ? ST_OK : fail_errno(e, w->offsets_name, "cannot read");
}

/* Opens NAME.offsets. If they are of no use, or cannot be opened, w->has_offsets stays 0, and the latter is a warning. */
static enum status open_offsets(struct graph_reader *r, struct webgraph *w, struct error *e)
{
    struct stat st;
    const struct webgraph_properties *p = &w->properties;
    if (r->options.threads < 2 || p->window >= MOST_REACH || !beside_name(r->name, BESIDE_OFFSETS, w->offsets_name))
        return ST_OK;
    w->offsets_fd = open(w->offsets_name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (w->offsets_fd < 0 && errno == ENOENT)
        return ST_OK;
    if (w->offsets_fd < 0 || fstat(w->offsets_fd, &st) != 0 || !S_ISREG(st.st_mode)) {
        snprintf(r->facts.notes.warning, sizeof r->facts.notes.warning, "%.300s: cannot be read: %s: the graph is read in order",
                 w->offsets_name, w->offsets_fd < 0 ? strerror(errno) : "is no regular file");
        return ST_OK;
    }
    struct bit_source source = {.read_at = read_offsets_file, .file = w, .bytes = (uint64_t)st.st_size};
    if (bits_open(&w->offsets, source, w->offsets_name, e) != ST_OK || bits_open(&w->heads, w->source, w->name, e) != ST_OK)
        return e->status;
    w->has_offsets = 1;
    w->long_list = smaller(usual_long_list, r->options.max_buffer_bytes / (32 * (p->window + 1)));
    return ST_OK;
}

/* Sets w->name, for messages. Bits that begin as a compressed file does may be one: they are looked at as they are stored. */
static enum status set_name(const struct graph_reader *r, struct webgraph *w, struct error *e)
{
    unsigned char start[WRAPPING_SNIFF_BYTES];
    size_t got;
    if (input_read_at(r->input, 0, start, sizeof start, &got, e) != ST_OK)
        return e->status;
    enum wrapping kind = wrapping_sniff(start, got);
    if (kind == WRAPPING_NONE)
        snprintf(w->name, sizeof w->name, "%s", r->name);
    else
        snprintf(w->name, sizeof w->name, "%.300s (it begins as a %s does: if it is one, unpack it)", r->name, wrapping_name(kind));
    return ST_OK;
}

/* Reads the properties and opens the decoder, and the offsets if they help. Without offsets all is decoded in order. */
static enum status open_webgraph(struct graph_reader *r, struct error *e)
{
    struct webgraph *w = r->state;
    w->offsets_fd = -1;
    if (!input_random_access(r->input))
        return fail(e, ST_BAD_DATA,
                    "%s: is a pipe, compressed or in an archive, expected a plain file NAME.graph of WebGraph, with "
                    "NAME.properties beside it",
                    r->name);
    if (set_name(r, w, e) != ST_OK || webgraph_read_properties(&w->properties, r->name, e) != ST_OK)
        return e->status;
    w->source = (struct bit_source){.read_at = read_graph, .file = r->input, .bytes = input_size(r->input)};
    if (w->properties.nodes > 8 * w->source.bytes)
        return fail(e, ST_BAD_DATA,
                    "%s: found %llu bytes, expected at least a bit for each of the %llu nodes of its .properties", w->name,
                    (ull)w->source.bytes, (ull)w->properties.nodes);
    r->facts.direction = EDGES_DIRECTED;
    r->facts.direction_fixed = 1;
    if (reader_set_ids(r, 0, w->properties.nodes, 0, e) != ST_OK ||
        webgraph_open(&w->decoder, &w->properties, w->source, w->name, 2 * r->options.max_buffer_bytes, e) != ST_OK ||
        open_offsets(r, w, e) != ST_OK)
        return e->status;
    if (!w->has_offsets) {
        w->in_order = 1;
        w->to = w->properties.nodes;
    }
    return ST_OK;
}

static void close_webgraph(struct graph_reader *r)
{
    struct webgraph *w = r->state;
    webgraph_close(&w->decoder);
    bits_close(&w->offsets);
    bits_close(&w->heads);
    if (w->offsets_fd >= 0)
        close(w->offsets_fd);
}

/* Adds arcs of a node to a piece that has room for them. An arc moves 8 bytes of the list and 16 of the piece. */
static void add_arcs(struct piece *piece, uint64_t node, const uint64_t *ids, size_t count)
{
    struct edge *edges = piece->edges + piece->count;
    for (size_t i = 0; i < count; i++)
        edges[i] = (struct edge){node, ids[i]};
    piece->count += count;
}

/* ---- places of nodes ---- */

/* Adds the bit at which a node begins to a digest. Another bit anywhere in a span gives another digest: a wrong place may
 * lead to lists that look like sound ones. */
static void add_place(uint64_t *places, uint64_t bit)
{
    *places = (*places + bit) * UINT64_C(0xd6e8feb86659fd93);
}

/* Compares the digests of a span's places: as the offsets told them, and as decoding found them. */
static enum status check_places(const struct webgraph *w, uint64_t from, uint64_t to, uint64_t told, uint64_t decoded,
                                struct error *e)
{
    if (told == decoded)
        return ST_OK;
    return fail(e, ST_BAD_DATA,
                "%s: found other bits for nodes %llu to %llu than those at which they begin in %s: offsets that are damaged, or "
                "of another graph? Without the file it is read in order",
                w->offsets_name, (ull)from, (ull)to, w->name);
}

/* ---- in order ---- */

/* Fills a piece with the arcs that come next, up to those of node w->to - 1. Clears w->in_order behind them, and checks their
 * places. */
static enum status take_in_order(struct webgraph *w, struct piece *piece, struct error *e)
{
    uint64_t begin = bits_position(&w->decoder.in), nodes = 0;
    piece->in.range_begin = piece->in.range_end = 0;
    if (piece_clear_edges(piece, PIECE_ARCS, e) != ST_OK)
        return e->status;
    while (piece->count < PIECE_ARCS && (w->list != NULL || (w->decoder.next < w->to && nodes++ < PIECE_NODES))) {
        if (w->list == NULL) {
            add_place(&w->decoded_places, bits_position(&w->decoder.in));
            if (webgraph_next(&w->decoder, &w->list, e) != ST_OK)
                return e->status;
        }
        size_t part = (size_t)smaller(PIECE_ARCS - piece->count, w->list->count - w->used);
        add_arcs(piece, w->decoder.next - 1, w->list->ids + w->used, part);
        w->used += part;
        if (w->used == w->list->count) {
            w->list = NULL;
            w->used = 0;
        }
    }
    uint64_t end = bits_position(&w->decoder.in);
    piece->tally.entries = piece->count;
    piece->input_bytes = end / 8 - begin / 8;
    w->in_order = w->list != NULL || w->decoder.next < w->to;
    if (!w->has_offsets || w->in_order)
        return ST_OK;
    add_place(&w->decoded_places, end);
    return check_places(w, w->from, w->to, w->places, w->decoded_places, e);
}

/* ---- by offsets ---- */

/* Reads where node `node` begins: moves w->bit there. */
static enum status read_offset(struct webgraph *w, uint64_t node, struct error *e)
{
    uint64_t gap = bits_value(&w->offsets, w->properties.code[PART_OFFSETS], 0), bits = bits_in_file(&w->heads);
    if (e->status != ST_OK)
        return e->status;
    if (!bits_ok(&w->offsets))
        return fail(e, ST_BAD_DATA,
                    "%s: found the end of the file, or a number beyond 64 bits, expected the offset of node %llu: without "
                    "the file %s is read in order",
                    w->offsets_name, (ull)node, w->name);
    if (gap > bits - w->bit || (node == 0 && gap > 0) || (node < w->properties.nodes && w->bit + gap >= bits))
        return fail(e, ST_BAD_DATA,
                    "%s: found that node %llu begins %llu bits behind bit %llu, expected a bit of %s: offsets of another "
                    "graph? Without the file it is read in order",
                    w->offsets_name, (ull)node, (ull)gap, (ull)w->bit, w->name);
    w->bit += gap;
    return ST_OK;
}

/* Nonzero if a thread may begin to decode at a node; *oldest is then the node that it must begin to look at. The lists before
 * it, which would be decoded too, may be neither many nor long. */
static int can_begin(const struct webgraph *w, uint64_t node, uint64_t *oldest)
{
    uint64_t window = smaller(w->properties.window, node), arcs = 0;
    *oldest = node;
    for (uint64_t v = node - window; v < node; v++)
        *oldest = smaller(*oldest, w->recent[v % MOST_REACH].oldest);
    if (node - *oldest >= MOST_REACH)
        return 0;
    for (uint64_t v = *oldest; v < node; v++)
        arcs += w->recent[v % MOST_REACH].arcs;
    return arcs <= 2 * w->long_list;
}

/* Reads offsets and heads from node w->to on, up to the end of a span, and moves w->to there. Returns in *arcs how many arcs
 * the span has, and in *is_long whether it is one long list. */
static enum status scan_span(struct webgraph *w, uint64_t *arcs, int *is_long, struct error *e)
{
    const uint64_t nodes = w->properties.nodes;
    *arcs = 0;
    *is_long = 0;
    w->from = w->to;
    w->places = w->decoded_places = 0;
    while (w->to < nodes && w->to - w->from < PIECE_NODES && *arcs < PIECE_ARCS && !*is_long) {
        struct start *start = &w->recent[w->to % MOST_REACH];
        uint64_t degree, reference;
        bits_seek(&w->heads, w->bit);
        webgraph_head(&w->heads, &w->properties, &degree, &reference);
        *is_long = degree > w->long_list;
        if (*is_long && w->to > w->from) { /* the next span */
            *is_long = 0;
            break;
        }
        int refers = reference > 0 && reference <= smaller(w->properties.window, w->to);
        *start = (struct start){w->bit, refers ? w->recent[(w->to - reference) % MOST_REACH].oldest : w->to,
                                smaller(degree, PIECE_ARCS)};
        *arcs += degree;
        add_place(&w->places, w->bit);
        w->to++;
        if (read_offset(w, w->to, e) != ST_OK)
            return e->status;
    }
    add_place(&w->places, w->bit);
    return e->status;
}

/* Decodes the lists before a span that it may refer to, and puts the decoder at the first node of the span. */
static enum status approach(struct webgraph_decoder *d, const struct span *span, struct error *e)
{
    webgraph_seek(d, span->oldest, span->bit[0]);
    while (d->next < span->from) {
        if (webgraph_approach(d, span->bit[d->next - span->oldest], e) != ST_OK)
            return e->status;
    }
    bits_seek(&d->in, span->bit[span->from - span->oldest]);
    return ST_OK;
}

/* Takes the next span. It is left to parse_webgraph, in any thread, or decoded here and now. */
static enum status take_span(struct webgraph *w, struct piece *piece, struct error *e)
{
    struct span *span;
    uint64_t arcs, next_oldest;
    int is_long;
    if (piece_reserve_text(piece, sizeof *span, e) != ST_OK || (w->to == 0 && read_offset(w, 0, e) != ST_OK))
        return e->status;
    span = (struct span *)(void *)piece->in.buffer;
    span->from = w->to;
    int begins = can_begin(w, w->to, &span->oldest);
    for (uint64_t v = span->oldest; begins && v < span->from; v++)
        span->bit[v - span->oldest] = w->recent[v % MOST_REACH].bit;
    span->bit[begins ? span->from - span->oldest : 0] = w->bit;
    uint64_t begin = w->bit;
    if (scan_span(w, &arcs, &is_long, e) != ST_OK)
        return e->status;
    span->to = w->to;
    span->places = w->places;
    piece->input_bytes = w->bit / 8 - begin / 8;
    if (begins && !is_long && (w->to == w->properties.nodes || can_begin(w, w->to, &next_oldest))) {
        piece->in.range_begin = 0;
        piece->in.range_end = arcs + 1;
        return ST_OK;
    }
    /* a span that cannot begin follows one that was decoded in order */
    if (w->decoder.next != span->from && approach(&w->decoder, span, e) != ST_OK)
        return e->status;
    return take_in_order(w, piece, e);
}

/* Checks that nothing follows the last node, and the last offset. */
static enum status check_ends(struct webgraph *w, struct error *e)
{
    if (!w->has_offsets)
        return webgraph_check_end(&w->decoder.in, w->name, "the last node", e);
    bits_seek(&w->heads, w->bit);
    if (webgraph_check_end(&w->heads, w->name, "the last node", e) == ST_OK)
        webgraph_check_end(&w->offsets, w->offsets_name, "the last offset", e);
    return e->status;
}

/* ---- the reader ---- */

/* Reads offsets, or decodes, up to the end of the next piece; the only place where r->state changes. */
static enum status take_webgraph(struct graph_reader *r, struct piece *piece, int *end, struct error *e)
{
    struct webgraph *w = r->state;
    w->offsets.error = w->heads.error = w->decoder.in.error = e;
    if (w->in_order)
        return take_in_order(w, piece, e);
    *end = w->to == w->properties.nodes;
    return *end ? check_ends(w, e) : take_span(w, piece, e);
}

/* Decodes the span that take_span left in the piece's buffer, with a decoder of its own. */
static enum status parse_webgraph(const struct graph_reader *r, struct piece *piece, struct error *e)
{
    const struct webgraph *w = r->state;
    const struct span *span = (const struct span *)(const void *)piece->in.buffer;
    struct webgraph_decoder d = {0};
    uint64_t places = 0;
    if (piece->in.range_end == 0) /* decoded in order */
        return ST_OK;
    if (piece_clear_edges(piece, (size_t)piece->in.range_end, e) != ST_OK ||
        webgraph_open(&d, &w->properties, w->source, w->name, r->options.max_buffer_bytes, e) != ST_OK)
        goto done;
    approach(&d, span, e);
    while (e->status == ST_OK && d.next < span->to) {
        const struct webgraph_list *list;
        add_place(&places, bits_position(&d.in));
        if (webgraph_next(&d, &list, e) == ST_OK && piece_extend_edges(piece, list->count, e) == ST_OK)
            add_arcs(piece, d.next - 1, list->ids, list->count);
    }
    piece->tally.entries = piece->count;
    add_place(&places, bits_position(&d.in));
    if (e->status == ST_OK)
        check_places(w, span->from, span->to, span->places, places, e);
done:
    webgraph_close(&d);
    return e->status;
}

/* Compares the arcs so far with those of the properties; until the end there may be fewer. */
static enum status check_arcs(const struct graph_reader *r, int is_end, struct error *e)
{
    const struct webgraph *w = r->state;
    uint64_t found = r->total.entries;
    if (found == w->properties.arcs || (found < w->properties.arcs && !is_end))
        return ST_OK;
    return fail(e, ST_BAD_DATA, "%s: found %s%llu arcs, expected %llu as its .properties say", w->name,
                is_end ? "" : "at least ", (ull)found, (ull)w->properties.arcs);
}

static enum status account_webgraph(struct graph_reader *r, struct piece *piece, struct error *e)
{
    (void)piece;
    return check_arcs(r, /* is_end */ 0, e);
}

static enum status finish_webgraph(struct graph_reader *r, struct error *e)
{
    return check_arcs(r, /* is_end */ 1, e);
}

const struct reader_class read_webgraph_class = {
    .open = open_webgraph,
    .take = take_webgraph,
    .parse = parse_webgraph,
    .account = account_webgraph,
    .finish = finish_webgraph,
    .close = close_webgraph,
    .state_bytes = sizeof(struct webgraph),
};
