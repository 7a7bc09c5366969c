// After MySQL 3596: a thread checks that a text is there and prints it; another one takes it away between.
//@ predictor: atomicity RWR 12 18 13
//@ sketch: a:12 b:18 a:13
#include <pthread.h>
#include <string.h>

static char *volatile proc_info = "sleeping";
static volatile unsigned long written;

static void *show_processes(void *unused) {
    // The other thread is not kept from going on between the two.
    if (proc_info)
        written = strlen(proc_info); //~ ERROR: null
    return unused;
}

static void *finish(void *unused) {
    proc_info = NULL;
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, show_processes, NULL);
    pthread_create(&threads[1], NULL, finish, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
