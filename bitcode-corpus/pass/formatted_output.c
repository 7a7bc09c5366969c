// Formats: widths, precisions, flags, lengths, positions, floats of every kind, wide text, %n, pointers.
//@ native
#define _GNU_SOURCE
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <wchar.h>

int main(void) {
    int count;
    printf("[%5d|%-5d|%05d|%+d|% d|%.3d|%5.3d]\n", 42, 42, 42, 42, 42, 7, 7);
    printf("[%x|%X|%#x|%o|%#o|%u|%c|%%]\n", 255, 255, 255, 8, 8, -1, 'c');
    printf("[%hhd|%hd|%ld|%lld|%jd|%zd|%td]\n", 300, 70000, 1L << 40, 1LL << 50, (intmax_t)-5, sizeof(int), (ptrdiff_t)-9);
    printf("[%2$s %1$s|%3$*4$d]\n", "a", "b", 5, 4);
    printf("[%s|%.2s|%6s|%-6s|%.*s]\n", "text", "text", "ab", "ab", 3, "abcdef");
    printf("[%f|%.0f|%.3f|%10.2f|%-10.2f|%+.1f|%#.0f]\n", 1.5, 2.5, 3.14159, 2.0, 2.0, 1.0, 3.0);
    printf("[%e|%.2E|%g|%G|%g|%g|%#g]\n", 12345.678, 0.00012, 1e-5, 1e20, 100000.0, 1000000.0, 1.0);
    printf("[%a|%A|%.2a|%a]\n", 1.0, 0.1, 1.999, 0.0);
    printf("[%Lf|%.20Lg|%Le]\n", 1.25L, 0.1L, LDBL_MAX);
    printf("[%f|%F|%e|%5f|%-5f|%f]\n", INFINITY, -INFINITY, NAN, INFINITY, NAN, -0.0);
    printf("[%.15g|%.17g|%.40f]\n", 0.1, 0.1, 0.1);
    printf("[%g|%g|%.300f]\n", DBL_MIN, DBL_TRUE_MIN, DBL_MIN);
    printf("[%ls|%lc]\n", L"wide", L'w');
    printf("[%p|%p]\n", (void *)0, (void *)0x1234);
    printf("12345%n", &count);
    printf(" %d\n", count);
    printf("[%'d|%i]\n", 1234567, -3);
    char *none = NULL;
    printf("[%s|%.3s]\n", none, "abc");
    printf("[%.0f|%.0f|%.0f|%.1f|%.2f]\n", 0.5, 1.5, 2.5, 0.25, 1.005);
    printf("[%" PRId64 "|%" PRIu8 "|%" PRIxMAX "]\n", INT64_MIN, (uint8_t)200, UINTMAX_MAX);
    return 0;
}
