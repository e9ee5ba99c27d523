/* backend_choose.h: which backend runs: what was asked for, or what this machine has */
#ifndef DBFS_BACKEND_CHOOSE_H
#define DBFS_BACKEND_CHOOSE_H

#include "backend.h"

enum backend_choice { BACKEND_AUTO, BACKEND_CPU, BACKEND_CUDA };

/* BACKEND_AUTO takes a GPU where there is one. ST_RESOURCE, and why, where CUDA was asked for and
 * cannot be had. */
enum status backend_choose(const struct backend **backend, enum backend_choice choice,
                           struct error *e);

#endif
