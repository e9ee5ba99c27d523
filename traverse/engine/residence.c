/* residence.c: the bytes of a shard in each residence; see residence.h */
#include "residence.h"

const char *const residence_name[] = {"raw", "packed", "host", "auto"};

/* Returns whether this section stays packed when the shard is loaded. Only columns of a subgraph can, and only in a
 * form that can be searched while packed. */
static int stays_packed(const struct shard *shard, const struct section *s, enum residence residence)
{
    struct packed packed;
    for (int g = 0; residence == RESIDENT_PACKED && g < shard_row_sets(shard); g++) {
        if (s->type == shard_section(shard, (enum subgraph)g, SHARD_COLUMNS))
            return shard_can_keep(shard, (enum subgraph)g, &packed);
    }
    return 0;
}

/* Sums the sections that a search reads, as packed or decoded bytes. */
uint64_t residence_bytes(const struct shard *shard, enum residence residence)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < container_sections(shard->file); i++) {
        const struct section *s = container_section(shard->file, i);
        if (s->type >= SHARD_OFFSETS)
            bytes += stays_packed(shard, s, residence) ? s->bytes : section_decoded_bytes(s);
    }
    return bytes;
}

/* Sums what is allocated: decoded copies of packed sections, and a directory for each section that stays packed. */
uint64_t residence_taken_bytes(const struct shard *shard, enum residence residence)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < container_sections(shard->file); i++) {
        const struct section *s = container_section(shard->file, i);
        if (stays_packed(shard, s, residence))
            bytes += packed_blocks(s->count) * sizeof(struct packed_place);
        else if (s->encoding == ENCODING_PACKED)
            bytes += section_decoded_bytes(s);
    }
    return bytes;
}
