// A function of the threads library called without its argument: C89 lets a program declare it without parameters.
//@ cflags: -Wno-deprecated-non-prototype
extern int pthread_mutex_lock();

int main(void) {
    return pthread_mutex_lock(); //~ ERROR: `pthread_mutex_lock` is called as a function of another type: 0 arguments are passed, argument 1 is missing
}
