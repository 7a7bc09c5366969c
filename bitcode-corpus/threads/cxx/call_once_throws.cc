// A routine that throws counts as not run.
//@ outcomes: 2
//@ native
#include <cstdio>
#include <mutex>

int main() {
    std::once_flag flag;
    int runs = 0;
    for (int time = 0; time < 3; time++) {
        try {
            std::call_once(flag, [&] {
                if (runs++ == 0)
                    throw 1;
            });
        } catch (int) {
        }
    }
    std::printf("%d\n", runs);
}
