/* pack_list.c: see pack_list.h */
#include "pack_list.h"

#include "formats/base/json_format.h"
#include "formats/base/key_values.h"
#include "formats/graph/manifest.h"
#include "tools/separate/separate.h"
#include "tools/separate/threshold.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { TYPES = SHARD_IN_ROWS + 4 * SUBGRAPHS };

/* Sums over all sections of one type: bytes in the files and decoded, and the number of raw and packed ones. */
struct section_sizes {
    uint64_t stored, decoded;
    uint32_t raw, packed;
};

struct part_sizes {
    uint64_t locals, edges, device_bytes, file_bytes;
    uint32_t heads[SUBGRAPHS];
    struct section_sizes section[TYPES];
};

static uint64_t kept_edges(const struct manifest *m)
{
    return m->edges[NN] + m->edges[ND] + m->edges[DN] + m->edges[DD];
}

/* Percent. */
static double share(uint64_t part, uint64_t whole)
{
    return whole > 0 ? 100.0 * (double)part / (double)whole : 0;
}

static void print_facts(const struct manifest *m, FILE *out)
{
    char th[24];
    fprintf(out, "vertices          %" PRIu64 "\n", m->totals.n);
    fprintf(out, "input edges       %" PRIu64 " (%s), of these self-loops %" PRIu64 "\n",
            m->totals.edges, edges_direction_name(m->direction), m->totals.loops);
    fprintf(out, "input checksum    %016" PRIx64 "\n", m->totals.checksum);
    key_values_print(out, "provenance       ", m->provenance);
    if (m->randomized)
        fprintf(out, "randomized        n %" PRIu64 ", seed %" PRIu64 "\n", m->random_n,
                m->random_seed);
    fprintf(out, "ids               begin at %" PRIu32 "\n", m->base);
    fprintf(out, "shards (p)        %" PRIu32 "\n", m->p);
    fprintf(out, "TH                %s\n", th_format(m->th, th, sizeof th));
    fprintf(out, "delegates         %" PRIu64 " (%.3f%% of the vertices)\n", m->d,
            share(m->d, m->totals.n));
    if (m->direction == EDGES_DIRECTED)
        fprintf(out, "rows              %s\n", m->out_only ? "out: no pulls" : "out and in");
    fprintf(out, "encoding          %s\n", pack_encoding_name[m->encoding]);
    fprintf(out, "pack id           %016" PRIx64 "\n", m->pack_id);
}

static void print_classes(const struct manifest *m, FILE *out)
{
    uint64_t kept = kept_edges(m);
    fprintf(out, "\n%s kept, duplicates and self-loops removed: %" PRIu64 "\n",
            m->direction == EDGES_DIRECTED ? "edges" : "directed edges", kept);
    for (int g = 0; g < SUBGRAPHS; g++)
        fprintf(out, "  %s %16" PRIu64 "  %7.3f%%\n", subgraph_name[g], m->edges[g],
                share(m->edges[g], kept));
}

/* Sets *sizes by the sections of an open shard. */
static void measure(const struct shard *s, struct part_sizes *sizes)
{
    memset(sizes, 0, sizeof *sizes);
    sizes->locals = s->locals;
    sizes->device_bytes = shard_device_bytes(s);
    sizes->file_bytes = container_bytes(s->file);
    for (int g = 0; g < SUBGRAPHS; g++) {
        sizes->edges += s->csr[g].edges; /* of a directed graph: those of out-rows */
        sizes->heads[g] = s->csr[g].head_columns;
    }
    for (uint32_t i = 0; i < container_sections(s->file); i++) {
        const struct section *section = container_section(s->file, i);
        if (section->type >= TYPES)
            continue;
        struct section_sizes *of_type = &sizes->section[section->type];
        of_type->stored += section->bytes;
        of_type->decoded += section_decoded_bytes(section);
        of_type->raw += section->encoding == ENCODING_RAW;
        of_type->packed += section->encoding == ENCODING_PACKED;
    }
}

