// Wide characters and multibyte text in the locale "C": strings, conversion, classes, formats.
//@ native
#define _GNU_SOURCE
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <wctype.h>

int main(void) {
    wchar_t text[32], other[32];
    char bytes[32];
    printf("%s %zu\n", setlocale(LC_ALL, NULL), MB_CUR_MAX);
    printf("%zu %zu\n", mbstowcs(text, "hello", 32), wcslen(text));
    wcscpy(other, text);
    wcscat(other, L" world");
    printf("%ls %d %d\n", other, wcscmp(text, other) < 0, wcsncmp(text, other, 5));
    printf("%ls %ls\n", wcschr(other, L'w'), wcsstr(other, L"lo"));
    printf("%zu %s\n", wcstombs(bytes, other, 32), bytes);
    printf("%ld %g %lu\n", wcstol(L"-42x", NULL, 10), wcstod(L"2.5", NULL), wcstoul(L"ff", NULL, 16));
    printf("%d %d %d %d\n", iswalpha(L'a') != 0, iswdigit(L'7') != 0, iswspace(L'x') != 0, iswupper(L'Q') != 0);
    printf("%lc %lc\n", (wint_t)towupper(L'a'), (wint_t)towlower(L'Z'));
    printf("%d\n", iswctype(L'5', wctype("digit")) != 0);
    printf("%d ", swprintf(text, 32, L"%d|%ls|%s|%.2f", 5, L"wide", "narrow", 1.25));
    printf("%ls\n", text);
    int number;
    printf("%d %d\n", swscanf(L"77 rest", L"%d", &number), number);
    wmemset(text, L'-', 4);
    text[4] = 0;
    printf("%ls %d\n", text, wmemcmp(text, L"----", 4));
    wchar_t *rest, list[] = L"a,b,c";
    for (wchar_t *word = wcstok(list, L",", &rest); word; word = wcstok(NULL, L",", &rest))
        printf("%ls;", word);
    printf("\n%zu %zu\n", wcsspn(L"aabc", L"ab"), wcscspn(L"aabc", L"c"));
    mbstate_t state = {0};
    wchar_t letter;
    printf("%zu %d\n", mbrtowc(&letter, "x", 1, &state), letter == L'x');
    printf("%d %d\n", wctomb(bytes, L'y'), mblen("z", 1));
    printf("%d %d\n", btowc('q') == L'q', wctob(L'q'));
    return 0;
}
