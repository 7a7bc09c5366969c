// Which of main and `one` writes last decides the output only where `two` has written before both: else that hides it.
// Under weak no execution that is looked at shows it.
//@ races[sc,tso,pso]: output-differs at 36 17
//@ races[sc,tso,pso]: output-differs at 36 26
//@ races[weak]: k-witness-harmless at 36 17
//@ races[weak]: k-witness-harmless at 36 26
//@ races: k-witness-harmless at 17 26
//@ races: k-witness-harmless at 37 19
#include <pthread.h>
#include <stdio.h>

int volatile x, y;
pthread_mutex_t of_one = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t of_two = PTHREAD_MUTEX_INITIALIZER;

static void *one(void *unused) {
    x = 2;
    pthread_mutex_lock(&of_one);
    y = 2;
    pthread_mutex_unlock(&of_one);
    return unused;
}

static void *two(void *unused) {
    pthread_mutex_lock(&of_two);
    x = 2;
    pthread_mutex_unlock(&of_two);
    return unused;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, one, NULL);
    pthread_create(&second, NULL, two, NULL);

    x = 1;
    y = 2;
    pthread_join(second, NULL);
    pthread_join(first, NULL);
    printf("%d\n", x);
    return 0;
}
