//@ native
// `throw;` passes the same exception on; an exception thrown while another is handled hides it until it is caught.
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>

static void rethrow()
{
    try {
        throw std::runtime_error("first");
    } catch (std::runtime_error &error) {
        std::printf("seen %s\n", error.what());
        throw;
    }
}

static void print(const std::exception &error, int depth)
{
    std::printf("%*s%s\n", depth, "", error.what());
    try {
        std::rethrow_if_nested(error);
    } catch (const std::exception &inner) {
        print(inner, depth + 1);
    }
}

int main()
{
    try {
        rethrow();
    } catch (const std::exception &error) {
        std::printf("again %s\n", error.what());
        try {
            throw 7;
        } catch (int number) {
            std::printf("within %d, outer still %s\n", number, error.what());
        }
    }
    try {
        try {
            throw std::logic_error("inner");
        } catch (...) {
            std::throw_with_nested(std::runtime_error("outer"));
        }
    } catch (const std::exception &error) {
        print(error, 0);
    }
    std::printf("%d in flight\n", std::uncaught_exceptions());
}
