/* read_lgl.c: graphs of LGL, the Large Graph Layout, as igraph writes and reads them:
 *
 *   # vertex
 *   neighbour [weight]      a line for each, until the next vertex
 *
 * Each undirected edge stands in the list of one of its ends. A vertex's lines may go on in the next piece, so pieces are
 * parsed in order, when they are taken.
 */
#include "graph_reader.h"

#include "fields.h"
#include "scan_text.h"
#include "tools/convert/piece/names.h"

static const char expected_head[] = "'# VERTEX' before its neighbours";

/* The vertex whose neighbours are listed. */
struct lgl {
    int has_vertex;
    uint64_t id;    /* a number, or the place of the name in the piece */
    int in_piece;   /* of names: the place is one of this piece */
    size_t length;
    char name[NAME_MAX_BYTES];
};

/* Takes the line of a vertex, which r->state then is; adds it to the piece. Returns the next line, or NULL with a fault. */
static const char *take_vertex(const struct graph_reader *r, struct piece *piece, const char *p, uint64_t lines)
{
    struct lgl *lgl = r->state;
    struct field word[2];
    if (fields_split(p + 1, SEPARATOR_BLANK, word, 2) != 1)
        return set_fault(piece, word[1].begin, lines, "one vertex behind #");
    if (!reader_take_id(r, piece, word[0], &lgl->id))
        return set_fault(piece, word[0].begin, lines, reader_expected_id(r, word[0]));
    lgl->has_vertex = lgl->in_piece = 1;
    if (r->facts.names) {
        lgl->length = (size_t)(word[0].end - word[0].begin);
        memcpy(lgl->name, word[0].begin, lgl->length);
        piece->edges[piece->count++] = (struct edge){lgl->id, NAME_NONE};
    } else if (lgl->id >= piece->tally.beyond) {
        piece->tally.beyond = lgl->id + 1;
    }
    return next_line(p);
}

/* Adds the edge from the vertex in r->state to that of the line. Returns the next line, or NULL with a fault. */
static const char *take_neighbour(const struct graph_reader *r, struct piece *piece, const char *p, uint64_t lines)
{
    struct lgl *lgl = r->state;
    struct field word[3];
    uint64_t v;
    int words = fields_split(p, SEPARATOR_BLANK, word, 3);
    if (!lgl->has_vertex)
        return set_fault(piece, word[0].begin, lines, expected_head);
    if (words > 2 || (words == 2 && !field_is_weight(word[1])))
        return set_fault(piece, word[words > 2 ? 2 : 1].begin, lines, words > 2 ? "the end of the line" : "the weight of the edge");
    if (r->facts.names && !lgl->in_piece) {
        lgl->id = piece_add_name(piece, lgl->name, lgl->length);
        lgl->in_piece = 1;
    }
    if (!reader_take_id(r, piece, word[0], &v))
        return set_fault(piece, word[0].begin, lines, reader_expected_id(r, word[0]));
    piece->edges[piece->count++] = (struct edge){lgl->id, v};
    return next_line(p);
}

/* A line_parser that changes r->state: only pieces taken in order can be parsed. */
static const char *parse_line(const struct graph_reader *r, struct piece *piece, const char *p, uint64_t lines)
{
    const char *next = skip_line_end(p), *first = skip_blanks(p);
    if (next != NULL)
        return next;
    return *first == '#' ? take_vertex(r, piece, first, lines) : take_neighbour(r, piece, p, lines);
}

/* Takes a piece and parses it: the vertex whose list goes on is known here alone. */
static enum status take_lists(struct graph_reader *r, struct piece *piece, int *end, struct error *e)
{
    struct lgl *lgl = r->state;
    if (text_take(r, piece, end, e) != ST_OK || *end)
        return e->status;
    lgl->in_piece = 0;
    if (r->facts.names && piece_reserve_names(piece, piece->in.text_bytes / 4 + 2,
                                              piece->in.text_bytes + NAME_MAX_BYTES, e) != ST_OK)
        return e->status;
    return text_parse(r, piece, e);
}

static enum status open_lgl(struct graph_reader *r, struct error *e)
{
    r->facts.direction = EDGES_UNDIRECTED_ONCE;
    r->facts.names = r->options.names;
    if (text_peek(r, "", e) != ST_OK || reader_set_ids(r, r->options.one_based, NO_COUNT, 0, e) != ST_OK)
        return e->status;
    return text_start_in_order(r, text_head_start(r), 0, e);
}

const struct reader_class read_lgl_class = {
    .open = open_lgl,
    .take = take_lists,
    .account = text_account,
    .finish = text_finish,
    .state_bytes = sizeof(struct lgl),
    .shortest_entry = 2,
    .line = parse_line,
};
