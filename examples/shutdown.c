// A server that is freed on shutdown while its worker may still be about to lock it: a use after free.
//
//     symx run examples/shutdown.c
//
// It ends with exit code 1 and prints, among other lines:
//
//     use-after-free: T0 main frees *server (shutdown.c:38), before T1 serve locks server->lock (:23)
//       (order violation).
//     suggested fix: let T0 main wait at shutdown.c:38 until T1 serve has passed :26, e.g. join the thread
//       or wait for a flag. Verified: no failure in any execution.

#include <pthread.h>
#include <stdlib.h>

struct server {
    pthread_mutex_t lock;
    int stopping;
    int requests;
};

static void *serve(void *argument) {
    struct server *server = argument;
    pthread_mutex_lock(&server->lock);
    if (!server->stopping)
        server->requests++;
    pthread_mutex_unlock(&server->lock);
    return NULL;
}

int main(void) {
    struct server *server = calloc(1, sizeof *server);
    pthread_mutex_init(&server->lock, NULL);
    pthread_t worker;
    pthread_create(&worker, NULL, serve, server);
    pthread_mutex_lock(&server->lock);
    server->stopping = 1;
    pthread_mutex_unlock(&server->lock);
    free(server);
    pthread_join(worker, NULL);
    return 0;
}
