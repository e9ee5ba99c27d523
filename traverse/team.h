/* team.h: the host threads of a rank that drive its devices.
 *
 * Launching work on several GPUs shall take no longer than on one, so each GPU has a host thread of its own:
 * a member of the team. Devices of the CPU use all cores, one after the other, and are driven by a team of
 * one. All members run the same function, each for its own devices. Where a step needs what other devices
 * did before, the members meet.
 */
#ifndef DBFS_TEAM_H
#define DBFS_TEAM_H

#include "formats/base/status.h"

#include <stdint.h>

struct team;

struct member {
    struct team *team;
    uint32_t number;     /* member 0 is the thread that calls team_run, and the one that calls MPI */
    uint32_t first, end; /* drives the devices first..end */
};

/* What each member does. It may return with a failure at any point: the others learn of it where they
 * meet next. */
typedef enum status team_job(void *context, const struct member *member, struct error *e);

/* A team for `devices` devices: a member for each with `side_by_side`, otherwise one for all. */
enum status team_open(struct team **team, uint32_t devices, int side_by_side, struct error *e);
void team_close(struct team *team); /* NULL is allowed */

/* Runs the job on every member, and waits for all. Returns the common status, as team_meet does. */
enum status team_run(struct team *team, team_job *job, void *context, struct error *e);

/* Called by every member within a job: waits until all are here, and sees what they wrote before. If any
 * member failed, all get the failure of the first one that did, by number, and must return. */
enum status team_meet(const struct member *member, struct error *e);

#endif
