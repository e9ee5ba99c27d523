/* fuzz_convert.c: any input of edgeconv: text and binary formats, compressed or in an archive, recognised by
 * content. If the last byte is 255, the byte before it chooses a format; if it is 254, the two bytes before it
 * choose the columns and the separator. */
#include "fuzz.h"

#include "tools/convert/convert.h"

static enum status read_all(struct input *input, const struct reader_options *options,
                            struct error *e)
{
    struct graph_writer *writer = NULL;
    struct conversion *conversion = NULL;
    struct change change = {0};
    int end = 0;
    if (graph_writer_open_temporary(&writer, fuzz_folder(), e) == ST_OK)
        conversion_open(&conversion, writer, &change, 1, 1 << 24, e);
    while (e->status == ST_OK && !end) {
        struct graph_reader *reader = NULL;
        if (graph_reader_open_input(&reader, input, options, e) == ST_OK && !reader->facts.names)
            conversion_read(conversion, reader, 0, e);
        graph_reader_close(reader);
        if (e->status == ST_OK)
            input_next(input, &end, e);
    }
    if (e->status == ST_OK)
        conversion_finish(conversion, 0, e);
    conversion_free(conversion);
    graph_writer_free(writer);
    return e->status;
}

static void choose_columns(struct reader_options *options, const unsigned char *end)
{
    static char number[2];
    for (int i = 0; i < 2; i++) {
        number[i] = (char)('1' + (end[-1] >> 3 * i & 7));
        options->columns.end[i] = (struct field){number + i, number + i + 1};
    }
    options->separator = (enum separator)(end[-2] % SEPARATORS);
}

int fuzz_one(const unsigned char *bytes, size_t size)
{
    struct reader_options options = {.max_buffer_bytes = 1 << 22, .threads = 1};
    struct error e = {0};
    struct input *input = NULL;
    int file;
    if (size > 2 && bytes[size - 1] == 255) {
        options.format = (enum graph_format)(bytes[size - 2] % FORMAT_WDC_INDEX);
        size -= 2;
    } else if (size > 3 && bytes[size - 1] == 254) {
        choose_columns(&options, bytes + size - 1);
        size -= 3;
    }
    if (input_open_first(&input, fuzz_file(bytes, size, &file), NULL, &e) == ST_OK)
        read_all(input, &options, &e);
    input_close(input);
    return e.status == ST_OK;
}
