/* split.c: see split.h and SPEC-split.md */
#include "split.h"

#include "formats/base/memory.h"

#include <stdlib.h>
#include <string.h>

enum split_attribute {
    AT_DIRECTION,
    AT_EDGES,
    AT_LOOPS,
    AT_N,
    AT_MAX_ID,
    AT_CHECKSUM,
    AT_DIRECTED_EDGES,
    AT_TH,
    AT_SUGGESTED_P,
    AT_DELEGATES,
    SPLIT_ATTRIBUTES_1, /* so many in version 1 */
    AT_CHOICE = SPLIT_ATTRIBUTES_1,
    AT_NEAR_EDGES,
    SPLIT_ATTRIBUTE_COUNT
};

static const char *section_name(uint32_t type)
{
    switch (type) {
    case SPLIT_ATTRIBUTES: return "attributes";
    case SPLIT_DELEGATE_IDS: return "delegate-ids";
    case SPLIT_DELEGATE_DEGREES: return "delegate-degrees";
    case SPLIT_HISTOGRAM: return "histogram";
    case SPLIT_SWEEP: return "sweep";
    default: return "unknown";
    }
}

static const struct container_kind split_kind = {
    .magic = "DBFSSPLT", .what = "split", .maker = "degsplit", .version = 2,
    .section_name = section_name, .first_version = 1};

void split_free(struct split *split)
{
    memory_release(split->budget, split->delegate_ids);
    memory_release(split->budget, split->delegate_degrees);
    memory_release(split->budget, split->list.ids);
    memory_release(split->budget, split->list.degrees);
    memory_release(split->budget, split->histogram);
    memory_release(split->budget, split->sweep);
    memset(split, 0, sizeof *split);
}

/* Writes one section from s->list, which is read piece by piece into its two arrays; `entries` is the one to be written. */
static enum status write_list(const struct split *s, uint32_t type, const uint64_t *entries,
                              struct container_writer *w, struct error *e)
{
    const struct delegate_list *list = &s->list;
    if (e->status != ST_OK || container_begin(w, type, ENCODING_RAW, 8, e) != ST_OK)
        return e->status;
    for (uint64_t first = 0; first < s->d && e->status == ST_OK; first += list->at_once) {
        uint64_t count = s->d - first < list->at_once ? s->d - first : list->at_once;
        if (list->read(list->context, first, count, list->ids, list->degrees, e) == ST_OK)
            container_append(w, count, entries, e);
    }
    return e->status;
}

/* Writes all sections, and the header and the table. */
static enum status write_sections(const struct split *s, struct container_writer *w, struct error *e)
{
    const uint64_t at[SPLIT_ATTRIBUTE_COUNT] = {
        [AT_DIRECTION] = (uint64_t)s->direction, [AT_EDGES] = s->totals.edges,
        [AT_LOOPS] = s->totals.loops,            [AT_N] = s->totals.n,
        [AT_MAX_ID] = s->totals.max_id,          [AT_CHECKSUM] = s->totals.checksum,
        [AT_DIRECTED_EDGES] = s->directed_edges, [AT_TH] = s->th,
        [AT_SUGGESTED_P] = s->suggested_p,       [AT_DELEGATES] = s->d,
        [AT_CHOICE] = s->choice,                 [AT_NEAR_EDGES] = s->near_edges};
    container_add(w, SPLIT_ATTRIBUTES, 8, SPLIT_ATTRIBUTE_COUNT, at, e);
    if (s->list.read != NULL) {
        write_list(s, SPLIT_DELEGATE_IDS, s->list.ids, w, e);
        write_list(s, SPLIT_DELEGATE_DEGREES, s->list.degrees, w, e);
    } else {
        container_add(w, SPLIT_DELEGATE_IDS, 8, s->d, s->delegate_ids, e);
        container_add(w, SPLIT_DELEGATE_DEGREES, 8, s->d, s->delegate_degrees, e);
    }
    container_add(w, SPLIT_HISTOGRAM, sizeof *s->histogram, s->histogram_rows, s->histogram, e);
    container_add(w, SPLIT_SWEEP, sizeof *s->sweep, s->sweep_rows, s->sweep, e);
    return e->status == ST_OK ? container_writer_finish(w, NULL, e) : e->status;
}

enum status split_write(const struct split *split, struct outfile *out, struct error *e)
{
    struct container_writer *writer = NULL;
    if (container_writer_open(&writer, &split_kind, out, e) == ST_OK)
        write_sections(split, writer, e);
    container_writer_free(writer);
    return e->status;
}

/* What a section must be (type, width, number of elements), and where its copy and its number of elements go. */
struct wanted {
    uint32_t type, width;
    uint64_t count; /* UINT64_MAX: any */
    void **copy;
    uint64_t *rows;
};