static void print_parts(const struct part_sizes *parts, uint32_t p, FILE *out)
{
    fprintf(out, "\n%5s %12s %14s %16s %16s  head columns\n", "part", "locals", "edges",
            "device bytes", "file bytes");
    for (uint32_t s = 0; s < p; s++) {
        const struct part_sizes *part = &parts[s];
        fprintf(out, "%5" PRIu32 " %12" PRIu64 " %14" PRIu64 " %16" PRIu64 " %16" PRIu64 " ", s,
                part->locals, part->edges, part->device_bytes, part->file_bytes);
        for (int g = 0; g < SUBGRAPHS; g++)
            fprintf(out, " %s=%" PRIu32, subgraph_name[g], part->heads[g]);
        fputc('\n', out);
    }
}

/* One line per section type: sums over all parts, and the largest part. */
static void print_sections(const struct part_sizes *parts, uint32_t p, FILE *out)
{
    fprintf(out, "\n%-18s %-8s %16s %16s %16s\n", "section", "encoding", "bytes, all parts",
            "decoded", "largest, decoded");
    for (uint32_t type = 0; type < TYPES; type++) {
        struct section_sizes sum = {0};
        uint64_t largest = 0;
        for (uint32_t s = 0; s < p; s++) {
            const struct section_sizes *own = &parts[s].section[type];
            sum.stored += own->stored;
            sum.decoded += own->decoded;
            sum.raw += own->raw;
            sum.packed += own->packed;
            largest = own->decoded > largest ? own->decoded : largest;
        }
        if (sum.decoded > 0)
            fprintf(out, "%-18s %-8s %16" PRIu64 " %16" PRIu64 " %16" PRIu64 "%s\n",
                    shard_kind.section_name(type), sum.packed == 0 ? "raw" : sum.raw == 0 ? "packed" : "both", sum.stored,
                    sum.decoded, largest, type >= SHARD_OFFSETS ? "  device" : "");
    }
}

/* Prints the bytes of all files, the manifest too. */
static enum status print_directory(const struct manifest *m, const char *folder, FILE *out, struct error *e)
{
    uint64_t bytes = 0, kept = kept_edges(m);
    struct stat st;
    char *path = manifest_path(folder, MANIFEST_NAME);
    if (path == NULL)
        return fail_memory(e, folder, strlen(folder));
    if (stat(path, &st) == 0)
        bytes = (uint64_t)st.st_size;
    else
        fail_errno(e, path, "cannot look up");
    free(path);
    for (uint32_t s = 0; s < m->p; s++)
        bytes += m->part[s].bytes;
    fprintf(out, "\n%-38s %16" PRIu64 "\n%-38s %16.3f\n", "all files of the directory", bytes,
            m->direction == EDGES_DIRECTED ? "bytes per edge kept" : "bytes per directed edge kept",
            kept > 0 ? (double)bytes / (double)kept : 0);
    return e->status;
}

/* Prints bytes, and the bytes on devices divided by them. */
static void print_size(const char *what, uint64_t bytes, uint64_t device, FILE *out)
{
    fprintf(out, "%-38s %16" PRIu64 "  %6.3f\n", what, bytes,
            bytes > 0 ? (double)device / (double)bytes : 0);
}

/* Prints the bytes on devices, compared with Table I and plain formats. */
static void print_comparison(const struct manifest *m, const struct part_sizes *parts, FILE *out)
{
    uint64_t device = 0, largest = 0, n = m->totals.n, kept = kept_edges(m);
    for (uint32_t s = 0; s < m->p; s++) {
        device += parts[s].device_bytes;
        largest = parts[s].device_bytes > largest ? parts[s].device_bytes : largest;
    }
    fprintf(out, "\n%-38s %16s  %6s\n", "memory, all devices", "bytes", "ratio");
    print_size("these shards", device, device, out);
    print_size("Table I: 8n + 8dp + 4m + 4|Enn|", table1_bytes(n, m->d, m->p, kept, m->edges[NN]),
               device, out);
    print_size("64-bit CSR: 8n + 8m", 8 * n + 8 * kept, device, out);
    print_size("edge list: 16m", 16 * kept, device, out);
    fprintf(out, "%-38s %16" PRIu64 "\n", "largest device", largest);
}

