/* cpu_answers.h: the memory behind answers of a device of the CPU, shared by cpu_answers.c, cpu_questions.c
 * and cpu_results.c
 */
#ifndef DBFS_CPU_ANSWERS_H
#define DBFS_CPU_ANSWERS_H

#include "cpu_device.h"

struct cpu_answers {
    struct answer_places places;
    void *values; /* [places.starts[p]] by input id; NULL: `block` has them */
    void *block;  /* [places.count] */
    /* with several shards and parents */
    void *by_vertex; /* [locals + d + 1] ids of parents by number of vertex; the last is that of no vertex */
    void *delegate_parents;     /* [d] the largest ids of this rank's, or of all ranks */
    uint64_t *cursors;          /* [threads][p] where the questions of a thread begin */
    struct question *questions; /* by shard */
    uint32_t *askers;           /* the local vertex that each question is for */
    uint64_t question_room;
    void *replies;
    uint64_t reply_room;
};

/* cpu_answers.c */

/* Copies depths of the vertices of one kind; DEPTH_UNREACHED if not visited. */
void cpu_copy_depths(const struct device *dev, uint64_t count, const uint64_t *visited,
                     const int32_t *depth, int32_t *to);
enum status cpu_open_answers(struct device *dev, const struct answer_places *places,
                             struct error *e);
void cpu_write_parents(struct device *dev); /* those that it knows itself; with several shards */
enum status cpu_values(struct device *dev, enum answer_kind kind, uint32_t levels,
                       struct slice *values, struct error *e);
enum status cpu_assemble(struct device *dev, enum answer_kind kind, const struct slice *values,
                         struct error *e);
enum status cpu_set_value(struct device *dev, enum answer_kind kind, uint64_t at, int64_t value,
                          struct error *e);
enum status cpu_read_block(struct device *dev, enum answer_kind kind, uint64_t first,
                           uint64_t count, void *values, struct error *e);
const void *cpu_see_block(const struct device *dev);

/* cpu_questions.c */
enum status cpu_ask(struct device *dev, struct slice *questions, struct error *e);
enum status cpu_reply(struct device *dev, const struct slice *questions, struct slice *replies,
                      struct error *e);
enum status cpu_take_replies(struct device *dev, const struct slice *replies, struct error *e);
enum status cpu_read_parents(struct device *dev, struct device *const *devices, uint32_t count,
                             void *host, struct error *e);
enum status cpu_take_parents(struct device *dev, const void *host, struct error *e);

#endif
