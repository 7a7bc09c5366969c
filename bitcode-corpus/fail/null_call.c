// Calling through a null function pointer.
static void (*volatile function)(void);

int main(void) {
    function(); //~ ERROR: null pointer dereference
    return 0;
}
