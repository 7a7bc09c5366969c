// The locale C has the name of its characters' set, and iconv knows that name.
//@ native
#include <iconv.h>
#include <langinfo.h>
#include <locale.h>
#include <stdio.h>

int main(void) {
    printf("%s\n", nl_langinfo(CODESET));
    iconv_t conversion = iconv_open("UTF-8", nl_langinfo(CODESET));
    printf("%d\n", conversion != (iconv_t)-1);
    if (conversion != (iconv_t)-1) iconv_close(conversion);
    if (setlocale(LC_ALL, "C.UTF-8") == NULL) return 1;
    printf("%s\n", nl_langinfo(CODESET));
    return 0;
}
