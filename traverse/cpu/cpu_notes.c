/* cpu_notes.c: notes of the levels of a whole search (cpu_run.c), for traces and reports */
#include "cpu_run.h"

#include "formats/base/cli.h"

#include <stdlib.h>
#include <string.h>

void begin_level_notes(struct device *dev, int wanted)
{
    dev->notes.keeps_levels = wanted;
    dev->notes.out_of_memory = 0;
    dev->notes.levels = 0;
}

void note_choice(struct device *dev, const struct search_state *s, const struct workload *work, double start)
{
    struct cpu_notes *n = &dev->notes;
    struct level_note *grown = n->out_of_memory ? NULL : memory_grow(n->level, n->levels, sizeof *grown);
    if (grown == NULL) {
        n->out_of_memory = 1;
        return;
    }
    n->level = grown;
    struct level_note *note = &n->level[n->levels++];
    *note = (struct level_note){.kind = s->kind, .work = *work};
    if (s->kind == LEVEL_DENSE)
        note->directions = s->directions;
    n->visits_begun = cli_seconds();
    note->times.phase_s[PHASE_CHOOSE] = n->visits_begun - start;
}

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
            phase_s[PHASE_VISIT + g] = seconds; /* a sparse level visits all subgraphs side by side */
        if (note->directions.of[g] == PULL)
            note->probes[g] = n->probes[g];
    }
    note->seconds = phase_s[PHASE_CHOOSE] + seconds;
}

/* ---- after a search ---- */

/* Adds the edges of visited rows of one kind to the levels of their depths. Vertices of the last depth may have no level. */
static void add_edges_by_depth(const struct device *dev, enum vertex_kind kind)
{
    const struct cpu_notes *n = &dev->notes;
    const uint64_t *visited = kind == DELEGATES ? dev->delegates.visited : dev->normals.visited;
    const int32_t *depth = kind == DELEGATES ? dev->delegates.depth : dev->normals.depth;
    uint64_t count = kind == DELEGATES ? dev->shard->d : dev->shard->locals;
    for (int to = 0; to < VERTEX_KINDS; to++) {
        enum subgraph g = subgraph_between(kind, (enum vertex_kind)to);
        const struct csr *csr = &dev->shard->csr[g];
        for (uint64_t v = 0; csr->edges > 0 && v < count; v++) {
            if (mask_bit(visited, v) && mask_bit(csr->sources, v) && (uint32_t)depth[v] < n->levels)
                n->level[depth[v]].work.of[g].forward += csr_row_length(csr, v);
        }
    }
}

/* Implements `replay_levels` of the backend: passes the notes of all levels to `noter`, in order. */
enum status cpu_replay_levels(struct device *dev, level_noter *noter, void *context, struct error *e)
{
    const struct cpu_notes *n = &dev->notes;
    if (n->out_of_memory)
        return fail_memory(e, "notes of levels", (n->levels + 1) * sizeof *n->level);
    if (n->counts_probes) {
        /* exact counts of edges replace the estimates by which levels were chosen */
        for (uint32_t i = 0; i < n->levels; i++)
            for (int g = 0; g < SUBGRAPHS; g++)
                n->level[i].work.of[g].forward = 0;
        add_edges_by_depth(dev, NORMALS);
        add_edges_by_depth(dev, DELEGATES);
    }
    for (uint32_t i = 0; i < n->levels; i++)
        noter(context, (int32_t)i, &n->level[i]);
    return ST_OK;
}
