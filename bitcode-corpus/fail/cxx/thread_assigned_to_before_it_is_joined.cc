// A thread object that can be joined gets another thread.
#include <thread>

struct Pool {
    int size = 1;
    std::thread worker{[] {}};
};

int main()
{
    Pool pool;
    pool.worker = std::thread([] {}); //~ ERROR: is assigned to while it is joinable
    pool.worker.join();
}
