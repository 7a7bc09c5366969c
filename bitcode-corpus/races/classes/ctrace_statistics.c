// Figure 15: the statistics thread looks at `id` twice without the lock. Whether that overflows the array depends on an
// option and on the one value at which both looks disagree.
//@ cflags: -O0 -Xclang -disable-O0-optnone
//@ races[sc,tso,pso,weak]: k-witness-harmless at 20 27
//@ races[sc,tso,pso,weak]: spec-violated at 20 32
//@ races[sc,tso,pso,weak]: spec-violated at 20 33
//@ flags: --sym-args 0 1 2
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { MAX_SIZE = 4 };
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int id = MAX_SIZE - 2, use_hash_table;
int hash_table[16], statistics[MAX_SIZE];

static void *handle_requests(void *unused) {
    for (int request = 0; request < 2; request++) {
        pthread_mutex_lock(&lock);
        id++;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

static void update_hash_table(void) {
    int now = id;
    hash_table[now] = 1;
}

static void update_array(void) {
    if (id < MAX_SIZE)
        statistics[id] = 1;
}

static void *update_statistics(void *unused) {
    if (use_hash_table)
        update_hash_table();
    else
        update_array();
    return unused;
}

int main(int argc, char **argv) {
    pthread_t threads[2];
    use_hash_table = argc > 1 && strcmp(argv[1], "h") == 0;
    pthread_create(&threads[0], NULL, handle_requests, NULL);
    pthread_create(&threads[1], NULL, update_statistics, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    puts("done");
    return 0;
}
