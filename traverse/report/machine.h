/* machine.h: the machine and the command line of a search, for the environment of --json */
#ifndef DBFS_MACHINE_H
#define DBFS_MACHINE_H

#include "traverse/devices/rank_devices.h"

#include <stdio.h>

/* Prints the members `revision`, `command`, `cpu`, `gpu`, `gpu_driver` and `cuda`, with a comma after the last
 * one. They describe the host of this rank. An unknown one is an empty string. */
void machine_json(FILE *out, const struct rank *rank, char *const *command);

#endif
