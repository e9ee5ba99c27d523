/* residence.c: the bytes of a shard in each residence; see residence.h */
#include "residence.h"

const char *const residence_name[] = {"raw", "packed", "host", "auto"};

/* Returns whether a section of a shard file stays packed when the shard is loaded with this residence. Three conditions
 * must hold: the section has columns of a subgraph, the residence is RESIDENT_PACKED, and the columns can be searched
 * while they are packed. */
static int stays_packed(const struct shard *shard, const struct section *s, enum residence residence)
{
    struct packed packed;
    for (int g = 0; residence == RESIDENT_PACKED && g < shard_row_sets(shard); g++) {
        if (s->type == shard_section(shard, (enum subgraph)g, SHARD_COLUMNS))
            return shard_can_keep(shard, (enum subgraph)g, &packed);
    }
    return 0;
}

/* Returns the number of bytes of a shard that a search reads: the sum over its sections. Columns that stay packed count
 * their packed bytes. All other sections count their decoded bytes. */
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

/* Returns the number of bytes that are allocated when the shard is loaded. These are the decoded bytes of packed sections
 * that are decoded, and a directory for each section that stays packed. The other bytes of residence_bytes are in the
 * mapped file. */
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
