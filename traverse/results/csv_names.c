/* csv_names.c: see csv_names.h */
#include "csv_names.h"

#include <string.h>

enum status csv_name_write(struct outfile *out, const char *bytes, size_t length, struct error *e)
{
    if (memchr(bytes, ',', length) == NULL && memchr(bytes, '"', length) == NULL)
        return outfile_write(out, bytes, length, e);
    outfile_write(out, "\"", 1, e);
    for (size_t i = 0; i < length && e->status == ST_OK; i++) {
        if (bytes[i] == '"') /* a quote is doubled */
            outfile_write(out, "\"", 1, e);
        outfile_write(out, &bytes[i], 1, e);
    }
    return e->status == ST_OK ? outfile_write(out, "\"", 1, e) : e->status;
}
