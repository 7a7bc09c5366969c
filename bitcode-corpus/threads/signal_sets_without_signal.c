// What is no signal is in no set, and no set takes it.
//@ outcomes: 1111,1111,1111
//@ native
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>

static int refused(int result) {
    return result == -1 && errno == EINVAL;
}

int main(void) {
    const int none[] = {0, 65, -1, INT_MIN};
    sigset_t set;
    sigfillset(&set);
    for (int index = 0; index < 4; index++) printf("%d", refused(sigaddset(&set, none[index])));
    printf(",");
    for (int index = 0; index < 4; index++) printf("%d", refused(sigdelset(&set, none[index])));
    printf(",");
    for (int index = 0; index < 4; index++) printf("%d", refused(sigismember(&set, none[index])));
    printf("\n");
    return 0;
}
