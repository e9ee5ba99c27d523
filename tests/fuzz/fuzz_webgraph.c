/* fuzz_webgraph.c: a graph of WebGraph: NAME.properties, NAME.offsets and NAME.graph. The input has one behind the other:
 * the text of the properties up to a zero, two bytes with the size of the offsets (0: there is no such file), the
 * offsets, and the graph. */
#include "fuzz.h"

#include "tools/convert/convert.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static enum status convert(const char *path, struct error *e)
{
    struct reader_options options = {.format = FORMAT_WEBGRAPH, .max_buffer_bytes = 1 << 20, .threads = 2}; /* one has no use for offsets */
    struct input *input = NULL;
    struct graph_reader *reader = NULL;
    struct graph_writer *writer = NULL;
    struct conversion *conversion = NULL;
    struct change change = {0};
    if (input_open_first(&input, path, NULL, e) == ST_OK && graph_reader_open_input(&reader, input, &options, e) == ST_OK &&
        graph_writer_open_temporary(&writer, fuzz_folder(), e) == ST_OK &&
        conversion_open(&conversion, writer, &change, 1, 1 << 24, e) == ST_OK &&
        conversion_read(conversion, reader, 0, e) == ST_OK)
        conversion_finish(conversion, 0, e);
    conversion_free(conversion);
    graph_writer_free(writer);
    graph_reader_close(reader);
    input_close(input);
    return e->status;
}

int fuzz_one(const unsigned char *bytes, size_t size)
{
    struct error e = {0};
    char path[128];
    const unsigned char *zero = memchr(bytes, 0, size), *end = bytes + size;
    if (zero == NULL || end - zero < 3)
        return 0;
    size_t offsets = zero[1] + 256u * zero[2], behind = (size_t)(end - zero) - 3;
    offsets = offsets < behind ? offsets : behind;
    fuzz_file_in_folder("g.properties", bytes, (size_t)(zero - bytes));
    fuzz_file_in_folder("g.graph", zero + 3 + offsets, behind - offsets);
    snprintf(path, sizeof path, "%s/g.offsets", fuzz_folder());
    if (offsets > 0)
        fuzz_file_in_folder("g.offsets", zero + 3, offsets);
    else
        unlink(path);
    snprintf(path, sizeof path, "%s/g.graph", fuzz_folder());
    return convert(path, &e) == ST_OK;
}
