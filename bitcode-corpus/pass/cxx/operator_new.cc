//@ native
//@ flags: --check leak --check memory --check abort
// The forms of new and delete; bad_alloc from a request nobody can serve, with a handler before.
#include <cstdint>
#include <cstdio>
#include <new>

struct alignas(64) Line { char bytes[64]; };

static int handled;

int main()
{
    int *one = new int(1), *many = new int[4]{1, 2, 3, 4};
    Line *line = new Line, *lines = new Line[2];
    std::printf("%d %d %d %d\n", *one, many[3], int(reinterpret_cast<std::uintptr_t>(line) % 64),
        int(reinterpret_cast<std::uintptr_t>(lines) % 64));
    delete one;
    delete[] many;
    delete line;
    delete[] lines;
    int *quiet = new (std::nothrow) int(5);
    std::printf("%d\n", *quiet);
    ::operator delete(quiet, std::nothrow);
    ::operator delete(::operator new(0));
    volatile std::size_t huge = PTRDIFF_MAX;
    std::printf("%d\n", ::operator new(huge, std::nothrow) == nullptr);
    std::set_new_handler([] {
        handled++;
        std::set_new_handler(nullptr);
    });
    try {
        ::operator delete(::operator new(huge));
    } catch (const std::bad_alloc &error) {
        std::printf("%s, handler called %d times\n", error.what(), handled);
    }
    volatile long negative = -1;
    try {
        delete[] new int[negative];
    } catch (const std::bad_array_new_length &error) {
        std::printf("%s\n", error.what());
    }
}
