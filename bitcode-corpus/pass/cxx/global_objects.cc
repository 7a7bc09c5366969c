//@ native
// Objects of the program live around main: constructed in order, destroyed in reverse, with atexit between.
#include <cstdio>
#include <cstdlib>

struct Loud {
    const char *name;
    explicit Loud(const char *name) : name(name) { std::printf("+%s\n", name); }
    ~Loud() { std::printf("-%s\n", name); }
};

static Loud first("first");
Loud second("second");
__attribute__((init_priority(200))) Loud early("early");

static Loud &local()
{
    static Loud loud("local");
    return loud;
}

int main()
{
    std::atexit([] { std::printf("atexit\n"); });
    local();
    local();
    std::printf("main\n");
}
