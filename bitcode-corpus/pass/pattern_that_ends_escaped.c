// fnmatch: a pattern that ends in the middle of an escape matches nothing.
//@ native
#include <fnmatch.h>
#include <stdio.h>

int main(void) {
    const char *patterns[] = {"\\", "a\\", "*\\", "\\\\", "\\a"}, *texts[] = {"\\", "a\\", "a", ""};
    for (int i = 0; i < 5; i++)
        for (int k = 0; k < 4; k++)
            printf("%d%d ", fnmatch(patterns[i], texts[k], 0) == 0,
                   fnmatch(patterns[i], texts[k], FNM_NOESCAPE) == 0);
    return 0;
}
