/* More paths than a unit holds: a switch of 20,000 cases that all store something else. */
#include <stdlib.h>

static volatile int kept;

#define ONE(n) case n: kept = (n) * 3; break;
#define TEN(n) ONE(n) ONE(n + 1) ONE(n + 2) ONE(n + 3) ONE(n + 4) ONE(n + 5) ONE(n + 6) ONE(n + 7) ONE(n + 8) ONE(n + 9)
#define HUNDRED(n) TEN(n) TEN(n + 10) TEN(n + 20) TEN(n + 30) TEN(n + 40) TEN(n + 50) TEN(n + 60) TEN(n + 70) TEN(n + 80) TEN(n + 90)
#define THOUSAND(n) HUNDRED(n) HUNDRED(n + 100) HUNDRED(n + 200) HUNDRED(n + 300) HUNDRED(n + 400) HUNDRED(n + 500) HUNDRED(n + 600) HUNDRED(n + 700) HUNDRED(n + 800) HUNDRED(n + 900)
#define FIVE_THOUSAND(n) THOUSAND(n) THOUSAND(n + 1000) THOUSAND(n + 2000) THOUSAND(n + 3000) THOUSAND(n + 4000)

static int look_up(int x) {
    switch (x) { FIVE_THOUSAND(0) FIVE_THOUSAND(5000) FIVE_THOUSAND(10000) FIVE_THOUSAND(15000) }
    return kept;
}

int main(void) {
    int sum = 0;
    for (int i = 0; i < 20000; i += 977) sum += look_up(i);
    if (look_up(19999) == 59997) abort();
    return sum;
}
