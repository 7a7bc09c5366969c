// After Squid's ftpBuildTitleUrl, a sequential bug: the buffer is allocated for the characters of the user's name,
// but one that is escaped takes three.
//@ predictor: branch 13
//@ sketch: m:27 m:28 m:13 m:15 m:22
#include <stdlib.h>
#include <symx.h>

enum { LENGTH = 2 };

static void build_title(char *title, const char *user) {
    int at = 0;
    for (int i = 0; i < LENGTH; i++) {
        if (user[i] == '/') {
            title[at] = '%';
            at += 3;
        } else {
            title[at] = user[i];
            at += 1;
        }
    }
    // The terminator.
    title[at] = 0; //~ ERROR: out of bounds
}

int main(void) {
    char user[LENGTH];
    symx_make_symbolic(user, LENGTH, "user");
    char *title = malloc(LENGTH + 2);
    if (title == NULL)
        return 1;
    build_title(title, user);
    free(title);
    return 0;
}
//@ cflags: -O0 -Xclang -disable-O0-optnone
