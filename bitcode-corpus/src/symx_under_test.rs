//! The `symx` command, for the tests of this package.

fn main() -> std::process::ExitCode {
    symx::main()
}
