/* unnamed.h: temporary files without a name, which disappear with the process, however it ends */
#ifndef DBFS_UNNAMED_H
#define DBFS_UNNAMED_H

/* A descriptor to read and write, in `folder`; negative, with errno set, on failure. */
int unnamed_file(const char *folder);

#endif
