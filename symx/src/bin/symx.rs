//! The `symx` command.

use mimalloc::MiMalloc;

/// Most of what exploration does beside stepping is making and dropping small parts of states.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> std::process::ExitCode {
    symx::main()
}
