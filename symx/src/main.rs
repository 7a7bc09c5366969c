//! The `symx` command.

fn main() -> std::process::ExitCode {
    symx::main()
}
