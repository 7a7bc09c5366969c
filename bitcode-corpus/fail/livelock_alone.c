// A program of one thread that waits for a variable which only a signal's handler could change; none is installed.
static volatile int flag;

int main(void) {
    while (!flag) { //~ ERROR: livelock: T0 main spins forever
    }
    return 0;
}
