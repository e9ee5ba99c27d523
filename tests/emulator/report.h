/* report.h: says what went wrong in the emulated program */
#ifndef EMULATOR_REPORT_H
#define EMULATOR_REPORT_H

#include "include/emulated_site.h"

#include <string>

namespace emulated {

/* A line on standard error. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same, and ends the program: its further work would have no meaning on a GPU. */
[[noreturn]] void give_up(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* For EMULATED_KERNELS: a kernel was launched, or something else was done once more that a test asks for. */
void note_use(const std::string &name);

/* Waits: again and again, for a short time. */
void wait_a_moment(unsigned times_before);

double seconds_now();

}

#endif
