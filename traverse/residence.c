/* residence.c: see residence.h */
#include "residence.h"

const char *const residence_name[] = {"raw", "packed", "auto"};

/* Whether shard_load keeps this section as it is packed. */
static int stays_packed(const struct section *s, enum residence residence)
{
    int are_columns = s->type >= SHARD_OFFSETS && s->type < SHARD_ND_SOURCE_LIST &&
                      (s->type - SHARD_OFFSETS) % 4 == SHARD_COLUMNS - SHARD_OFFSETS;
    return residence == RESIDENT_PACKED && are_columns && s->encoding == ENCODING_PACKED && s->width == 4;
}

uint64_t residence_bytes(const struct shard *shard, enum residence residence)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < container_sections(shard->file); i++) {
        const struct section *s = container_section(shard->file, i);
        if (s->type >= SHARD_OFFSETS)
            bytes += stays_packed(s, residence) ? s->bytes : section_decoded_bytes(s);
    }
    return bytes;
}

uint64_t residence_taken_bytes(const struct shard *shard, enum residence residence)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < container_sections(shard->file); i++) {
        const struct section *s = container_section(shard->file, i);
        if (stays_packed(s, residence))
            bytes += packed_blocks(s->count) * sizeof(struct packed_place);
        else if (s->encoding == ENCODING_PACKED)
            bytes += section_decoded_bytes(s);
    }
    return bytes;
}
