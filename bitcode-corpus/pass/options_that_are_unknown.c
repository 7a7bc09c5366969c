// getsubopt: an option that is not known is the value.
//@ native
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    char *const known[] = {"ro", "size", NULL};
    char text[] = "ro,size=5,what,which=7", *options = text, *value;
    while (*options) {
        int which = getsubopt(&options, known, &value);
        printf("%d %s\n", which, value ? value : "none");
    }
    return 0;
}
