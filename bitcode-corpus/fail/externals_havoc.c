// What an external function returns may be what the program is not ready for.
//@ flags: --externals havoc
int read_sensor(int channel);

int main(void) {
    return 100 / read_sensor(1); //~ ERROR: division by zero
}
