//@ native
// What is already constructed is destroyed, in reverse: members, bases, elements of an array; memory is given back.
//@ flags: --check leak --check memory --check abort
#include <cstdio>

static int made;

struct Part {
    int number;
    Part() : number(++made)
    {
        if (number == 6) throw number;
        std::printf("+%d\n", number);
    }
    ~Part() { std::printf("-%d\n", number); }
};

struct Base { Part part; };
struct Whole : Base {
    Part first, second;
    Part rest[3];
};

int main()
{
    try {
        new Whole;
    } catch (int number) {
        std::printf("caught %d\n", number);
    }
    made = 3;
    try {
        new Part[4];
    } catch (int number) {
        std::printf("caught %d\n", number);
    }
    made = 5;
    try {
        Part automatic;
    } catch (int number) {
        std::printf("caught %d\n", number);
    }
}
