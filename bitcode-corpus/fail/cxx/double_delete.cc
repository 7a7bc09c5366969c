// A block is deleted twice.
int main()
{
    int *volatile one = new int(1); //~ NOTE: allocated here
    int *volatile again = one;
    delete one; //~ NOTE: freed here first
    delete again; //~ ERROR: double free
}
