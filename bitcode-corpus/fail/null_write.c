// Writing through a null pointer.
static int *volatile pointer;

int main(void) {
    int *p = pointer;
    *p = 1; //~ ERROR: null pointer dereference
    return 0;
}
