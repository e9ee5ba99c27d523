/* json_format.h: the number of the format of all JSON that dbfs writes (dbfs-json(5)): reports, plans, lists and traces */
#ifndef DBFS_JSON_FORMAT_H
#define DBFS_JSON_FORMAT_H

/* The member "format" of each JSON object that is a file, and of the first line of a trace. The number becomes larger when a member
 * goes or changes its meaning, not when one is added. Readers refuse a number larger than theirs (tools/report/read_json.sh). */
#define JSON_FORMAT "\"format\": 1"

/* How a JSON object of several lines begins. */
#define JSON_OPEN "{\n  " JSON_FORMAT ",\n"

#endif
