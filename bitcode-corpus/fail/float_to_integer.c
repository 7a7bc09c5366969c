// A float that does not fit the integer it is converted to has no result; one that is dropped does no harm.
//@ cflags: -O0 -Xclang -disable-O0-optnone
#include <stdio.h>

static volatile double large = 3e9;

int main(void) {
    int dropped = (int)large;
    (void)dropped;
    if ((int)large > 0) //~ ERROR: conversion of a float to an integer it does not fit
        puts("positive");
    return 0;
}
