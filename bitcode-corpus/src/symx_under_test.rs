//! The `symx` command, for the tests of this package.

// With its allocator.
use symx_bitcode_corpus as _;

fn main() -> std::process::ExitCode {
    symx::main()
}
