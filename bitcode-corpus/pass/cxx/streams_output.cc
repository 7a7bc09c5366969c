//@ native
// Formatting through streams.
#include <iomanip>
#include <iostream>
#include <sstream>
#include <string>

struct Point { int x, y; };
static std::ostream &operator<<(std::ostream &out, const Point &point)
{
    return out << '(' << point.x << ", " << point.y << ')';
}

int main()
{
    std::cout << "text " << std::string("string") << ' ' << 42 << ' ' << -7L << ' ' << 3.25 << ' ' << true << '\n';
    std::cout << std::hex << std::showbase << 255 << ' ' << std::oct << 8 << std::dec << ' ' << std::boolalpha << false << '\n';
    std::cout << std::setw(8) << std::setfill('*') << 12 << '|' << std::left << std::setw(6) << "ab" << '|' << '\n';
    std::cout << std::fixed << std::setprecision(3) << 3.14159 << ' ' << std::scientific << 31415.9 << '\n';
    std::cout << std::defaultfloat << 1e100 << ' ' << 0.1f << ' ' << 2.5L << ' ' << Point{1, 2} << std::endl;
    std::ostringstream out;
    out << "built " << 1 << '/' << 2u << ' ' << static_cast<void *>(nullptr);
    std::cout << out.str() << ' ' << out.str().size() << '\n';
    std::wostringstream wide;
    wide << L"wide " << 5;
    std::cout << wide.str().size() << '\n';
}
