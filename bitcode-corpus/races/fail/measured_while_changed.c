// strlen reads up to the end of a string that another thread shortens.
//@ flags: --check race
#include <pthread.h>
#include <string.h>

char name[] = "long name";
size_t length;

static void *one(void *unused) {
    name[4] = 0; //~ ERROR: data race on
    return unused;
}

static void *two(void *unused) {
    length = strlen(name);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, one, NULL);
    pthread_create(&threads[1], NULL, two, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
