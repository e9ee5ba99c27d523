/* grid.cc: see grid.h */
#include "grid.h"

#include "include/emulated_calls.h"
#include "lanes.h"
#include "settings.h"

#include <atomic>
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

static region &blocks_region()
{
    static region *all = new region; /* its threads outlive main */
    return *all;
}

/* ---- grids ---- */

static void run_together(const grid &what)
{
    std::atomic<unsigned> left{what.blocks};
    for (unsigned i = 0; i < what.blocks; i++) {
        blocks_region().give([=, &what, &left] {
            run_block(what, i);
            left--; /* used for the last time */
        });
    }
    for (unsigned times = 0; left > 0; times++)
        wait_a_moment(times);
}

void run_grid(const grid &what)
{
    if (what.cooperative)
        return run_together(what);
    for (unsigned i = 0; i < what.blocks; i++)
        run_block(what, i);
}

}

using namespace emulated;

unsigned long long emulated_nanoseconds()
{
    return (unsigned long long)(1e9 * setting().clock * seconds_now());
}