/* Copies a section, once its width and count are checked, into *wanted->copy and *wanted->rows. */
static enum status copy_section(const struct split *split, const struct container *c,
                                const struct wanted *wanted, struct error *e)
{
    const struct section *s;
    if (container_need(c, wanted->type, wanted->width, wanted->count, &s, e) != ST_OK ||
        memory_take(split->budget, wanted->copy, s->count, wanted->width, container_path(c), e) !=
            ST_OK)
        return e->status;
    memcpy(*wanted->copy, s->data, (size_t)s->bytes);
    *wanted->rows = s->count;
    return ST_OK;
}

/* Reads the section of attributes into the split. Version 1 has the first SPLIT_ATTRIBUTES_1 of them. */
static enum status read_attributes(struct split *split, const struct container *c, struct error *e)
{
    const struct section *s;
    const int first = container_version(c) == 1;
    const uint64_t count = first ? SPLIT_ATTRIBUTES_1 : SPLIT_ATTRIBUTE_COUNT;
    if (container_need(c, SPLIT_ATTRIBUTES, 8, count, &s, e) != ST_OK)
        return e->status;
    const uint64_t *at = s->data;
    if (at[AT_DIRECTION] > EDGES_DIRECTED || at[AT_N] > DBFS_MAX_VERTICES || at[AT_DELEGATES] > at[AT_N] ||
        (!first && at[AT_CHOICE] >= TH_CHOICES))
        return fail(e, ST_BAD_DATA, "%s: attributes: impossible values", container_path(c));
    split->direction = (enum edges_direction)at[AT_DIRECTION];
    split->totals = (struct edges_totals){.edges = at[AT_EDGES],
                                          .loops = at[AT_LOOPS],
                                          .n = at[AT_N],
                                          .max_id = at[AT_MAX_ID],
                                          .checksum = at[AT_CHECKSUM]};
    split->directed_edges = at[AT_DIRECTED_EDGES];
    split->th = at[AT_TH];
    split->suggested_p = at[AT_SUGGESTED_P];
    split->d = at[AT_DELEGATES];
    split->choice = split->suggested_p > 0 ? TH_BY_MEMORY : TH_GIVEN;
    if (!first) {
        split->choice = (enum th_choice)at[AT_CHOICE];
        split->near_edges = at[AT_NEAR_EDGES];
    }
    return ST_OK;
}

/* Checks that delegates are in order, by degree and id, and that their degrees are above TH. dbfs-pack relies on this. */
static enum status check_delegates(const struct split *s, const char *path, struct error *e)
{
    for (uint64_t i = 0; i < s->d; i++) {
        uint64_t id = s->delegate_ids[i], degree = s->delegate_degrees[i];
        int ordered = i == 0 || degree < s->delegate_degrees[i - 1] ||
                      (degree == s->delegate_degrees[i - 1] && id > s->delegate_ids[i - 1]);
        if (!ordered || id >= s->totals.n || degree <= s->th)
            return fail(e, ST_BAD_DATA, "%s: delegate-ids: entry %llu is out of order or range",
                        path, (unsigned long long)i);
    }
    return ST_OK;
}

/* Compares all CRCs, and reads all sections into the split. */
static enum status read_sections(struct split *split, struct container *c, struct error *e)
{
    uint64_t rows;
    if (container_check_all(c, 1, e) != ST_OK || read_attributes(split, c, e) != ST_OK)
        return e->status;
    const struct wanted wanted[] = {
        {SPLIT_DELEGATE_IDS, 8, split->d, (void **)&split->delegate_ids, &rows},
        {SPLIT_DELEGATE_DEGREES, 8, split->d, (void **)&split->delegate_degrees, &rows},
        {SPLIT_HISTOGRAM, sizeof *split->histogram, UINT64_MAX, (void **)&split->histogram,
         &split->histogram_rows},
        {SPLIT_SWEEP, sizeof *split->sweep, UINT64_MAX, (void **)&split->sweep,
         &split->sweep_rows}};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted && e->status == ST_OK; i++)
        copy_section(split, c, &wanted[i], e);
    return e->status == ST_OK ? check_delegates(split, container_path(c), e) : e->status;
}

enum status split_read(struct split *split, const char *path, struct memory_budget *budget, struct error *e)
{
    struct container *c = NULL;
    *split = (struct split){.budget = budget};
    if (container_open(&c, &split_kind, path, e) == ST_OK &&
        memory_charge(budget, container_bytes(c), path, e) == ST_OK) {
        read_sections(split, c, e);
        memory_discharge(budget, container_bytes(c));
    }
    container_close(c);
    if (e->status != ST_OK)
        split_free(split);
    return e->status;
}

const struct sweep_row *split_row(const struct split *split, uint64_t th)
{
    for (uint64_t i = 0; i < split->sweep_rows; i++) {
        if (split->sweep[i].th == th)
            return &split->sweep[i];
    }
    return NULL;
}
