//@ native
// An initialisation that throws is tried again by whoever comes next.
#include <cstdio>

static int attempts;

struct Stubborn {
    Stubborn()
    {
        if (++attempts < 3) throw attempts;
    }
};

static void use() { static Stubborn stubborn; }

int main()
{
    for (int round = 0; round < 4; round++) {
        try {
            use();
            std::printf("made after %d\n", attempts);
        } catch (int attempt) {
            std::printf("attempt %d\n", attempt);
        }
    }
}
