// What new made is released by free.
#include <cstdlib>

int main()
{
    int *volatile one = new int; //~ NOTE: allocated here
    std::free(one); //~ ERROR: `free` of a heap object of 4 bytes
}
