/* context.h: a fiber: a stack of its own, to which a thread of the system can switch */
#ifndef EMULATOR_CONTEXT_H
#define EMULATOR_CONTEXT_H

#include <cstddef>

namespace emulated {

enum : size_t { STACK_BYTES = 256 << 10 };

/* The place where a fiber was left and goes on; `at` is NULL if it has not begun. */
struct context {
    void *at;
    char *stack; /* its lowest byte; NULL for the stack that the system gave the thread */
};

/* A stack with a page below it that may not be touched. Stacks are kept for the next lane of this thread. */
char *stack_take();
void stack_give(char *stack);

/* Makes `c` a fiber that begins with entry(), which does not return. */
void context_make(context *c, char *stack, void (*entry)());

/* Leaves the running fiber, notes its place in `from`, and goes on in `to`. */
void context_switch(context *from, context *to);

/* The first call of a fiber: tells AddressSanitizer. */
void context_begun();

}

#endif
