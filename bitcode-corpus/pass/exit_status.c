// The status main returns is the status of the process.
//@ native
int main(int argc, char **argv) {
    return argv[argc] == 0 ? 6 + argc : 99;
}