/* ---- the same as JSON ---- */

/* Prints one member: a number for each subgraph. */
static void print_by_subgraph(const char *name, const uint64_t *values, FILE *out)
{
    fprintf(out, "\"%s\": {", name);
    for (int g = 0; g < SUBGRAPHS; g++)
        fprintf(out, "%s\"%s\": %" PRIu64, g > 0 ? ", " : "", subgraph_name[g], values[g]);
    fputc('}', out);
}

static void print_json(const struct manifest *m, const struct part_sizes *parts, FILE *out)
{
    char th[24];
    fprintf(out, JSON_OPEN "  \"vertices\": %" PRIu64 ",\n  \"input_edges\": %" PRIu64
            ",\n  \"input_loops\": %" PRIu64 ",\n  \"input_direction\": \"%s\""
            ",\n  \"input_checksum\": \"%016" PRIx64 "\",\n", m->totals.n, m->totals.edges,
            m->totals.loops, edges_direction_name(m->direction), m->totals.checksum);
    if (m->randomized)
        fprintf(out, "  \"randomized\": {\"n\": %" PRIu64 ", \"seed\": %" PRIu64 "},\n", m->random_n,
                m->random_seed);
    fprintf(out, "  \"base\": %" PRIu32 ",\n", m->base);
    th_format(m->th, th, sizeof th); /* of an infinite TH, a string */
    fprintf(out, "  \"shards\": %" PRIu32 ",\n  \"th\": %s%s%s,\n  \"delegates\": %" PRIu64
            ",\n  \"encoding\": \"%s\",\n  \"pack_id\": \"%016" PRIx64 "\",\n  ", m->p,
            m->th == TH_INFINITE ? "\"" : "", th, m->th == TH_INFINITE ? "\"" : "", m->d,
            pack_encoding_name[m->encoding], m->pack_id);
    if (m->direction == EDGES_DIRECTED)
        fprintf(out, "\"rows\": \"%s\",\n  ", m->out_only ? "out" : "out,in");
    print_by_subgraph("edges", m->edges, out);
    fputs(",\n  \"parts\": [", out);
    for (uint32_t s = 0; s < m->p; s++) {
        const struct part_sizes *part = &parts[s];
        uint64_t heads[SUBGRAPHS];
        for (int g = 0; g < SUBGRAPHS; g++)
            heads[g] = part->heads[g];
        fprintf(out, "%s\n    {\"locals\": %" PRIu64 ", \"edges\": %" PRIu64 ", \"device_bytes\": %" PRIu64
                ", \"file_bytes\": %" PRIu64 ", ", s > 0 ? "," : "", part->locals, part->edges, part->device_bytes, part->file_bytes);
        print_by_subgraph("head_columns", heads, out);
        fputc('}', out);
    }
    fputs("\n  ]\n}\n", out);
}

/* Prints what a shard directory holds, as text or as JSON. */
enum status pack_list(const char *folder, int json, FILE *stream, struct error *e)
{
    struct manifest m;
    if (manifest_read(&m, folder, e) != ST_OK)
        return e->status;
    struct part_sizes *parts = zeroed(m.p, sizeof *parts, folder, e);
    for (uint32_t s = 0; s < m.p && e->status == ST_OK; s++) {
        struct shard shard;
        if (manifest_open_shard(&m, folder, s, &shard, e) == ST_OK) {
            measure(&shard, &parts[s]);
            shard_close(&shard);
        }
    }
    if (e->status == ST_OK && json) {
        print_json(&m, parts, stream);
    } else if (e->status == ST_OK) {
        print_facts(&m, stream);
        print_classes(&m, stream);
        print_parts(parts, m.p, stream);
        print_sections(parts, m.p, stream);
        print_comparison(&m, parts, stream);
        print_directory(&m, folder, stream, e);
    }
    if (e->status == ST_OK)
        stream_flush(stream, e);
    free(parts);
    manifest_free(&m);
    return e->status;
}
