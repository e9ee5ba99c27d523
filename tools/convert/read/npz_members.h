/* npz_members.h: the arrays of a sparse matrix in an archive, by their names */
#ifndef DBFS_NPZ_MEMBERS_H
#define DBFS_NPZ_MEMBERS_H

/* Nonzero if the name of an input is "ARCHIVE(NAME.npy)", which is that of the array NAME. */
int npz_is_member(const char *input_name, const char *name);

/* Nonzero if it is the name of an array that scipy.sparse.save_npz writes. */
int npz_is_sparse(const char *input_name);

#endif
