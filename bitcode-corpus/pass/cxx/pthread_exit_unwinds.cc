//@ native
// A thread that ends by pthread_exit destroys what is on its stack; handlers see it pass if they let it.
#include <cstdio>
#include <cxxabi.h>
#include <pthread.h>

static const char *events[16];
static int count;

struct Loud {
    const char *name;
    ~Loud() { events[count++] = name; }
};

static void leave()
{
    Loud loud{"inner"};
    pthread_exit(const_cast<char *>("left"));
}

static void *run(void *)
{
    Loud outer{"outer"};
    try {
        leave();
    } catch (const abi::__forced_unwind &) {
        events[count++] = "seen";
        throw;
    }
    return nullptr;
}

int main()
{
    pthread_t thread;
    void *result;
    pthread_create(&thread, nullptr, run, nullptr);
    pthread_join(thread, &result);
    for (int i = 0; i < count; i++) std::printf("%s\n", events[i]);
    std::printf("%s\n", static_cast<char *>(result));
}
