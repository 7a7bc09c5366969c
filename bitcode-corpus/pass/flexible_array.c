// A struct that ends in a flexible array.
//@ native
#include <stdio.h>
#include <stdlib.h>

struct message {
    int length;
    char text[];
};

int main(void) {
    struct message *message = malloc(sizeof *message + 6);
    message->length = 5;
    for (int i = 0; i < 5; i++)
        message->text[i] = (char)('a' + i);
    message->text[5] = '\0';
    printf("%d %s %zu\n", message->length, message->text, sizeof *message);
    free(message);
    return 0;
}
