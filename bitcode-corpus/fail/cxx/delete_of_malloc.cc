// What malloc made is released by delete.
#include <cstdlib>

int main()
{
    int *volatile one = static_cast<int *>(std::malloc(4)); //~ NOTE: allocated here
    delete one; //~ ERROR: `delete` of a heap object of 4 bytes
}
