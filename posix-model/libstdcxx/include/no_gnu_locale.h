/* Ahead of ctype_configure_char.cc: the character tables come from libc's functions, not from inside a locale. */
#include <locale>
#undef _GLIBCXX_C_LOCALE_GNU
