// A local socket bound to a family alone gets a name of five hexadecimal digits, which no other has.
//@ native
#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

static struct sockaddr_un found;

static void bind_somewhere(int file) {
    struct sockaddr_un family = {.sun_family = AF_UNIX};
    socklen_t length = sizeof found;
    memset(&found, 0, sizeof found);
    printf("%d ", bind(file, (struct sockaddr *)&family, sizeof(sa_family_t)));
    getsockname(file, (struct sockaddr *)&found, &length);
    int digits = 0;
    for (int at = 1; at < 6; at++) digits += isxdigit((unsigned char)found.sun_path[at]) != 0;
    printf("%u %d %d\n", length, found.sun_path[0], digits);
}

int main(void) {
    int server = socket(AF_UNIX, SOCK_STREAM, 0), other = socket(AF_UNIX, SOCK_STREAM, 0);
    bind_somewhere(server);
    struct sockaddr_un first = found;
    bind_somewhere(server);
    printf("%d\n", memcmp(&first, &found, sizeof found));
    bind_somewhere(other);
    printf("%d ", memcmp(&first, &found, sizeof found) != 0);
    printf("%d ", listen(server, 1));
    printf("%d\n", connect(other, (struct sockaddr *)&first, offsetof(struct sockaddr_un, sun_path) + 6));
    return 0;
}
