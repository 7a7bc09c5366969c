// Four bytes are asked for and three are there: the fourth is left alone.
//@ flags: --check race
#include <pthread.h>
#include <unistd.h>

int ends[2];
char buffer[4], seen;

static void *one(void *unused) {
    pipe(ends);
    write(ends[1], "abc", 3);
    read(ends[0], buffer, 4);
    return unused;
}

static void *two(void *unused) {
    seen = buffer[3];
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, one, NULL);
    pthread_create(&threads[1], NULL, two, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
