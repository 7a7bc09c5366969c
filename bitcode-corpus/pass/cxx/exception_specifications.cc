//@ native
//@ cflags: -std=c++14
// What is let through by a specification goes on; the handler of those that are not ends the program.
#include <cstdio>
#include <cstdlib>
#include <exception>

static void listed(int code) throw(int, const char *)
{
    if (code == 0) throw 5;
    if (code == 1) throw "text";
    throw 2.5;
}

static void unexpected()
{
    std::printf("unexpected\n");
    std::fflush(stdout);
    std::exit(3);
}

int main()
{
    std::set_unexpected(unexpected);
    for (int code = 0; code < 3; code++) {
        try {
            listed(code);
        } catch (int number) {
            std::printf("int %d\n", number);
        } catch (const char *text) {
            std::printf("text %s\n", text);
        }
    }
}
