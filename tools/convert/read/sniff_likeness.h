/* sniff_likeness.h: tells METIS and LGL from lists of pairs, whose lines may look alike */
#ifndef DBFS_SNIFF_LIKENESS_H
#define DBFS_SNIFF_LIKENESS_H

/* UNLIKE: the lines do not fit the format. LIKE: they fit it, and a list of pairs, too. CERTAIN: they are of this format, or of none. */
enum likeness { UNLIKE, LIKE, CERTAIN };

/* Judges whether lines are METIS: from `header`, the first one that is neither blank nor a comment, to `end`. `complete` is
 * nonzero if the input ends there. Returns UNLIKE if memory is short. */
enum likeness metis_likeness(const char *header, const char *end, int complete);

/* Judges LGL by all lines from `p` to `end`. `names`: ids may be words. */
enum likeness lgl_likeness(const char *p, const char *end, int names);

#endif
