// A thread object dies while its thread can be joined.
#include <thread>

int main()
{
    std::thread worker([] {});
} //~ ERROR: std::terminate called without an active exception
