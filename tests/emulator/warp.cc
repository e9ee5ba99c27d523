/* warp.cc: operations of a warp: lanes that name each other in a mask wait until all of them have come */
#include "include/emulated_calls.h"
#include "lanes.h"

namespace emulated {

/* The value that a lane reads from one that takes no part. Nobody may rely on it. */
static const uint64_t POISON = 0xdeadbeefdeadbeefu;

static uint64_t match(const warp &w, const meeting &m, uint64_t value)
{
    uint64_t same = 0;
    for (unsigned i = 0; i < WARP_LANES; i++) {
        if (m.arrived >> i & 1 && w.lanes[i].value == value)
            same |= UINT64_C(1) << i;
    }
    return same;
}

/* the part that is the same for all lanes */
static uint64_t combine(const warp &w, const meeting &m)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < WARP_LANES; i++) {
        const uint64_t value = m.arrived >> i & 1 ? w.lanes[i].value : 0;
        if (m.operation == WARP_BALLOT)
            sum |= (uint64_t)(value != 0) << i;
        else if (m.operation == WARP_ADD)
            sum = (unsigned)(sum + value);
        else if (m.operation == WARP_MAX)
            sum = value > sum ? value : sum;
    }
    return sum;
}

static void complete(warp &w, const meeting &m)
{
    const uint64_t sum = combine(w, m);
    for (unsigned i = 0; i < WARP_LANES; i++) {
        lane &own = w.lanes[i];
        if (!(m.arrived >> i & 1))
            continue;
        own.result = sum;
        if (m.operation == WARP_SHUFFLE)
            own.result = m.arrived >> own.source & 1 ? w.lanes[own.source].value : POISON;
        else if (m.operation == WARP_MATCH)
            own.result = match(w, m, own.value);
    }
    w.ready |= m.arrived;
    running->idle.times = 0;
}

static bool is_complete(const warp &w, const meeting &m)
{
    return (m.mask & w.alive & ~m.arrived) == 0;
}

void finish_meetings(warp &w)
{
    for (unsigned i = 0; i < w.meetings;) {
        if (is_complete(w, w.met[i])) {
            complete(w, w.met[i]);
            w.met[i] = w.met[--w.meetings];
        } else {
            i++;
        }
    }
}

static unsigned find_meeting(warp &w, unsigned mask, warp_operation operation, site at)
{
    unsigned i = 0;
    while (i < w.meetings && w.met[i].mask != mask)
        i++;
    if (i == w.meetings)
        w.met[w.meetings++] = meeting{mask, 0, operation};
    if (w.met[i].operation != operation)
        give_up("kernel %s: lanes of a warp meet in different operations at %s:%d", running->what->name.c_str(), at.file,
                at.line);
    return i;
}

/* Finds the lanes with this one: those that ask at the same place when no other lane can continue. */
void finish_gathering(warp &w)
{
    const lane &first = w.lanes[__builtin_ctz(w.gathering)];
    unsigned here = 0;
    for (unsigned i = 0; i < WARP_LANES; i++) {
        const site &at = w.lanes[i].at;
        if (w.gathering >> i & 1 && at.line == first.at.line && at.file == first.at.file)
            here |= 1u << i;
    }
    for (unsigned i = 0; i < WARP_LANES; i++) {
        if (here >> i & 1)
            w.lanes[i].result = here;
    }
    w.gathering &= ~here;
    w.ready |= here;
}

}

using namespace emulated;

static uint64_t meet(warp_operation operation, unsigned mask, uint64_t value, unsigned source, site at)
{
    block &b = *running;
    warp &w = *b.own;
    lane &own = own_lane(b);
    if (!(mask & own_bit(b)))
        give_up("kernel %s: a lane is not in its own mask at %s:%d", b.what->name.c_str(), at.file, at.line);
    own.at = at;
    own.value = value;
    own.source = source % WARP_LANES;
    const unsigned i = find_meeting(w, mask, operation, at);
    w.met[i].arrived |= own_bit(b);
    if (is_complete(w, w.met[i])) {
        const meeting m = w.met[i];
        w.met[i] = w.met[--w.meetings];
        complete(w, m);
    }
    leave_lane();
    return own.result;
}

unsigned emulated_lane()
{
    return running->lane_index;
}

uint64_t emulated_shuffle(unsigned mask, uint64_t value, unsigned source, site at)
{
    return meet(WARP_SHUFFLE, mask, value, source, at);
}

unsigned emulated_ballot(unsigned mask, bool value, site at)
{
    return (unsigned)meet(WARP_BALLOT, mask, value, 0, at);
}

unsigned emulated_match(unsigned mask, uint64_t value, site at)
{
    return (unsigned)meet(WARP_MATCH, mask, value, 0, at);
}

unsigned emulated_add(unsigned mask, unsigned value, site at)
{
    return (unsigned)meet(WARP_ADD, mask, value, 0, at);
}

unsigned emulated_max(unsigned mask, unsigned value, site at)
{
    return (unsigned)meet(WARP_MAX, mask, value, 0, at);
}

void emulated_sync(unsigned mask, site at)
{
    meet(WARP_SYNC, mask, 0, 0, at);
}

unsigned emulated_active(site at)
{
    block &b = *running;
    lane &own = own_lane(b);
    own.at = at;
    b.own->gathering |= own_bit(b);
    leave_lane();
    return (unsigned)own.result;
}

void emulated_change_lanes()
{
    maybe_change_lanes();
}
