// A number of 128 bits is stored in two halves while another thread reads it twice, a half at a time. Each
// half is seen as it was when it was read.
//@ outcomes[sc,tso]: 0000 0001 0010 0011 0111 1010 1011 1111
//@ outcomes[pso]: 0000 0001 0010 0011 0101 0111 1010 1011 1111

#include <pthread.h>
#include <stdio.h>

static volatile __int128 number;
static int seen[4];

static void *fill(void *unused) {
    number = -1;
    return unused;
}

static void *look(void *unused) {
    for (int time = 0; time < 2; time++) {
        __int128 now = number;
        seen[2 * time] = (long)now != 0;
        seen[2 * time + 1] = (long)(now >> 64) != 0;
    }
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, fill, NULL);
    pthread_create(&threads[1], NULL, look, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    printf("%d%d%d%d\n", seen[0], seen[1], seen[2], seen[3]);
    return 0;
}
