/* team.h: the host threads of a rank that drive its devices.
 *
 * A team has one of two forms. For GPUs each device has a host thread of its own, a member of the team, so
 * that launching work on several GPUs takes no longer than on one. For devices of the CPU there is one
 * member, which drives the devices one after the other, because each of them uses all cores.
 *
 * In a job all members run the same function, each for its own devices. They meet when a step needs the work of other
 * devices. In a step each device is for the first member that comes, so nobody waits for a member that has not come:
 * on a busy host threads wake milliseconds late.
 */
#ifndef DBFS_TEAM_H
#define DBFS_TEAM_H

#include "formats/base/status.h"

#include <stdint.h>

struct team;

struct member {
    struct team *team;
    uint32_t number;     /* member 0 is the thread that calls team_run; only it calls MPI */
    uint32_t first, end; /* drives the devices first..end */
};

/* The function that each member runs. It may return a failure at any point; the others learn of it when they
 * meet next. */
typedef enum status team_job(void *context, const struct member *member, struct error *e);

/* Opens a team for `devices` devices: with `side_by_side` a member for each, otherwise one for all. */
enum status team_open(struct team **team, uint32_t devices, int side_by_side, struct error *e);
void team_close(struct team *team); /* NULL is allowed */

/* Runs the job on every member, and waits for all. Returns the common status, as team_meet does. */
enum status team_run(struct team *team, team_job *job, void *context, struct error *e);

/* A step for one device, by any member. */
typedef enum status team_step(void *context, uint32_t device, struct error *e);

/* Runs the step for each of the devices, and waits for that. Returns the failure that came first. */
enum status team_each(struct team *team, uint32_t devices, team_step *step, void *context, struct error *e);

/* Waits until every member has called this. Each then sees all that the others wrote before. If members failed,
 * all get the failure of the one that came first, and must return: others may have failed since they waited
 * for it. */
enum status team_meet(const struct member *member, struct error *e);

#endif
