// Streams in memory and lines of any length: fmemopen, open_memstream, getline, getdelim, asprintf, dprintf.
//@ native
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

int main(void) {
    char room[32] = "";
    FILE *memory = fmemopen(room, sizeof room, "w+");
    fprintf(memory, "%d-%s", 42, "text");
    fflush(memory);
    printf("%s %ld\n", room, ftell(memory));
    rewind(memory);
    int number;
    char word[16];
    printf("%d %d %s\n", fscanf(memory, "%d-%15s", &number, word), number, word);
    fclose(memory);
    char *grown = NULL, *line = NULL;
    size_t length = 0, capacity = 0;
    memory = open_memstream(&grown, &length);
    for (int i = 0; i < 200; i++)
        fprintf(memory, "%d,", i);
    fputs("\nsecond line\n", memory);
    fclose(memory);
    printf("%zu %.20s\n", length, grown);
    memory = fmemopen(grown, length, "r");
    ssize_t got = getline(&line, &capacity, memory);
    printf("%zd %d\n", got, capacity > 700);
    got = getdelim(&line, &capacity, ' ', memory);
    printf("%zd %s|\n", got, line);
    got = getline(&line, &capacity, memory);
    printf("%zd %s", got, line);
    printf("%zd %d\n", getline(&line, &capacity, memory), feof(memory) != 0);
    fclose(memory);
    free(line), free(grown);
    char *text;
    printf("%d %s\n", asprintf(&text, "%05.1f|%-6s|%+d", 2.25, "ab", 7), text);
    free(text);
    fflush(stdout);
    dprintf(1, "%s %x\n", "direct", 255);
    FILE *temporary = tmpfile();
    fputs("kept", temporary);
    rewind(temporary);
    printf("%s\n", fgets(room, sizeof room, temporary));
    printf("%d %d\n", fputs("x", temporary) >= 0, fclose(temporary));
    char none[4];
    printf("%d %d\n", snprintf(none, sizeof none, "%s", "overlong"), strlen(none) == 3);
    return 0;
}
