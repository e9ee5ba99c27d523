/* backend_choose.h: chooses the backend: the one asked for, or the one that suits this machine */
#ifndef DBFS_BACKEND_CHOOSE_H
#define DBFS_BACKEND_CHOOSE_H

#include "traverse/engine/backend.h"

enum backend_choice { BACKEND_AUTO, BACKEND_CPU, BACKEND_CUDA };

/* BACKEND_AUTO takes a GPU if there is one. ST_RESOURCE: CUDA was asked for and cannot be had; *e says
 * why. */
enum status backend_choose(const struct backend **backend, enum backend_choice choice, struct error *e);

#endif
