// A thread object dies while its thread can be joined.
#include <thread>

int main()
{
    std::thread worker([] {});
} //~ ERROR: is destroyed while it is joinable
