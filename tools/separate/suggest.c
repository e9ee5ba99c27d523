/* suggest.c: see suggest.h */
#include "suggest.h"

#include "threshold.h"

#include <stdio.h>

/* When a TH for both machines gives way to a slower one with fewer bytes: if shards have worth_from_bytes or more, its loss is
 * at most 10% higher, and its bytes are at least 1% fewer. */
static const double worth_loss = 1.10, worth_bytes = 0.99, as_few_bytes = 1.01;
static const uint64_t worth_from_bytes = UINT64_C(64) << 20;

/* The most bytes of a shard on a GPU, which leaves room for the arrays of a search on an H200 of 141 GB. */
static const uint64_t device_bytes = UINT64_C(128) << 30;

/* ---- choosing ---- */

/* The candidates, and the facts about them. */
struct candidates {
    const struct edge_ranks *ranks;
    struct sweep_row *row;
    uint64_t rows;
    struct predicted *predicted; /* [rows] */
    uint64_t least_ns[MACHINES]; /* of those that fit */
    uint64_t most_bytes;         /* the most bytes of a candidate */
    uint64_t p;
};

/* Returns the bytes of all subgraphs by Table I of Pan et al., except that with one shard a column of nn takes 4 bytes, because
 * it need not name a shard. */
static uint64_t bytes_of(const struct candidates *c, uint64_t r)
{
    const uint64_t nn = c->row[r].nn;
    return table1_bytes(c->ranks->n, c->row[r].delegates, c->p, c->ranks->directed_edges, nn) -
           (c->p == 1 ? 4 * nn : 0);
}

/* Nonzero if the row is a candidate. */
static int fits(const struct candidates *c, uint64_t r)
{
    return bytes_of(c, r) <= c->most_bytes;
}

/* Sets the most bytes that a candidate may have. If every row has more, sets it to the fewest bytes of all, and returns 0. */
static int bound_bytes(struct candidates *c, enum th_choice choice)
{
    uint64_t fewest = UINT64_MAX;
    for (uint64_t r = 0; r < c->rows; r++)
        fewest = bytes_of(c, r) < fewest ? bytes_of(c, r) : fewest;
    c->most_bytes = choice == TH_FOR_CPU ? UINT64_MAX : device_bytes * c->p;
    if (fewest <= c->most_bytes)
        return 1;
    c->most_bytes = fewest;
    return 0;
}

/* Sets the least time of a candidate on each machine. */
static void find_least(struct candidates *c)
{
    for (int m = 0; m < MACHINES; m++) {
        c->least_ns[m] = UINT64_MAX;
        for (uint64_t r = 0; r < c->rows; r++) {
            if (fits(c, r) && c->predicted[r].ns[m] < c->least_ns[m])
                c->least_ns[m] = c->predicted[r].ns[m];
        }
    }
}

/* Returns the predicted time of a row divided by the least one on this machine. */
static double loss_on(const struct candidates *c, uint64_t r, enum machine m)
{
    return c->least_ns[m] > 0 ? (double)c->predicted[r].ns[m] / (double)c->least_ns[m] : 1;
}

/* Returns the largest loss (loss_on) of a row over the machines that the choice is for. */
static double loss_of(const struct candidates *c, uint64_t r, enum th_choice choice)
{
    double loss = 1;
    for (int m = 0; m < MACHINES; m++) {
        const int counts = m == MACHINE_CPU ? choice != TH_FOR_GPU : choice != TH_FOR_CPU;
        if (counts && loss_on(c, r, (enum machine)m) > loss)
            loss = loss_on(c, r, (enum machine)m);
    }
    return loss;
}

/* Returns the candidate whose loss is the smallest; among equals the last, of the largest TH. */
static uint64_t fastest(const struct candidates *c, enum th_choice choice)
{
    uint64_t best = UINT64_MAX;
    for (uint64_t r = 0; r < c->rows; r++) {
        if (fits(c, r) && (best == UINT64_MAX || loss_of(c, r, choice) <= loss_of(c, best, choice)))
            best = r;
    }
    return best;
}

/* Nonzero if row r loses little more than row `best` and has fewer bytes. */
static int is_worth_it(const struct candidates *c, uint64_t r, enum th_choice choice, uint64_t best)
{
    return loss_of(c, r, choice) <= worth_loss * loss_of(c, best, choice) &&
           (double)bytes_of(c, r) <= worth_bytes * (double)bytes_of(c, best);
}

/* Looks for rows that lose little more than row `best` and have fewer bytes. Returns the fastest of those with about the fewest
 * bytes, or `best` if there are none. */
static uint64_t find_smaller_row(const struct candidates *c, enum th_choice choice, uint64_t best)
{
    uint64_t fewest = UINT64_MAX, found = best;
    for (uint64_t r = 0; r < c->rows; r++) {
        if (is_worth_it(c, r, choice, best) && bytes_of(c, r) < fewest)
            fewest = bytes_of(c, r);
    }
    for (uint64_t r = 0; r < c->rows; r++) {
        if (is_worth_it(c, r, choice, best) && (double)bytes_of(c, r) <= as_few_bytes * (double)fewest &&
            (found == best || loss_of(c, r, choice) <= loss_of(c, found, choice)))
            found = r;
    }
    return found;
}

