//@ native
// A terminate handler of the program's own knows what was thrown.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>

static void handler()
{
    try {
        std::rethrow_exception(std::current_exception());
    } catch (const std::exception &error) {
        std::printf("terminated by %s\n", error.what());
    }
    std::fflush(stdout);
    std::_Exit(4);
}

static void quiet() noexcept { throw std::runtime_error("escaped"); }

int main()
{
    std::set_terminate(handler);
    quiet();
}
