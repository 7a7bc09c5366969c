//@ native
// Files through streams: written, read back, appended to, positioned in.
#include <cstdio>
#include <fstream>
#include <iostream>
#include <string>

int main()
{
    {
        std::ofstream out("lines.txt");
        for (int i = 0; i < 5; i++) out << "line " << i << '\n';
    }
    {
        std::ofstream out("lines.txt", std::ios::app);
        out << "appended" << std::endl;
    }
    std::ifstream in("lines.txt");
    std::string line, last;
    int count = 0;
    while (std::getline(in, line)) {
        count++;
        last = line;
    }
    std::cout << count << ' ' << last << '\n';
    in.clear();
    in.seekg(7);
    std::getline(in, line);
    std::cout << line << ' ' << in.tellg() << '\n';
    std::fstream both("lines.txt", std::ios::in | std::ios::out);
    both.seekp(0);
    both << "LINE";
    both.seekg(0);
    std::getline(both, line);
    std::cout << line << '\n';
    std::ifstream missing("no such file");
    std::cout << missing.is_open() << ' ' << !missing << '\n';
    std::remove("lines.txt");
}
