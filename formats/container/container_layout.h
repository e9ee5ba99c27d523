/* container_layout.h: byte positions in the header and the section table; only for container*.c */
#ifndef DBFS_CONTAINER_LAYOUT_H
#define DBFS_CONTAINER_LAYOUT_H

enum {
    HEADER_BYTES = 32,
    HEADER_VERSION_AT = 8,
    HEADER_SECTIONS_AT = 12,
    HEADER_FILE_BYTES_AT = 16,
    HEADER_TABLE_CRC_AT = 24,
    HEADER_CRC_AT = 28,

    ENTRY_BYTES = 48,
    ENTRY_TYPE_AT = 0,
    ENTRY_ENCODING_AT = 4,
    ENTRY_WIDTH_AT = 8,
    ENTRY_CRC_AT = 12,
    ENTRY_OFFSET_AT = 16,
    ENTRY_SIZE_AT = 24,
    ENTRY_COUNT_AT = 32,
    ENTRY_RESERVED_AT = 40
};

#endif
