// More descriptors asked for than there can be, one by one and as a set.
#include <poll.h>
#include <stdlib.h>
#include <sys/select.h>
int main(void) {
    int count = 1 << 25;
    struct pollfd *all = calloc(count, sizeof *all);
    fd_set *set = calloc(1, 1 << 24);
    if (all == NULL || set == NULL) return 0;
    for (;;) {
        struct timeval now = {0, 0};
        if (poll(all, count, 0) > 0) return 1;
        if (select(1 << 27, set, NULL, NULL, &now) > 0) return 1;
    }
}
