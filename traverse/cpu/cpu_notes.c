/* cpu_notes.c: notes of levels of a search that goes from level to level by itself (cpu_run.c) */
#include "cpu_run.h"

#include "formats/base/cli.h"

#include <stdlib.h>
#include <string.h>

void begin_level_notes(struct device *dev, int wanted)
{
    struct cpu_level_notes *n = &dev->notes.levels;
    n->kept = wanted;
    n->failed = 0;
    n->count = 0;
}

static struct level_note *add_note(struct cpu_level_notes *n)
{
    struct level_note *grown = memory_grow(n->level, n->count, sizeof *grown);
    n->failed = grown == NULL;
    if (n->failed)
        return NULL;
    n->level = grown;
    return &n->level[n->count++];
}

void note_plan(struct device *dev, const struct search_state *s, const struct workload *work,
               double start)
{
    struct cpu_level_notes *n = &dev->notes.levels;
    struct level_note *note = n->failed ? NULL : add_note(n);
    if (note == NULL)
        return;
    *note = (struct level_note){.kind = s->kind, .work = *work};
    if (s->kind == LEVEL_DENSE)
        note->directions = s->directions;
    n->begun = cli_seconds();
    note->times.phase_s[PHASE_CHOOSE] = n->begun - start;
}

/* Notes the time of each step by masks. From lists all subgraphs are visited side by side. */
static void note_steps(const struct device *dev, struct level_note *note, double seconds)
{
    double *phase_s = note->times.phase_s;
    if (note->kind == LEVEL_DENSE)
        memcpy(phase_s, dev->notes.times.phase_s, DEVICE_PHASES * sizeof *phase_s);
    for (int g = 0; g < SUBGRAPHS; g++) {
        if (note->work.of[g].frontier == 0)
            continue;
        if (note->kind != LEVEL_DENSE)
            phase_s[PHASE_VISIT + g] = seconds;
        if (note->directions.of[g] == PULL)
            note->probes[g] = dev->notes.probes[g];
    }
}

void note_visits(struct device *dev, double end)
{
    const struct cpu_level_notes *n = &dev->notes.levels;
    if (n->count == 0 || n->failed)
        return;
    struct level_note *note = &n->level[n->count - 1];
    note_steps(dev, note, end - n->begun);
    note->seconds = note->times.phase_s[PHASE_CHOOSE] + end - n->begun;
}

/* ---- after a search ---- */

/* Counts the edges of rows of one kind, by depth. A search may end at a depth that has no level. */
static void add_rows(const struct device *dev, enum vertex_kind kind)
{
    const struct cpu_level_notes *n = &dev->notes.levels;
    const uint64_t *visited = kind == DELEGATES ? dev->delegates.visited : dev->normals.visited;
    const int32_t *depth = kind == DELEGATES ? dev->delegates.depth : dev->normals.depth;
    uint64_t count = kind == DELEGATES ? dev->shard->d : dev->shard->locals;
    for (int to = 0; to < VERTEX_KINDS; to++) {
        enum subgraph g = subgraph_between(kind, (enum vertex_kind)to);
        const struct csr *csr = &dev->shard->csr[g];
        for (uint64_t v = 0; csr->edges > 0 && v < count; v++) {
            if (mask_bit(visited, v) && mask_bit(csr->sources, v) && (uint32_t)depth[v] < n->count)
                n->level[depth[v]].work.of[g].forward += csr_row_length(csr, v);
        }
    }
}

/* Counts edges exactly, in place of the estimates that choices rested on. */
static void count_exactly(struct device *dev)
{
    struct cpu_level_notes *n = &dev->notes.levels;
    for (uint32_t i = 0; i < n->count; i++) {
        for (int g = 0; g < SUBGRAPHS; g++)
            n->level[i].work.of[g].forward = 0;
    }
    add_rows(dev, NORMALS);
    add_rows(dev, DELEGATES);
}

enum status cpu_replay_levels(struct device *dev, level_noter *noter, void *context, struct error *e)
{
    const struct cpu_level_notes *n = &dev->notes.levels;
    if (n->failed)
        return fail_memory(e, "notes of levels", (n->count + 1) * sizeof *n->level);
    if (dev->notes.counts_probes)
        count_exactly(dev);
    for (uint32_t i = 0; i < n->count; i++)
        noter(context, (int32_t)i, &n->level[i]);
    return ST_OK;
}
