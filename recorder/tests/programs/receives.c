/* Reads what another process sends over a socket, the clock and random numbers, and ends with a status made of it all. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

/* What a datagram is longer than the room for it is cut off, though its length is told. */
static int long_datagram(void) {
    struct sockaddr_in own = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof own;
    char sent[100] = {1}, room[4];
    int inbox = socket(AF_INET, SOCK_DGRAM, 0);
    if (bind(inbox, (struct sockaddr *)&own, sizeof own) != 0) return 0;
    if (getsockname(inbox, (struct sockaddr *)&own, &length) != 0) return 0;
    if (sendto(inbox, sent, sizeof sent, 0, (struct sockaddr *)&own, length) != sizeof sent) return 0;
    return recv(inbox, room, sizeof room, MSG_TRUNC) == sizeof sent;
}

int main(int count, char **arguments) {
    if (count < 2) return 2;
    struct sockaddr_in other = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    other.sin_port = htons((unsigned short)atoi(arguments[1]));
    int line = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(line, (struct sockaddr *)&other, sizeof other) != 0) return 3;
    unsigned char received[5], read_after[3];
    if (recv(line, received, sizeof received, MSG_WAITALL) != sizeof received) return 4;
    if (read(line, read_after, sizeof read_after) != sizeof read_after) return 5;
    struct timeval now;
    gettimeofday(&now, NULL);
    if (!long_datagram()) return 6;
    return 64 + ((received[4] + read_after[2] + (int)now.tv_usec + rand()) & 63);
}
