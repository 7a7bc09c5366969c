/* A client within memcached, for ./x real: a thread that connects over the loopback as soon as the server listens at the
   port below, holds a session, prints every answer and ends the process. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define PORT 11299
#define PAIRS 200

static int connected(void) {
    struct sockaddr_in server = {
        .sin_family = AF_INET, .sin_port = htons(PORT), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    for (int tries = 0; tries < 200; tries++) {
        int client = socket(AF_INET, SOCK_STREAM, 0);
        if (connect(client, (struct sockaddr *)&server, sizeof server) == 0) return client;
        close(client);
        usleep(50000);
    }
    fprintf(stderr, "no server listens\n");
    exit(1);
}

/* An answer is one line, or lines up to END where values come. */
static int complete(const char *answer, size_t length) {
    if (length < 2 || memcmp(answer + length - 2, "\r\n", 2)) return 0;
    return strncmp(answer, "VALUE ", 6) || (length >= 5 && !memcmp(answer + length - 5, "END\r\n", 5));
}

static void ask(int client, const char *request) {
    static char answer[8192];
    size_t length = 0;
    ssize_t count;
    if (write(client, request, strlen(request)) < 0) exit(2);
    while (!complete(answer, length) && (count = read(client, answer + length, sizeof answer - length)) > 0)
        length += count;
    fwrite(answer, 1, length, stdout);
}

static void *session(void *unused) {
    static const char *const requests[] = {
        "set a 0 0 5\r\nhello\r\n", "get a\r\n", "add a 0 0 1\r\nx\r\n", "append a 7 0 3\r\n!!!\r\n", "gets a\r\n",
        "set n 0 0 2\r\n41\r\n", "incr n 1\r\n", "decr n 10\r\n", "cas n 0 0 1 1\r\n0\r\n", "delete a\r\n", "get a\r\n",
        "get a n\r\n", "no such request\r\n", "touch n 0\r\n", "mg n v t f\r\n", "verbosity 0\r\n"};
    char request[1200];
    int client = connected();
    for (size_t index = 0; index < sizeof requests / sizeof *requests; index++) ask(client, requests[index]);
    for (int index = 0; index < PAIRS; index++) {
        int length = 1 + index * 37 % 1000;
        int head = snprintf(request, sizeof request, "set key%d %d 0 %d\r\n", index, index % 3, length);
        memset(request + head, 'a' + index % 26, length);
        memcpy(request + head + length, "\r\n", 3);
        ask(client, request);
    }
    for (int index = PAIRS - 1; index >= 0; index -= 3) {
        snprintf(request, sizeof request, "get key%d key%d\r\n", index, index + 1);
        ask(client, request);
    }
    ask(client, "flush_all\r\n");
    ask(client, "get key7\r\n");
    close(client);
    exit(0);
}

__attribute__((constructor)) static void begin(void) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, session, NULL) || pthread_detach(thread)) exit(3);
}
