// A copy of 64 megabytes that another thread may see, step by step.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
static char *from, *to;
static void *looks(void *unused) { return to[5] == 1 ? from : unused; }
int main(void) {
    from = malloc(1 << 26);
    to = malloc(1 << 26);
    memset(from, 1, 1 << 26);
    memset(to, 0, 1 << 26);
    pthread_t thread;
    pthread_create(&thread, NULL, looks, NULL);
    memcpy(to, from, 1 << 26);
    pthread_join(thread, NULL);
    return 0;
}
