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

static struct device *open_device(const struct shard *shard, const struct answer_tables *tables)
{
    static struct memory_budget budget = {.limit_bytes = UINT64_MAX};
    struct device_options options = {.threads = 3, .deepest = INT32_MAX, .parents = 1, .budget = &budget};
    struct device *dev;
    struct answer_arrays arrays;
    struct error e = {0};
    need(backend_cpu.open(&dev, shard, &options, NULL, &e), &e);
    need(backend_cpu.answers->open(dev, tables, &arrays, &e), &e);
    return dev;
}

static struct device *open_search(const struct answering *a)
{
    struct device *dev = open_device(a->shard, &a->tables);
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
static void ask(struct device *dev, struct byte_span *questions)
{
    struct error e = {0};
    need(backend_cpu.answers->name_parents(dev, 0, questions, &e), &e);
    need(backend_cpu.answers->ask(dev, NORMALS, questions, &e), &e);
}

void twin_values(const struct answering *a, void *values)
{
    struct device *dev = open_search(a);
    struct byte_span *questions = need_memory(a->shard->p * sizeof *questions);
    uint64_t bytes = a->tables.values * answer_width(&a->tables, a->kind);
    struct error e = {0};
    if (a->kind == ANSWER_PARENTS && a->shard->p > 1)
        ask(dev, questions);
    need(backend_cpu.answers->make_values(dev, a->kind, a->levels, &e), &e);
    put(values, dev->answers->values, bytes);
    free(questions);
    backend_cpu.close(dev);
}

void twin_ask(const struct answering *a, struct questions *out)
{
    struct device *dev = open_search(a);
    uint32_t p = a->shard->p;
    struct byte_span *questions = need_memory(p * sizeof *questions);
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

uint64_t twin_asking_delegates(const struct answering *a, uint32_t *list)
{
    struct device *dev = open_search(a);
    struct byte_span *questions = need_memory(a->shard->p * sizeof *questions);
    struct error e = {0};
    need(backend_cpu.answers->name_parents(dev, 0, questions, &e), &e);
    need(backend_cpu.answers->ask(dev, DELEGATES, questions, &e), &e);
    const struct byte_span *any = &questions[a->shard->index == 0];
    const uint64_t count = any->bytes / sizeof *list;
    put(list, any->at, any->bytes);
    free(questions);
    backend_cpu.close(dev);
    return count;
}

void twin_reply_to_delegates(const struct replying_to_delegates *r, void *replies)
{
    const uint32_t p = r->shard->p;
    const struct answer_tables tables = {.ids = (void *)r->parents, .id_bytes = r->id_bytes};
    struct device *dev = open_device(r->shard, &tables);
    struct byte_span *in = need_memory(p * sizeof *in), *out = need_memory(p * sizeof *out);
    struct error e = {0};
    put((char *)dev->answers->by_vertex + r->shard->locals * r->id_bytes, r->parents, r->shard->d * r->id_bytes);
    in[p - 1] = (struct byte_span){.at = r->delegates, .bytes = r->count * sizeof *r->delegates};
    need(backend_cpu.answers->reply(dev, DELEGATES, in, out, &e), &e);
    put(replies, out[p - 1].at, out[p - 1].bytes);
    free(in);
    free(out);
    backend_cpu.close(dev);
}

void twin_reply(const struct replying *r, void *replies)
{
    uint32_t p = r->shard->p;
    struct answer_tables tables = {.ids = (void *)r->ids, .id_bytes = r->id_bytes};
    struct device *dev = open_device(r->shard, &tables);
    struct byte_span *in = need_memory(p * sizeof *in), *out = need_memory(p * sizeof *out);
    struct error e = {0};
    put(dev->normals.visited, r->visited, mask_words(r->shard->locals) * 8);
    put(dev->normals.depth, r->depth, r->shard->locals * 4);
    in[p - 1] = (struct byte_span){.at = r->questions, .bytes = r->count * sizeof *r->questions};
    need(backend_cpu.answers->reply(dev, NORMALS, in, out, &e), &e);
    put(replies, out[p - 1].at, out[p - 1].bytes);
    free(in);
    free(out);
    backend_cpu.close(dev);
}

void spread_list(const struct value_list *list, uint64_t ids, void *window)
{
    for (uint64_t b = 0; b * LIST_BLOCK < ids; b++) {
        const struct list_block block = list->blocks[b];
        for (uint64_t i = block.first; i < (uint64_t)block.first + block.count; i++)
            memcpy((char *)window + (b * LIST_BLOCK + list->index[i]) * list->width,
                   (const char *)list->values + i * list->width, list->width);
    }
}

uint64_t twin_window(const struct window_list *l, void *window)
{
    struct answer_tables tables = {
        .values = l->count_values, .ids = (void *)l->values, .id_bytes = l->held, .bijection = l->bijection};
    struct device *dev = open_device(l->shard, &tables);
    struct value_list list = {.width = l->width,
                              .blocks = need_memory((l->count / LIST_BLOCK + 1) * sizeof *list.blocks),
                              .values = need_memory(l->count * l->width),
                              .index = need_memory(l->count)};
    struct error e = {0};
    for (uint64_t i = 0; i < l->count_values; i++)
        answer_set_id(dev->answers->values, l->held, i, answer_id(l->values, l->held, i));
    need(backend_cpu.answers->list_values(dev, l->kind, l->first, l->count, &list, &e), &e);
    spread_list(&list, l->count, window);
    free(list.index);
    free(list.values);
    free(list.blocks);
    backend_cpu.close(dev);
    return list.count;
}

void twin_narrow(const int32_t *depth, uint64_t count, uint32_t width, void *to)
{
    struct shard shard = {.p = 1};
    struct answer_tables tables = {.id_bytes = 4};
    struct device *dev = open_device(&shard, &tables);
    struct error e = {0};
    need(backend_cpu.answers->copy_narrowed(dev, to, depth, count, width, &e), &e);
    backend_cpu.close(dev);
}
