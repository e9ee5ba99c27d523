/* grid.cc: see grid.h */
#include "grid.h"

#include "include/emulated_calls.h"
#include "lanes.h"
#include "settings.h"

#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

/* Shared memory whose size the launch gives. Kernels declare it by this name. */
extern "C++" thread_local unsigned char memory[];
alignas(1024) thread_local unsigned char memory[emulated::MOST_SHARED];

namespace emulated {

unsigned char *dynamic_memory()
{
    return memory;
}

/* A place among the thread-local variables. All others have the same distance from it in each thread. */
static __thread char anchor;

/* ---- threads of the system ---- */

/* threads are kept from launch to launch */
class region {
public:
    void give(std::function<void()> task)
    {
        std::unique_lock<std::mutex> lock(mutex);
        tasks.push_back(std::move(task));
        if (tasks.size() > idle)
            std::thread([this] { work(); }).detach();
        else
            changed.notify_one();
    }

private:
    std::mutex mutex;
    std::condition_variable changed;
    std::vector<std::function<void()>> tasks;
    size_t idle = 0;

    [[noreturn]] void work()
    {
        for (;;) {
            std::unique_lock<std::mutex> lock(mutex);
            idle++;
            changed.wait(lock, [this] { return !tasks.empty(); });
            idle--;
            const std::function<void()> task = std::move(tasks.back());
            tasks.pop_back();
            lock.unlock();
            task();
        }
    }
};

static region &blocks_crew()
{
    static region *all = new region; /* its threads outlive main */
    return *all;
}

/* ---- clusters ---- */

static void pass_if_complete(cluster &c)
{
    unsigned arrived = c.arrived;
    if (arrived > 0 && arrived == c.left && c.arrived.compare_exchange_strong(arrived, 0))
        c.passed++;
}

void meet_cluster(cluster &c)
{
    const unsigned before = c.passed;
    const double begin = seconds_now();
    c.arrived++;
    for (unsigned i = 0; c.passed == before; i++) {
        pass_if_complete(c);
        if (c.passed != before)
            break;
        wait_a_moment(i);
        if (i % 1024 == 1023 && seconds_now() - begin > setting().patience)
            give_up("the blocks of a cluster do not meet in %g s", setting().patience);
    }
}

/* Nobody leaves before all have come, as others read their shared memory. */
static void join_cluster(cluster &c, unsigned rank)
{
    c.memory[rank] = &anchor;
    for (unsigned i = 0; i < c.blocks; i++) {
        for (unsigned times = 0; c.memory[i] == nullptr; times++)
            wait_a_moment(times);
    }
}

/* ---- grids ---- */

static void run_together(const grid &what)
{
    std::vector<cluster> clusters(what.blocks / what.cluster);
    std::atomic<unsigned> left{what.blocks};
    for (unsigned i = 0; i < clusters.size(); i++) {
        clusters[i].blocks = clusters[i].left = what.cluster;
        clusters[i].first = i * what.cluster;
    }
    for (unsigned i = 0; i < what.blocks; i++) {
        cluster *team = &clusters[i / what.cluster];
        blocks_crew().give([=, &what, &left] {
            join_cluster(*team, i % what.cluster);
            run_block(what, i, team);
            team->left--;
            pass_if_complete(*team);
            left--; /* both are used for the last time */
        });
    }
    for (unsigned times = 0; left > 0; times++)
        wait_a_moment(times);
}

void run_grid(const grid &what)
{
    if (what.cooperative || what.cluster > 1)
        return run_together(what);
    for (unsigned i = 0; i < what.blocks; i++)
        run_block(what, i, nullptr);
}

}

using namespace emulated;

unsigned emulated_cluster_rank()
{
    const block &b = *running;
    return b.team != nullptr ? b.index - b.team->first : 0;
}

const void *emulated_in_cluster(const void *own, unsigned rank)
{
    const block &b = *running;
    if (b.team == nullptr)
        return own;
    if (rank >= b.team->blocks)
        give_up("kernel %s: the cluster has no block %u", b.what->name.c_str(), rank);
    return b.team->memory[rank].load() + ((const char *)own - &anchor);
}

unsigned long long emulated_nanoseconds()
{
    return (unsigned long long)(1e9 * setting().clock * seconds_now());
}
