// Clients wait for a connection of a pool or for its end. The pool is shut down without its lock: a client that
// has looked whether it is, and does not sleep yet, is not woken, and sleeps for ever.
#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#ifndef CLIENTS
#define CLIENTS 2
#endif

namespace net {

class Connection {
    std::string host;
    int requests = 0;

  public:
    explicit Connection(std::string host) : host(std::move(host)) {}

    int request(int argument) {
        requests++;
        return argument + static_cast<int>(host.size());
    }
};

class Pool {
    std::mutex lock;
    std::condition_variable changed;
    std::vector<std::unique_ptr<Connection>> idle;
    std::atomic<bool> is_shut_down{false};

  public:
    explicit Pool(int size) {
        for (int number = 0; number < size; number++)
            idle.push_back(std::make_unique<Connection>("db"));
    }

    // Null once the pool is shut down.
    std::unique_ptr<Connection> acquire() {
        std::unique_lock<std::mutex> hold(lock);
        while (idle.empty()) {
            if (is_shut_down)
                return nullptr;
            changed.wait(hold); //~ ERROR: deadlock
        }
        auto connection = std::move(idle.back());
        idle.pop_back();
        return connection;
    }

    void release(std::unique_ptr<Connection> connection) {
        std::unique_lock<std::mutex> hold(lock);
        idle.push_back(std::move(connection));
        changed.notify_one();
    }

    void shut_down() {
        is_shut_down = true;
        changed.notify_all();
    }
};

// Gives its connection back whatever happens.
class Lease {
    Pool &pool;
    std::unique_ptr<Connection> connection;

  public:
    explicit Lease(Pool &pool) : pool(pool), connection(pool.acquire()) {}
    Lease(const Lease &) = delete;
    Lease &operator=(const Lease &) = delete;

    ~Lease() {
        if (connection)
            pool.release(std::move(connection));
    }

    bool is_there() const { return connection != nullptr; }
    int request(int argument) { return connection->request(argument); }
};

class Client {
    Pool &pool;
    int answers = 0;

  public:
    explicit Client(Pool &pool) : pool(pool) {}

    void run() {
        Lease lease(pool);
        if (lease.is_there())
            answers += lease.request(answers);
    }
};

} // namespace net

int main() {
    using namespace net;
    // No connection could be made.
    Pool pool(0);
    std::vector<std::thread> clients;
    for (int number = 0; number < CLIENTS; number++)
        clients.emplace_back([&] { Client(pool).run(); });
    pool.shut_down();
    for (std::thread &client : clients)
        client.join();
    return 0;
}
