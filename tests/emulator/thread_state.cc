/* thread_state.cc: see thread_state.h */
#include "thread_state.h"

#include "grid.h"
#include "settings.h"

#include <cstring>
#include <link.h>

namespace emulated {

static __thread thread_state *state;

thread_state &own_state()
{
    if (state == nullptr)
        state = new thread_state;
    return *state;
}

#if defined __clang__

void spoil_shared_memory(size_t) {} /* a sanitizer may have variables of its own there */

#else

/* Finds the program's own thread-local variables, which are listed first, in the running thread. */
struct own_variables {
    char *begin = nullptr;
    size_t bytes = 0;
};

static int find_variables(struct dl_phdr_info *program, size_t, void *result)
{
    own_variables *found = (own_variables *)result;
    for (int i = 0; i < program->dlpi_phnum; i++) {
        if (program->dlpi_phdr[i].p_type == PT_TLS)
            *found = own_variables{(char *)program->dlpi_tls_data, program->dlpi_phdr[i].p_memsz};
    }
    return 1;
}

/* Static shared memory is all of them except the state and the part for dynamic shared memory. */
void spoil_shared_memory(size_t dynamic_bytes)
{
    enum { SPOILT = 0xa5 };
    thread_state *const kept = &own_state();
    unsigned char *const dynamic = dynamic_memory();
    own_variables own;
    dl_iterate_phdr(find_variables, &own);
    char *const end = own.begin + own.bytes, *const from = (char *)dynamic, *const to = from + MOST_SHARED;
    memset(own.begin, SPOILT, (size_t)(from - own.begin));
    memset(to, SPOILT, (size_t)(end - to));
    memset(dynamic, SPOILT, dynamic_bytes);
    state = kept;
}

#endif

}
