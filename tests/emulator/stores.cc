/* stores.cc: see stores.h
 *
 * With a seed, peers see a block's words later than other memory that the block writes afterwards: with an odd
 * seed the newest words first, otherwise in any order. A fence of the system shows them all, and so does the end
 * of the block. */
#include "stores.h"

#include "include/emulated_calls.h"
#include "lanes.h"
#include "report.h"
#include "settings.h"
#include "thread_state.h"

namespace emulated {

static void show(const late_store &one)
{
    __atomic_store_n(one.to, one.value, __ATOMIC_RELEASE);
}

void show_some_stores()
{
    std::vector<late_store> &late = own_state().stores;
    const bool newest = setting().seed % 2 != 0;
    size_t kept = 0;
    for (size_t i = 0; i < late.size(); i++) {
        if (newest ? i < late.size() * 3 / 4 : next_random(*running) % 2 != 0)
            late[kept++] = late[i];
        else
            show(late[i]);
    }
    late.resize(kept);
}

void show_stores()
{
    std::vector<late_store> &late = own_state().stores;
    for (const late_store &one : late)
        show(one);
    late.clear();
}

}

using namespace emulated;

void emulated_store(unsigned long long *to, unsigned long long value)
{
    if (running->seeded)
        own_state().stores.push_back(late_store{to, value});
    else
        show(late_store{to, value});
}

void emulated_fence(const char *name)
{
    show_stores();
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    note_use(name);
}
