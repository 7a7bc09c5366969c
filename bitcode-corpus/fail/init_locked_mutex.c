// A mutex initialised again while it is held: its holder loses it.
#include <pthread.h>
#include <stddef.h>

int main(void) {
    pthread_mutex_t mutex;
    pthread_mutex_init(&mutex, NULL);
    pthread_mutex_lock(&mutex);
    pthread_mutex_init(&mutex, NULL); //~ ERROR: initialisation of a mutex that T0 main holds
    return 0;
}
