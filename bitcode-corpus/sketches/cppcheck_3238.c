// After Cppcheck 3238, a sequential bug: what follows a token is looked at though the token may be the last.
//@ predictor: value 0 16
//@ sketch: m:22 m:24 m:25 m:12 m:14 m:15 m:16
#include <stddef.h>
#include <symx.h>

struct token { struct token *next; char text; };

static char after_parenthesis(struct token *first) {
    struct token *found = NULL;
    // Simplifies a declaration: the token after the opening parenthesis.
    for (struct token *token = first; token != NULL; token = token->next) {
        // One that ends the list has no next one.
        if (token->text == '(') {
            found = token;
            return found->next->text; //~ ERROR: null
        }
    }
    return 0;
}
int main(void) {
    struct token tokens[2] = {{NULL, 0}, {NULL, 0}};
    for (int i = 0; i < 2; i++)
        symx_make_symbolic(&tokens[i].text, 1, "text");
    tokens[0].next = &tokens[1];
    return after_parenthesis(tokens) == 'x';
}
