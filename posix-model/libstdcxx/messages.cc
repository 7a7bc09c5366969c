// Message catalogues: there are none, so that every message is the default one. Compiled for either string.
#include <locale>

namespace std _GLIBCXX_VISIBILITY(default)
{
_GLIBCXX_BEGIN_NAMESPACE_VERSION

template <>
typename messages<char>::catalog messages<char>::do_open(const basic_string<char> &, const locale &) const
{
    return -1;
}

template <>
void messages<char>::do_close(catalog) const {}

#ifdef _GLIBCXX_USE_WCHAR_T
template <>
typename messages<wchar_t>::catalog messages<wchar_t>::do_open(const basic_string<char> &, const locale &) const
{
    return -1;
}

template <>
void messages<wchar_t>::do_close(catalog) const {}
#endif

_GLIBCXX_END_NAMESPACE_VERSION
}
