// What new[] made is released by delete.
int main()
{
    int *volatile array = new int[4]; //~ NOTE: allocated here
    delete array; //~ ERROR: `delete` of a heap object of 16 bytes
}
