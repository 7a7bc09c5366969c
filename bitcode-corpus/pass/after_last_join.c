// What main does after its last join nobody can notice: it forks no schedules, and a second pair of threads finds all of it.
//@ native
//@ executions[sc]: 4
//@ outcomes: 3-5
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int sum;

static void *add(void *amount) {
    pthread_mutex_lock(&lock);
    sum += *(int *)amount;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void add_both(int first, int second) {
    pthread_t one, other;
    pthread_create(&one, NULL, add, &first);
    pthread_create(&other, NULL, add, &second);
    pthread_join(one, NULL);
    pthread_join(other, NULL);
}

int main(void) {
    add_both(1, 2);
    pthread_mutex_lock(&lock);
    printf("%d-", sum);
    sum = 0;
    pthread_mutex_unlock(&lock);
    add_both(2, 3);
    pthread_mutex_lock(&lock);
    printf("%d", sum);
    pthread_mutex_unlock(&lock);
    return 0;
}
