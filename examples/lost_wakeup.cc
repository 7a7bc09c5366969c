// A queue that is closed without its lock. A consumer looks, is signalled before it waits, and
// waits forever.
//
//     symx run examples/lost_wakeup.cc
//
// It ends with exit code 1 and prints, among other lines:
//
//     lost-wakeup: T1 lambda lost_wakeup.cc:54 waits on `queue.changed` (lost_wakeup.cc:43) after T0 main
//       sent the last signal (:37): no thread was waiting then.
//     suggested fix: hold the mutex of the wait around lost_wakeup.cc:42-43 in T1 lambda lost_wakeup.cc:54
//       and at every other access to `queue.closed` and `queue.changed`. Verified: no failure in any execution.

#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <optional>
#include <queue>
#include <thread>

template <class T> class Queue {
    std::mutex mutex;
    std::condition_variable changed;
    std::queue<T> items;
    bool closed = false;

public:
    void push(T item) {
        {
            std::lock_guard lock(mutex);
            items.push(std::move(item));
        }
        changed.notify_one();
    }

    void close() {
        closed = true;
        changed.notify_all();
    }

    std::optional<T> pop() {
        std::unique_lock lock(mutex);
        while (items.empty() && !closed)
            changed.wait(lock);
        if (items.empty())
            return {};
        T item = std::move(items.front());
        items.pop();
        return item;
    }
};

int main() {
    Queue<int> queue;
    std::thread consumer([&] {
        int sum = 0;
        while (auto item = queue.pop())
            sum += *item;
        std::printf("sum %d\n", sum);
    });
    for (int i = 1; i <= 2; i++)
        queue.push(i);
    queue.close();
    consumer.join();
}
