// The initialisation of a local static variable calls its own function.
static int depth;

static int value()
{
    static int computed = depth++ ? 0 : value() + 1; //~ ERROR: waits for itself
    return computed;
}

int main() { return value(); }
