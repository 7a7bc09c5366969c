//@ native
// Reading through streams: numbers, words, lines, failures, positions.
#include <iostream>
#include <sstream>
#include <string>

int main()
{
    std::istringstream in("12 -5 3.5e2 word 0x1f true\nsecond line\n\nlast");
    int a, b;
    double c;
    std::string word;
    in >> a >> b >> c >> word;
    std::cout << a << ' ' << b << ' ' << c << ' ' << word << '\n';
    int hex;
    bool truth;
    in >> std::hex >> hex >> std::dec >> std::boolalpha >> truth;
    std::cout << hex << ' ' << truth << '\n';
    std::string line;
    int lines = 0;
    while (std::getline(in, line)) std::cout << lines++ << ": [" << line << "]\n";
    std::cout << in.eof() << in.fail() << '\n';
    std::istringstream bad("12x");
    int first = 0, second = 7;
    bad >> first >> second;
    std::cout << first << ' ' << second << ' ' << bad.fail() << '\n';
    bad.exceptions(std::ios::goodbit);
    bad.clear();
    bad.exceptions(std::ios::failbit);
    try {
        bad >> second;
    } catch (const std::ios_base::failure &error) {
        std::cout << "failure\n";
    }
    std::istringstream overflow("99999999999");
    int big;
    overflow >> big;
    std::cout << big << ' ' << overflow.fail() << '\n';
    int missing = 3;
    std::cin >> missing;
    std::cout << std::cin.eof() << ' ' << missing << '\n';
}
