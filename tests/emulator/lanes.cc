/* lanes.cc: see lanes.h */
#include "lanes.h"

#include "device.h"
#include "include/emulated_calls.h"
#include "settings.h"
#include "stores.h"
#include "thread_state.h"

#include <cstddef>
#include <cstring>

__thread dim3 threadIdx, blockIdx, blockDim, gridDim;

namespace emulated {

__thread block *running;

uint64_t next_random(block &b)
{
    b.random ^= b.random << 13;
    b.random ^= b.random >> 7;
    b.random ^= b.random << 17;
    return b.random;
}

/* ---- what happens when no lane can continue ---- */

static void say_where(const block &b)
{
    complain("kernel %s, block %u of %u: %u lanes are left", b.what->name.c_str(), b.index, b.what->blocks, b.alive);
    for (unsigned i = 0; i < b.warps; i++) {
        const warp &w = b.all[i];
        for (unsigned k = 0, told = 0; k < WARP_LANES; k++) {
            const site &at = w.lanes[k].at;
            if (!(w.alive >> k & 1) || told >> k & 1)
                continue;
            unsigned same = 0;
            for (unsigned j = k; j < WARP_LANES; j++) {
                if (w.alive >> j & 1 && w.lanes[j].at.line == at.line && w.lanes[j].at.file == at.file)
                    same |= 1u << j;
            }
            told |= same;
            complain("  warp %u, lanes %08x: %s:%d", i, same, at.file != nullptr ? at.file : "begin", at.line);
        }
    }
}

static void open_barrier(block &b)
{
    b.idle.times = 0;
    b.barrier.last_sum = b.barrier.sum;
    b.barrier.sum = false;
    b.barrier.waiting = 0;
    for (unsigned i = 0; i < b.warps; i++) {
        b.all[i].ready |= b.all[i].at_barrier;
        b.all[i].at_barrier = 0;
    }
}

/* The kernel has ended itself, and so this block. Its fibers stay as they are. */
[[noreturn]] static void leave_block(block &b)
{
    context_switch(&own_lane(b).place, &b.main);
    __builtin_unreachable();
}

/* False: none is asleep. */
static bool wake_lanes(block &b)
{
    bool any = false;
    for (unsigned i = 0; i < b.warps; i++)
        any |= b.all[i].asleep != 0;
    if (!any)
        return false;
    if (is_lost(b.what->device))
        leave_block(b);
    if (b.idle.times == 0)
        b.idle.since = seconds_now();
    show_some_stores();
    wait_a_moment(b.idle.times++);
    if (b.idle.times % 1024 == 0 && seconds_now() - b.idle.since > setting().patience) {
        say_where(b);
        give_up("what a block waits for did not come in %g s", setting().patience);
    }
    for (unsigned i = 0; i < b.warps; i++) {
        b.all[i].ready |= b.all[i].asleep;
        b.all[i].asleep = 0;
    }
    return true;
}

static void free_some_lanes(block &b)
{
    for (unsigned i = 0; i < b.warps; i++) {
        if (b.all[i].gathering != 0)
            return finish_gathering(b.all[i]);
    }
    if (b.barrier.waiting == b.alive) {
        open_barrier(b);
    } else if (!wake_lanes(b)) {
        say_where(b);
        give_up("all lanes wait for each other");
    }
}

/* ---- from lane to lane ---- */

static unsigned choose_bit(block &b, unsigned mask)
{
    if (!b.seeded)
        return (unsigned)__builtin_ctz(mask);
    const unsigned turn = next_random(b) % WARP_LANES;
    const unsigned turned = mask >> turn | (uint64_t)mask << (WARP_LANES - turn);
    return ((unsigned)__builtin_ctz(turned) + turn) % WARP_LANES;
}

/* A warp continues while it has lanes that can. */
static warp *find_warp(block &b)
{
    if (b.own != nullptr && b.own->ready != 0)
        return b.own;
    unsigned at = b.own != nullptr ? (unsigned)(b.own - b.all) : 0;
    if (b.seeded)
        at = next_random(b) % b.warps;
    for (unsigned i = 0; i < b.warps; i++) {
        warp &w = b.all[(at + i) % b.warps];
        if (w.ready != 0)
            return &w;
    }
    return nullptr;
}

/* Chooses the lane that continues; false if all have ended. */
static bool next_lane(block &b)
{
    warp *w = find_warp(b);
    for (; w == nullptr && b.alive > 0; w = find_warp(b))
        free_some_lanes(b);
    if (w == nullptr)
        return false;
    b.own = w;
    b.lane_index = choose_bit(b, w->ready);
    w->ready &= ~own_bit(b);
    threadIdx.x = (unsigned)(w - b.all) * WARP_LANES + b.lane_index;
    return true;
}

[[noreturn]] static void run_lanes();

void leave_lane()
{
    block &b = *running;
    lane &from = own_lane(b);
    next_lane(b);
    lane &to = own_lane(b);
    if (&to == &from)
        return;
    if (to.place.at == nullptr)
        context_make(&to.place, stack_take(), run_lanes);
    context_switch(&from.place, &to.place);
}

static void end_lane(block &b)
{
    warp &w = *b.own;
    w.alive &= ~own_bit(b);
    b.alive--;
    finish_meetings(w);
}

/* A fiber. It runs lane after lane until it comes to one that has a fiber. */
[[noreturn]] static void run_lanes()
{
    context_begun();
    block &b = *running;
    for (;;) {
        lane &own = own_lane(b);
        char *stack = own.place.stack;
        b.what->body();
        end_lane(b);
        context *next = next_lane(b) ? &own_lane(b).place : &b.main;
        if (next->at != nullptr) {
            stack_give(stack);
            context_switch(&own.place, next);
        }
        *next = context{stack, stack};
    }
}

void sleep_lane(site at)
{
    block &b = *running;
    own_lane(b).at = at;
    b.own->asleep |= own_bit(b);
    leave_lane();
}

void maybe_change_lanes()
{
    block &b = *running;
    if (!b.seeded || next_random(b) % 8 != 0)
        return;
    b.own->ready |= own_bit(b);
    leave_lane();
}

/* ---- blocks ---- */

static void begin_block(block &b, const grid &what, unsigned index)
{
    const unsigned random = (unsigned)b.random;
    const unsigned warps = (what.threads + WARP_LANES - 1) / WARP_LANES;
    memset((void *)&b, 0, offsetof(block, all) + warps * sizeof(warp));
    b.what = &what;
    b.index = index;
    b.warps = warps;
    b.seeded = setting().seed != 0;
    b.alive = what.threads;
    b.random = (setting().seed + 1) * 0x9e3779b97f4a7c15u + index * 0xbf58476d1ce4e5b9u + random;
    for (unsigned i = 0; i < b.warps; i++) {
        const unsigned left = what.threads - i * WARP_LANES;
        b.all[i].alive = b.all[i].ready = left >= WARP_LANES ? ~0u : (1u << left) - 1;
    }
}

void run_block(const grid &what, unsigned index)
{
    spoil_shared_memory(what.shared_bytes);
    block *&kept = own_state().kept;
    if (kept == nullptr)
        kept = new block();
    running = kept;
    begin_block(*kept, what, index);
    blockIdx = dim3(index);
    blockDim = dim3(what.threads);
    gridDim = dim3(what.blocks);
    next_lane(*kept);
    lane &first = own_lane(*kept);
    context_make(&first.place, stack_take(), run_lanes);
    context_switch(&kept->main, &first.place);
    show_stores();
    running = nullptr;
}

}

using namespace emulated;

void emulated_barrier(int value, site at)
{
    block &b = *running;
    if (b.barrier.waiting > 0 && b.barrier.at.line != at.line)
        give_up("kernel %s: lanes of a block wait at different barriers: %s:%d, %s:%d", b.what->name.c_str(),
                b.barrier.at.file, b.barrier.at.line, at.file, at.line);
    b.barrier.at = own_lane(b).at = at;
    b.barrier.sum |= value != 0;
    b.barrier.waiting++;
    b.own->at_barrier |= own_bit(b);
    leave_lane();
}

int emulated_barrier_or(int value, site at)
{
    emulated_barrier(value, at);
    return running->barrier.last_sum;
}

void emulated_trap()
{
    block &b = *running;
    is_lost(b.what->device) = true;
    leave_block(b);
}

void emulated_sleep(site at)
{
    sleep_lane(at);
}
