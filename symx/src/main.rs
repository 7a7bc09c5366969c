//! The `symx` executable.

fn main() {}
