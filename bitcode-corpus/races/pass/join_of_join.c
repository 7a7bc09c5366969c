// Joining a thread that joined another comes after both.
//@ flags: --check race
#include <pthread.h>

pthread_t first;
int data;

static void *one(void *unused) {
    data = 1;
    return unused;
}

static void *two(void *unused) {
    pthread_join(first, NULL);
    return unused;
}

int main(void) {
    pthread_t second;
    pthread_create(&first, NULL, one, NULL);
    pthread_create(&second, NULL, two, NULL);
    pthread_join(second, NULL);
    data = 2;
    return 0;
}
