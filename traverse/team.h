/* team.h: one host thread per device, so that launching work on several GPUs takes no longer than on
 * one.
 *
 * A step is run for every member at once, and is over when all are; steps follow each other within
 * microseconds during a search, so members wait by spinning for a while, and then sleep.
 */
#ifndef DBFS_TEAM_H
#define DBFS_TEAM_H

#include "formats/base/status.h"

#include <stdint.h>

struct team;

/* What a member does; it reports its failure in its own `e`. */
typedef enum status team_step(void *context, uint32_t member, struct error *e);

/* `side_by_side`: with a thread for each member, the caller's for the first; else one after the
 * other. */
enum status team_open(struct team **team, uint32_t members, int side_by_side, struct error *e);
void team_close(struct team *team); /* NULL is allowed */

/* Runs the step for every member. The failure of the lowest failing member is in *e. */
enum status team_run(struct team *team, team_step *step, void *context, struct error *e);

#endif
