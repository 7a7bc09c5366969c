// After Curl 965, a sequential bug: braces that are not balanced leave the current URL unset, and its length is
// asked for (Kasikci, figure 20).
//@ predictor: value 0 21
//@ sketch: m:26 m:13 m:16 m:17 m:21
#include <string.h>
#include <symx.h>

struct urls { char *volatile current; };

static void parse(struct urls *urls, const char *url, int length) {
    int open = 0;
    for (int i = 0; i < length; i++)
        open += url[i] == '{' ? 1 : url[i] == '}' ? -1 : 0;
    // The URL is set for each set of braces that is complete.
    urls->current = (char *)url;
    if (open != 0)
        urls->current = NULL;
}

static unsigned long next_url(struct urls *urls) {
    return strlen(urls->current); //~ ERROR: null
}

int main(void) {
    char url[3] = "";
    symx_make_symbolic(url, 2, "url");
    struct urls urls;
    parse(&urls, url, 2);
    return next_url(&urls) > 2;
}
