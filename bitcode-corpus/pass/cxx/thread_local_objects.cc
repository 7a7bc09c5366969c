//@ native
// Thread-local objects are destroyed at the end of their thread, last made first, before keys' values; the main
// thread's before what exit destroys.
#include <cstdio>
#include <pthread.h>
#include <thread>

static const char *events[16];
static int count;

struct Loud {
    const char *name;
    explicit Loud(const char *name) : name(name) {}
    ~Loud() { events[count++] = name; }
    void touch() { events[count++] = "touched"; }
};

// Destroyed last.
struct Report {
    ~Report()
    {
        for (int i = 0; i < count; i++) std::printf("%s\n", events[i]);
    }
};
static Report report;

thread_local Loud one("one");
thread_local Loud two("two");
static Loud global("global");

static void end_of_key(void *value) { events[count++] = static_cast<const char *>(value); }

int main()
{
    pthread_key_t key;
    pthread_key_create(&key, end_of_key);
    std::thread worker([key] {
        pthread_setspecific(key, "value");
        two.touch();
        one.touch();
        thread_local Loud three("three");
        three.touch();
    });
    worker.join();
    one.touch();
}
