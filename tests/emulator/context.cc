/* context.cc: see context.h
 *
 * On x86-64 a switch saves the registers that a function must keep. Elsewhere ucontext does it, which is slower.
 */
#include "context.h"

#include "report.h"
#include "thread_state.h"

#include <cstdint>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef __x86_64__
#include <ucontext.h>
#endif

#if defined __SANITIZE_ADDRESS__
extern "C" void __sanitizer_start_switch_fiber(void **fake, const void *bottom, size_t size);
extern "C" void __sanitizer_finish_switch_fiber(void *fake, const void **bottom, size_t *size);
extern "C" void __asan_unpoison_memory_region(const volatile void *at, size_t size);
#endif

namespace emulated {

/* ---- stacks ---- */

/* Takes some stacks at once. Their guard pages come by MADV_GUARD_INSTALL, which Linux 6.13 and newer know, as mprotect
 * makes mappings, and these take time. */
static void take_some(std::vector<char *> &unused)
{
    enum { SOME = 32, GUARD = 102 };
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), each = STACK_BYTES + page;
    char *memory = (char *)mmap(nullptr, SOME * each, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        give_up("no memory for the stacks of lanes");
    for (int i = 0; i < SOME; i++) {
        char *guard = memory + i * each;
        if (madvise(guard, page, GUARD) != 0 && mprotect(guard, page, PROT_NONE) != 0)
            give_up("no memory for the stack of a lane");
        unused.push_back(guard + page);
    }
}

char *stack_take()
{
    std::vector<char *> &unused = own_state().stacks;
    if (unused.empty())
        take_some(unused);
    char *stack = unused.back();
    unused.pop_back();
#if defined __SANITIZE_ADDRESS__
    __asan_unpoison_memory_region(stack, STACK_BYTES); /* functions on a used one never returned */
#endif
    return stack;
}

void stack_give(char *stack)
{
    own_state().stacks.push_back(stack);
}

/* ---- switches ---- */

#ifdef __x86_64__

extern "C" void emulated_switch(void **from, void *to);

asm(".text\n.globl emulated_switch\n.type emulated_switch, @function\nemulated_switch:\n"
    "pushq %rbp\npushq %rbx\npushq %r12\npushq %r13\npushq %r14\npushq %r15\n"
    "movq %rsp, (%rdi)\nmovq %rsi, %rsp\n"
    "popq %r15\npopq %r14\npopq %r13\npopq %r12\npopq %rbx\npopq %rbp\nret\n"
    ".size emulated_switch, .-emulated_switch\n");

void context_make(context *c, char *stack, void (*entry)())
{
    enum { SAVED = 6 };
    void **top = (void **)(stack + STACK_BYTES);
    *--top = nullptr; /* a called function expects a stack that is 8 off 16 */
    *--top = (void *)entry;
    for (int i = 0; i < SAVED; i++)
        *--top = nullptr;
    *c = context{top, stack};
}

static void change_stacks(context *from, context *to)
{
    emulated_switch(&from->at, to->at);
}

#else

void context_make(context *c, char *stack, void (*entry)())
{
    ucontext_t *place = (ucontext_t *)stack; /* the lower end, which the fiber never reaches */
    getcontext(place);
    place->uc_stack.ss_sp = stack + sizeof *place;
    place->uc_stack.ss_size = STACK_BYTES - sizeof *place;
    place->uc_link = nullptr;
    makecontext(place, entry, 0);
    *c = context{place, stack};
}

static void change_stacks(context *from, context *to)
{
    ucontext_t of_thread; /* it stays until the thread continues */
    from->at = from->stack != nullptr ? (void *)from->stack : &of_thread;
    swapcontext((ucontext_t *)from->at, (ucontext_t *)to->at);
}

#endif

#if defined __SANITIZE_ADDRESS__

/* the stack that the system gave this thread */
static void own_stack(void **bottom, size_t *size)
{
    thread_state &own = own_state();
    if (own.bottom == nullptr) {
        pthread_attr_t attributes;
        pthread_getattr_np(pthread_self(), &attributes);
        pthread_attr_getstack(&attributes, &own.bottom, &own.size);
        pthread_attr_destroy(&attributes);
    }
    *bottom = own.bottom;
    *size = own.size;
}

void context_switch(context *from, context *to)
{
    void *bottom = to->stack;
    size_t size = STACK_BYTES;
    if (to->stack == nullptr)
        own_stack(&bottom, &size);
    __sanitizer_start_switch_fiber(nullptr, bottom, size);
    change_stacks(from, to);
    context_begun();
}

void context_begun()
{
    __sanitizer_finish_switch_fiber(nullptr, nullptr, nullptr);
}

#else

void context_switch(context *from, context *to)
{
    change_stacks(from, to);
}

void context_begun() {}

#endif

}
