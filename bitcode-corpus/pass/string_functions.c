// The rest of string.h and strings.h, with glibc's extensions.
//@ native
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static const char *shown(const char *text) { return text ? text : "-"; }

int main(void) {
    char room[64] = "abcdef", *rest;
    const char *path = "/a/b/c.txt/", *text = "hello world";
    printf("%s %s %s\n", basename("/a/b"), basename(path), basename("plain"));
    printf("%td %td\n", (char *)rawmemchr(text, 'w') - text, strchrnul(text, 'z') - text);
    printf("%s\n", (char *)mempcpy(room, "XY", 2));
    printf("%s %s %s\n", shown(strstr(text, "o w")), shown(strcasestr(text, "WOR")), shown((char *)memmem(text, 11, "lo", 2)));
    printf("%zu %zu %s\n", strspn(text, "hel"), strcspn(text, "w"), shown(strpbrk(text, "xow")));
    printf("%d %d %d\n", strcasecmp("ABC", "abc"), strncasecmp("ABx", "abY", 2), strverscmp("file9", "file10") < 0);
    char list[] = "a,,b;c";
    for (char *word = strtok_r(list, ",;", &rest); word; word = strtok_r(NULL, ",;", &rest))
        printf("%s.", word);
    char fields[] = "x::y", *at = fields;
    for (char *field; (field = strsep(&at, ":"));)
        printf("[%s]", field);
    printf("\n");
    char *copy = strdup("copy"), *part = strndup("partial", 4), *stack = strdupa("stack");
    printf("%s %s %s\n", copy, part, stack);
    free(copy), free(part);
    strcpy(room, "one");
    strncat(room, "twothree", 3);
    printf("%s %s\n", room, stpncpy(room + 10, "ab", 5) == room + 12 ? "end" : "?");
    printf("%d %d %d %d\n", ffs(8), ffsl(0), ffsll(1LL << 40), (int)strnlen("abc", 2));
    printf("%d %d\n", strcoll("a", "b") < 0, (int)strxfrm(room, "text", sizeof room));
    bcopy("moved", room, 6);
    bzero(room + 2, 1);
    printf("%s %d\n", room, bcmp("a", "a", 1));
    printf("%s\n", (char *)memccpy(room, "stop.here", '.', 9) - 1);
    unsigned char frob[] = "secret";
    memfrob(frob, 6), memfrob(frob, 6);
    printf("%s %d\n", frob, memcmp("abc", "abd", 3) < 0);
    swab("badc", room, 4);
    printf("%.4s %s\n", room, (char *)memrchr(text, 'o', 11));
    explicit_bzero(room, sizeof room);
    printf("%d %ld %ld\n", room[0], a64l("zz"), labs(-5L));
    printf("%s\n", l64a(12345));
    return 0;
}
