// Opening a file that is not there fails and says why.
//@ native
#include <errno.h>
#include <stdio.h>
#include <string.h>

int main(void) {
    FILE *file = fopen("no-such-directory/no-such-file", "r");
    printf("%d %d\n", file == NULL, errno == ENOENT);
    printf("%s\n", strerror(ENOENT));
    return 0;
}
