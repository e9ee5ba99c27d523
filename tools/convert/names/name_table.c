/* name_table.c: see name_table.h */
#include "name_table.h"

#include "formats/base/arith.h"
#include "formats/base/keyed_hash.h"

#include <stdlib.h>
#include <string.h>

enum {
    FIRST_SLOTS = 1 << 12,
    BLOCK_BYTES = 1 << 17,
    ENTRY_BYTES = 8, /* 48 bits number, 16 bits length; then the bytes of the name */
    VALUE_BITS = 48, /* of a number in an entry, or of a place in a slot */
};

#define VALUE_MASK ((UINT64_C(1) << VALUE_BITS) - 1)

struct block {
    unsigned char *bytes;
    size_t used;
};

/* A hash table of names. A slot is 0 if it is free; otherwise it has the place of a name's entry plus 1, and above that 16 bits
 * of the name's hash. */
struct name_table {
    struct memory_budget *budget; /* all of `own` is charged to it */
    struct memory_budget own;
    uint64_t *slots, slot_count;
    struct block *blocks;
    uint64_t block_count, block_capacity;
    uint64_t names;
    int full;
};

/* Allocates an array, charged to the table's own budget. */
static enum status take_array(struct name_table *t, void **array, uint64_t count, uint64_t width, struct error *e)
{
    return memory_take(&t->own, array, count, width, "table of names", e);
}

enum status name_table_open(struct name_table **result, struct memory_budget *budget,
                            uint64_t limit_bytes, struct error *e)
{
    struct name_table *t = *result = zeroed(1, sizeof *t, "table of names", e);
    if (t == NULL)
        return e->status;
    t->budget = budget;
    t->slot_count = FIRST_SLOTS;
    t->block_capacity = limit_bytes / BLOCK_BYTES + 1;
    limit_bytes = smaller(limit_bytes, memory_left(budget));
    if (memory_charge(budget, limit_bytes, "table of names", e) == ST_OK)
        t->own.limit_bytes = limit_bytes;
    if (e->status != ST_OK ||
        take_array(t, (void **)&t->slots, t->slot_count, sizeof *t->slots, e) != ST_OK ||
        take_array(t, (void **)&t->blocks, t->block_capacity, sizeof *t->blocks, e) != ST_OK) {
        name_table_close(t);
        *result = NULL;
    }
    return e->status;
}

void name_table_close(struct name_table *t)
{
    if (t == NULL)
        return;
    for (uint64_t i = 0; i < t->block_count; i++)
        memory_release(&t->own, t->blocks[i].bytes);
    memory_release(&t->own, t->blocks);
    memory_release(&t->own, t->slots);
    memory_discharge(t->budget, t->own.limit_bytes);
    free(t);
}

/* ---- entries ---- */

static unsigned char *entry_at(const struct name_table *t, uint64_t place)
{
    return t->blocks[place / BLOCK_BYTES].bytes + place % BLOCK_BYTES;
}

/* Takes the place of a new entry, in the last block or a new one. */
static enum status place_entry(struct name_table *t, size_t bytes, uint64_t *place, struct error *e)
{
    struct block *last = t->block_count > 0 ? &t->blocks[t->block_count - 1] : NULL;
    if (last == NULL || last->used + bytes > BLOCK_BYTES) {
        last = &t->blocks[t->block_count];
        if (take_array(t, (void **)&last->bytes, BLOCK_BYTES, 1, e) != ST_OK)
            return e->status;
        t->block_count++;
    }
    *place = (t->block_count - 1) * BLOCK_BYTES + last->used;
    last->used += bytes;
    return ST_OK;
}

/* ---- slots ---- */

static uint64_t first_slot(const struct name_table *t, uint64_t hash)
{
    return hash & (t->slot_count - 1);
}

static uint64_t next_slot(const struct name_table *t, uint64_t slot)
{
    return (slot + 1) & (t->slot_count - 1);
}

/* Stores the upper bits of the hash, and the place of the entry plus 1, in the first free slot for the hash. */
static void fill_slot(struct name_table *t, uint64_t hash, uint64_t place)
{
    uint64_t slot = first_slot(t, hash);
    while (t->slots[slot] != 0)
        slot = next_slot(t, slot);
    t->slots[slot] = (hash & ~VALUE_MASK) | (place + 1);
}

/* Doubles the number of slots, and fills them again from the entries. */
static enum status grow_slots(struct name_table *t, struct error *e)
{
    uint64_t *old = t->slots, *slots;
    if (take_array(t, (void **)&slots, 2 * t->slot_count, sizeof *slots, e) != ST_OK)
        return e->status;
    t->slots = slots;
    t->slot_count *= 2;
    for (uint64_t i = 0; i < t->block_count; i++) {
        const struct block *block = &t->blocks[i];
        for (size_t at = 0, length; at < block->used; at += ENTRY_BYTES + length) {
            const unsigned char *entry = block->bytes + at;
            length = get_u64(entry) >> VALUE_BITS;
            fill_slot(t, keyed_hash((const char *)entry + ENTRY_BYTES, length), i * BLOCK_BYTES + at);
        }
    }
    memory_release(&t->own, old);
    return ST_OK;
}

/* Adds a name that the table lacks, with the next number. NAME_UNKNOWN, and t->full, if there is no room. */
static uint64_t add_name(struct name_table *t, const struct name *name)
{
    struct error no_room = {0};
    uint64_t place = 0;
    if (t->full ||
        (t->names >= t->slot_count / 4 * 3 && grow_slots(t, &no_room) != ST_OK) ||
        place_entry(t, ENTRY_BYTES + name->length, &place, &no_room) != ST_OK) {
        t->full = 1;
        return NAME_UNKNOWN;
    }
    unsigned char *entry = entry_at(t, place);
    put_u64(entry, (uint64_t)name->length << VALUE_BITS | t->names);
    memcpy(entry + ENTRY_BYTES, name->bytes, name->length);
    fill_slot(t, name->hash, place);
    return t->names++;
}

/* Looks a name up, and adds it if it is not there. */
uint64_t name_table_number(struct name_table *t, const struct name *name)
{
    uint64_t slot = first_slot(t, name->hash), value;
    for (; (value = t->slots[slot]) != 0; slot = next_slot(t, slot)) {
        if ((value ^ name->hash) & ~VALUE_MASK)
            continue;
        const unsigned char *entry = entry_at(t, (value & VALUE_MASK) - 1);
        if (get_u64(entry) >> VALUE_BITS == name->length && memcmp(entry + ENTRY_BYTES, name->bytes, name->length) == 0)
            return get_u64(entry) & VALUE_MASK;
    }
    return add_name(t, name);
}

void name_table_prefetch_slot(const struct name_table *t, uint64_t hash)
{
    __builtin_prefetch(&t->slots[first_slot(t, hash)]);
}

/* Prefetches the entry that the first slot for this hash leads to, if the hash may be that of its name. */
void name_table_prefetch_name(const struct name_table *t, uint64_t hash)
{
    uint64_t value = t->slots[first_slot(t, hash)];
    if (value != 0 && ((value ^ hash) & ~VALUE_MASK) == 0)
        __builtin_prefetch(entry_at(t, (value & VALUE_MASK) - 1));
}
