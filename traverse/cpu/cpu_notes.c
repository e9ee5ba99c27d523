/* cpu_notes.c: notes the levels of a whole search (cpu_run.c), for traces and reports */
#include "cpu_run.h"

#include "formats/base/cli.h"

#include <stdlib.h>
#include <string.h>

/* Drops the notes of the last search. `wanted` says whether the next one is noted. */
void begin_level_notes(struct device *dev, int wanted)
{
    dev->notes.keeps_levels = wanted;
    dev->notes.out_of_memory = 0;
    dev->notes.levels = 0;
}

/* Returns a new note, which is zeroed; NULL if memory is short, so that this level and all later ones have no note. */
static struct level_note *append_note(struct cpu_notes *n)
{
    struct level_note *grown = n->out_of_memory ? NULL : memory_grow(n->level, n->levels, sizeof *grown);
    n->out_of_memory = grown == NULL;
    if (grown == NULL)
        return NULL;
    n->level = grown;
    n->level[n->levels] = (struct level_note){0};
    return &n->level[n->levels++];
}

/* Begins the note of the level that choose_level has just chosen: its kind, counts and directions, and the time of the
 * choice, from `start` to now. The visits begin now. */
void note_choice(struct device *dev, const struct search_state *s, const struct workload *work, double start)
{
    struct cpu_notes *n = &dev->notes;
    struct level_note *note = append_note(n);
    if (note == NULL)
        return;
    note->kind = s->kind;
    note->work = *work;
    if (s->kind == LEVEL_DENSE)
        note->directions = s->directions;
    n->visits_begun = cli_seconds();
    note->times.phase_s[PHASE_CHOOSE] = n->visits_begun - start;
}

/* Notes the levels of a round, which has ended. frontier[i] is the number of vertices in the frontier of its level i. Each level gets
 * the same part of the time. note_choice has begun a note of the first round's first level; note_visits ends that of the last level. */
void note_round(struct device *dev, const uint64_t *frontier, int levels, int is_first)
{
    struct cpu_notes *n = &dev->notes;
    const struct csr *csr = &dev->shard->csr[NN];
    double end = cli_seconds(), each = (end - n->visits_begun) / levels;
    for (int i = 0; i < levels; i++) {
        struct level_note *note = is_first && i == 0 && n->levels > 0 ? &n->level[n->levels - 1] : append_note(n);
        if (note == NULL)
            return;
        note->kind = LEVEL_ROUND;
        note->work = (struct workload){.fresh = frontier[i]};
        note->work.of[NN] = (struct subgraph_work){.frontier = frontier[i], .forward = frontier[i] * csr->edges / csr->rows};
        note->times.phase_s[PHASE_VISIT + NN] = each;
        note->seconds = each + note->times.phase_s[PHASE_CHOOSE];
    }
    n->visits_begun = end; /* of the next round */
}

/* Ends the note of the last level, whose visits ended at the time `end`: adds the times of its phases, and its probes.
 * Does nothing before the first level, or without a note. */
void note_visits(struct device *dev, double end)
{
    const struct cpu_notes *n = &dev->notes;
    if (n->levels == 0 || n->out_of_memory)
        return;
    struct level_note *note = &n->level[n->levels - 1];
    double *phase_s = note->times.phase_s, seconds = end - n->visits_begun;
    if (note->kind == LEVEL_DENSE)
        memcpy(phase_s, n->times.phase_s, DEVICE_PHASES * sizeof *phase_s);
    for (int g = 0; g < SUBGRAPHS; g++) {
        if (note->work.of[g].frontier == 0)
            continue;
        if (note->kind != LEVEL_DENSE)
            phase_s[PHASE_VISIT + g] = seconds; /* a sparse level visits its subgraphs together */
        if (note->directions.of[g] == PULL)
            note->probes[g] = n->probes[g];
    }
    note->seconds = phase_s[PHASE_CHOOSE] + seconds;
}

/* ---- after a search ---- */

/* Makes the number of edges in subgraph g exact in the notes of all levels, by adding up the lengths of the visited rows of
 * each depth. Rows of the greatest depth are left out if no level visited from them. */
static void count_edges_by_depth(const struct device *dev, enum subgraph g)
{
    const struct cpu_notes *n = &dev->notes;
    const struct csr *csr = &dev->shard->csr[g];
    const int is_delegate = subgraph_rows(g) == DELEGATES;
    const uint64_t *visited = is_delegate ? dev->delegates.visited : dev->normals.visited;
    const int32_t *depth = is_delegate ? dev->delegates.depth : dev->normals.depth;
    for (uint32_t i = 0; i < n->levels; i++)
        n->level[i].work.of[g].forward = 0;
    for (uint64_t v = 0; csr->edges > 0 && v < csr->rows; v++) {
        if (mask_bit(visited, v) && mask_bit(csr->sources, v) && (uint32_t)depth[v] < n->levels)
            n->level[depth[v]].work.of[g].forward += csr_row_length(csr, v);
    }
}

/* Gives the notes of all levels to `noter`, in order. If probes are counted, makes the numbers of edges exact first.
 * Returns ST_RESOURCE if memory for a note was missing. */
enum status cpu_replay_levels(struct device *dev, level_noter *noter, void *context, struct error *e)
{
    const struct cpu_notes *n = &dev->notes;
    if (n->out_of_memory)
        return fail_memory(e, "notes of levels", (n->levels + 1) * sizeof *n->level);
    /* exact numbers of edges replace the estimates from which levels were chosen */
    for (int g = 0; n->counts_probes && g < SUBGRAPHS; g++)
        count_edges_by_depth(dev, (enum subgraph)g);
    for (uint32_t i = 0; i < n->levels; i++)
        noter(context, (int32_t)i, &n->level[i]);
    return ST_OK;
}
