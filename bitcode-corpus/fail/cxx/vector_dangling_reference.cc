// A reference into a vector outlives its growth.
#include <vector>

int main()
{
    std::vector<int> numbers{1};
    int &first = numbers[0];
    numbers.push_back(2);
    return first; //~ ERROR: use after free
}
