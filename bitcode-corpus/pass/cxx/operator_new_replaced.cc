//@ native
// A program's own operators serve the library too; those it does not define are made of them.
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>

static int made, released;

void *operator new(std::size_t size)
{
    made++;
    return std::malloc(size);
}

void operator delete(void *block) noexcept
{
    released++;
    std::free(block);
}

int main()
{
    int *array = new int[3];
    delete[] array;
    std::string text(100, 'x');
    text += "y";
    {
        std::string copy = text;
    }
    std::printf("%d made, %d released\n", made, released);
}
