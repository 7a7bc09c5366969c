// Nothing catches what main throws.
#include <stdexcept>

namespace app {
struct DiskFull : std::runtime_error {
    DiskFull() : std::runtime_error("disk full") {}
};
}

static void save()
{
    throw app::DiskFull(); //~ ERROR: uncaught exception of type `app::DiskFull`: disk full
}

int main()
{
    try {
        save();
    } catch (const std::logic_error &) {
    }
}
