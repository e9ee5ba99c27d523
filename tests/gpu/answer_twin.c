/* answer_twin.c: the steps of answer_steps.h by the CPU backend */
#include "answer_steps.h"

#include "graphs.h"

#include "traverse/cpu/cpu_answers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void need(enum status status, const struct error *e)
{
    if (status == ST_OK)
        return;
    printf("not ok - the twin: %s\n", e->text);
    exit(1);
}

static void put(void *to, const void *from, size_t bytes)
{
    if (bytes > 0 && from != NULL)
        memcpy(to, from, bytes);
}

static struct device *open_device(const struct shard *shard, const struct answer_places *places)
{
    static struct memory_budget budget = {.limit_bytes = UINT64_MAX};
    struct device_options options = {.threads = 3, .deepest = INT32_MAX, .parents = 1, .budget = &budget};
    struct device *dev;
    struct error e = {0};
    need(backend_cpu.open(&dev, shard, &options, &e), &e);
    need(backend_cpu.results->open_answers(dev, places, &e), &e);
    return dev;
}

static struct device *open_search(const struct answering *a)
{
    struct device *dev = open_device(a->shard, &a->places);
    uint64_t d = a->shard->d, locals = a->shard->locals;
    put(dev->delegates.visited, a->visited[DELEGATES], mask_words(d) * 8);
    put(dev->delegates.depth, a->depth[DELEGATES], d * 4);
    put(dev->delegates.parent, a->record[DELEGATES], d * 4);
    put(dev->normals.visited, a->visited[NORMALS], mask_words(locals) * 8);
    put(dev->normals.depth, a->depth[NORMALS], locals * 4);
    put(dev->normals.parent, a->record[NORMALS], locals * 4);
    return dev;
}

/* Keeps the questions that the device asks; nothing is sent. */
static void ask(struct device *dev, struct slice *questions)
{
    struct error e = {0};
    need(backend_cpu.parents->ask(dev, questions, &e), &e);
}

void twin_values(const struct answering *a, void *values)
{
    struct device *dev = open_search(a);
    struct slice *questions = need_memory(a->shard->p * sizeof *questions);
    struct slice *made = need_memory(a->shard->p * sizeof *made);
    uint64_t bytes = a->places.starts[a->shard->p] * answer_width(&a->places, a->kind);
    struct error e = {0};
    if (a->kind == ANSWER_PARENTS)
        ask(dev, questions);
    need(backend_cpu.results->values(dev, a->kind, a->levels, made, &e), &e);
    put(values, a->shard->p == 1 ? dev->answers->block : made[0].at, bytes);
    free(questions);
    free(made);
    backend_cpu.close(dev);
}

void twin_ask(const struct answering *a, struct questions *out)
{
    struct device *dev = open_search(a);
    uint32_t p = a->shard->p;
    struct slice *questions = need_memory(p * sizeof *questions);
    ask(dev, questions);
    out->begin = need_memory((p + 1) * sizeof *out->begin);
    for (uint32_t s = 0; s < p; s++)
        out->begin[s + 1] = out->begin[s] + questions[s].bytes / sizeof *out->question;
    out->question = need_memory(out->begin[p] * sizeof *out->question);
    out->asker = need_memory(out->begin[p] * sizeof *out->asker);
    put(out->question, dev->answers->questions, out->begin[p] * sizeof *out->question);
    put(out->asker, dev->answers->askers, out->begin[p] * sizeof *out->asker);
    free(questions);
    backend_cpu.close(dev);
}

void twin_reply(const struct replying *r, void *replies)
{
    uint32_t p = r->shard->p;
    uint64_t *starts = need_memory((p + 1) * sizeof *starts);
    struct answer_places places = {.ids = (void *)r->ids, .id_bytes = r->id_bytes, .starts = starts};
    struct device *dev = open_device(r->shard, &places);
    struct slice *in = need_memory(p * sizeof *in), *out = need_memory(p * sizeof *out);
    struct error e = {0};
    put(dev->normals.visited, r->visited, mask_words(r->shard->locals) * 8);
    put(dev->normals.depth, r->depth, r->shard->locals * 4);
    in[p - 1] = (struct slice){r->questions, r->count * sizeof *r->questions};
    need(backend_cpu.parents->reply(dev, in, out, &e), &e);
    put(replies, out[p - 1].at, out[p - 1].bytes);
    free(in);
    free(out);
    free(starts);
    backend_cpu.close(dev);
}

void twin_assemble(const struct assembling *a, void *block)
{
    struct shard shard = {.p = a->p};
    struct answer_places places = a->places;
    uint64_t *starts = need_memory((a->p + 1) * sizeof *starts);
    places.starts = starts;
    places.ids = block; /* gives the block room for parents; ids are not read */
    struct device *dev = open_device(&shard, &places);
    struct error e = {0};
    need(backend_cpu.results->assemble(dev, a->kind, a->values, &e), &e);
    need(backend_cpu.results->read_block(dev, a->kind, 0, places.count, block, &e), &e);
    free(starts);
    backend_cpu.close(dev);
}