/* The row that is suggested by time; row `best` is the fastest one. */
static uint64_t by_time(const struct candidates *c, enum th_choice choice, uint64_t best)
{
    if (choice != TH_FOR_BOTH || bytes_of(c, best) < worth_from_bytes)
        return best;
    return find_smaller_row(c, choice, best);
}

/* The TH of a row with its bytes, losses and times. */
static struct suggested_th describe(const struct candidates *c, uint64_t r)
{
    struct suggested_th s = {.th = c->row[r].th, .bytes = bytes_of(c, r)};
    for (int m = 0; m < MACHINES; m++) {
        s.loss[m] = loss_on(c, r, (enum machine)m);
        s.ms[m] = 1e-6 * (double)c->predicted[r].ns[m];
    }
    return s;
}

static uint64_t find_row(const struct candidates *c, uint64_t th)
{
    uint64_t r = 0;
    while (r + 1 < c->rows && c->row[r].th < th)
        r++;
    return r;
}

/* Suggests a TH by time and one by memory, of which `choice` takes one. */
enum status suggest(struct suggestion *s, const struct separation *separation, struct shard_layout layout,
                    enum th_choice choice, struct memory_budget *budget, struct error *e)
{
    struct candidates c = {.ranks = &separation->edges, .p = layout.p};
    enum th_choice by = choice == TH_BY_MEMORY ? TH_FOR_BOTH : choice;
    *s = (struct suggestion){.choice = choice};
    uint64_t by_memory = suggest_th(c.ranks, c.p, &s->both_met);
    if (sweep_make(c.ranks, by_memory, by_memory, &c.row, &c.rows, budget, e) == ST_OK &&
        predict_sweep(&c.predicted, separation, c.row, c.rows, layout, budget, e) == ST_OK) {
        s->fits = bound_bytes(&c, choice);
        find_least(&c);
        s->by_memory = describe(&c, find_row(&c, by_memory));
        s->fastest_th = c.row[fastest(&c, by)].th;
        s->by_time = describe(&c, by_time(&c, by, fastest(&c, by)));
    }
    memory_release(budget, c.predicted);
    memory_release(budget, c.row);
    return e->status;
}

uint64_t suggestion_th(const struct suggestion *s)
{
    return s->choice == TH_BY_MEMORY ? s->by_memory.th : s->by_time.th;
}

/* ---- options ---- */

/* The name of the first option for suggestions that was given, or NULL. */
const char *suggest_option_given(const struct cli_row *rows, int count)
{
    static const char *const names[] = {"--suggest", "--for", "--links"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (cli_row_of(rows, count, names[i])->given)
            return names[i];
    }
    return NULL;
}

/* Returns the choice that --suggest and --for make. */
enum th_choice suggest_choice(const struct cli *cli, const struct suggest_words *words, const struct cli_row *rows, int count)
{
    const int machines = cli_row_of(rows, count, "--for")->given;
    if (words->rule == 0)
        return (enum th_choice)(TH_FOR_BOTH + words->machines);
    if (machines || cli_row_of(rows, count, "--links")->given)
        cli_usage(cli, "--suggest memory and %s exclude each other", machines ? "--for" : "--links");
    return TH_BY_MEMORY;
}

/* ---- words ---- */

/* Writes a line: the TH that a rule suggests, and its predicted times. */
static void describe_th(const char *rule, const struct suggested_th *s, char *line)
{
    char th[24];
    snprintf(line, SUGGEST_LINE_BYTES,
             "TH by %s: %s, predicted %.3g ms on a GPU (%.2f of the fastest TH) and %.3g ms on a CPU (%.2f)",
             rule, th_format(s->th, th, sizeof th), s->ms[MACHINE_GPU], s->loss[MACHINE_GPU],
             s->ms[MACHINE_CPU], s->loss[MACHINE_CPU]);
}

/* Why the TH is taken. */
static const char *reason(const struct suggestion *s)
{
    if (s->choice == TH_BY_MEMORY && s->both_met)
        return "it has the fewest bytes of those with at most 4n/p delegates and under 10% nn edges";
    if (s->choice == TH_BY_MEMORY)
        return "no TH gives both at most 4n/p delegates and under 10% nn edges: the bound on delegates decided";
    if (!s->fits)
        return "no TH fits into the memory of so many devices: the fewest bytes decided";
    if (s->choice == TH_FOR_BOTH)
        return "its larger loss is the smallest";
    return s->choice == TH_FOR_GPU ? "it is predicted fastest on a GPU" : "it is predicted fastest on a CPU";
}

/* Writes a line for each rule, and one that says which TH is taken and why. */
void suggest_describe(const struct suggestion *s, char line[SUGGEST_LINES][SUGGEST_LINE_BYTES])
{
    char th[24], fastest[24];
    th_format(suggestion_th(s), th, sizeof th);
    describe_th("time", &s->by_time, line[0]);
    describe_th("memory", &s->by_memory, line[1]);
    if (s->choice != TH_BY_MEMORY && s->by_time.th != s->fastest_th)
        snprintf(line[2], SUGGEST_LINE_BYTES,
                 "TH %s is taken: it takes fewer bytes than TH %s, whose larger loss is the smallest, "
                 "and loses at most 10%% more",
                 th, th_format(s->fastest_th, fastest, sizeof fastest));
    else
        snprintf(line[2], SUGGEST_LINE_BYTES, "TH %s is taken: %s", th, reason(s));
}
