// The random families give glibc's numbers: rand, random with states of every size, rand_r, drand48 and its kin.
//@ native
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    printf("%d %d %ld\n", rand(), rand(), random());
    srand(42);
    for (int i = 0; i < 40; i++)
        printf("%d ", rand() % 1000);
    srandom(0);
    printf("\n%ld %ld\n", random(), random());
    unsigned seed = 7;
    printf("%d %d %d %u\n", rand_r(&seed), rand_r(&seed), rand_r(&seed), seed);
    static char small[8], middle[64], large[256];
    char *old = initstate(3, small, sizeof small);
    printf("%ld %ld ", random(), random());
    initstate(3, middle, sizeof middle);
    printf("%ld %ld ", random(), random());
    initstate(3, large, sizeof large);
    printf("%ld %ld ", random(), random());
    setstate(middle);
    printf("%ld ", random());
    setstate(old);
    printf("%ld\n", random());
    struct random_data data = {0};
    char room[128];
    int result;
    initstate_r(99, room, sizeof room, &data);
    random_r(&data, &result);
    printf("%d\n", result);
    srand48(5);
    printf("%.15f %ld %ld\n", drand48(), lrand48(), mrand48());
    unsigned short state[3] = {1, 2, 3};
    printf("%.15f %ld %ld\n", erand48(state), nrand48(state), jrand48(state));
    return 0;
}
