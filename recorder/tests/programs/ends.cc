// Ends by a fault of the memory behind a file, an exception nobody catches, or what a loaded library does.
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdexcept>
#include <sys/mman.h>
#include <unistd.h>

static void throws(int depth) {
    if (depth == 0) throw std::runtime_error("nobody catches this");
    throws(depth - 1);
}

static int reads_past_the_end() {
    char name[] = "/tmp/symx-recording-XXXXXX";
    int file = mkstemp(name);
    unlink(name);
    volatile char *bytes = static_cast<char *>(mmap(nullptr, 4096, PROT_READ, MAP_SHARED, file, 0));
    return bytes[0];
}

int main(int count, char **arguments) {
    if (count < 2) return 2;
    if (std::strcmp(arguments[1], "throw") == 0) throws(3);
    if (std::strcmp(arguments[1], "bus") == 0) return reads_past_the_end();
    if (std::strcmp(arguments[1], "leave") == 0) _exit(9);
    if (std::strcmp(arguments[1], "load") == 0) return dlopen("libm.so.6", RTLD_NOW) == nullptr;
    return 2;
}
