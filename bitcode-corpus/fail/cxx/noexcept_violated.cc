// An exception meets a function that promised none.
//@ cflags: -O0
#include <string>

static void helper() { throw std::string("oops"); } //~ NOTE: it was thrown here

static void promised() noexcept
{
    std::string local("kept"); //~ ERROR: uncaught exception of type `std::
    helper();
}

int main()
{
    try {
        promised();
    } catch (const std::string &) {
    }
}
