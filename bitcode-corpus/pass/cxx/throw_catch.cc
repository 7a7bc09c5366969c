//@ native
// An exception leaves several frames: destructors run from the inside out, the first handler of a base class catches.
#include <cstdio>
#include <stdexcept>

struct Loud {
    const char *name;
    explicit Loud(const char *name) : name(name) { std::printf("+%s\n", name); }
    ~Loud() { std::printf("-%s\n", name); }
};

static void innermost(int code)
{
    Loud loud("innermost");
    if (code == 1) throw std::out_of_range("far");
    if (code == 2) throw code;
    if (code == 3) throw "text";
    std::printf("no exception\n");
}

static void middle(int code)
{
    Loud first("first"), second("second");
    try {
        innermost(code);
    } catch (const std::invalid_argument &) {
        std::printf("not this one\n");
    }
}

int main()
{
    for (int code = 0; code < 4; code++) {
        try {
            Loud loud("outer");
            middle(code);
        } catch (const std::logic_error &error) {
            std::printf("logic_error: %s\n", error.what());
        } catch (int number) {
            std::printf("int: %d\n", number);
        } catch (...) {
            std::printf("something\n");
        }
    }
}
