//@ native
// Destructors see that an exception is on its way; those that throw and catch inside do not disturb it.
#include <cstdio>
#include <exception>

struct Guard {
    int outer = std::uncaught_exceptions();
    ~Guard()
    {
        bool failing = std::uncaught_exceptions() > outer;
        std::printf("%s\n", failing ? "roll back" : "commit");
        try {
            if (failing) throw 1.5;
        } catch (double number) {
            std::printf("inside %g\n", number);
        }
    }
};

int main()
{
    { Guard guard; }
    try {
        Guard guard;
        throw 3;
    } catch (int number) {
        std::printf("%d\n", number);
    }
}
