/* csv_names.h: names of vertices as fields of comma-separated values (RFC 4180) */
#ifndef DBFS_CSV_NAMES_H
#define DBFS_CSV_NAMES_H

#include "formats/base/outfile.h"

/* Writes a field: as it is, or in quotes if it has a comma or a quote. */
enum status csv_name_write(struct outfile *out, const char *bytes, size_t length, struct error *e);

#endif
