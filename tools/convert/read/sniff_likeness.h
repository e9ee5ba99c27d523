/* sniff_likeness.h: tells METIS and LGL, whose lines may look like pairs, from lists of pairs */
#ifndef DBFS_SNIFF_LIKENESS_H
#define DBFS_SNIFF_LIKENESS_H

/* LIKE: the lines fit the format, and a list of pairs too. CERTAIN: they are of this format, or of none. */
enum likeness { UNLIKE, LIKE, CERTAIN };

/* Judges METIS by the lines from `header`, the first one that is neither blank nor a comment, to `end`. `complete`: the
 * input ends there. Returns UNLIKE if memory runs out. */
enum likeness metis_likeness(const char *header, const char *end, int complete);

/* Judges LGL by all lines from `p` to `end`. `names`: ids may be words. */
enum likeness lgl_likeness(const char *p, const char *end, int names);

#endif
