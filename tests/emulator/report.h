/* report.h: reports mistakes of the emulated program */
#ifndef EMULATOR_REPORT_H
#define EMULATOR_REPORT_H

#include "include/emulated_site.h"

#include <string>

namespace emulated {

/* Prints a line on standard error. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints a line and ends the program, as its further work would have no meaning on a GPU. */
[[noreturn]] void give_up(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Counts launches of a kernel, or other things that a test asks for, in EMULATED_KERNELS. */
void note_use(const std::string &name, unsigned long count = 1);

/* Waits a short time; callers repeat it. */
void wait_a_moment(unsigned times_before);

double seconds_now();

}

#endif
