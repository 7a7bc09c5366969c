//! Functions of the program and of libc that models call, or whose presence decides something, by name.

use symx_ir::Program;
use symx_ir::known_functions::{EXIT, MAIN};

/// libc's function that receives the arguments and the environment.
pub(crate) const INITIALISE_LIBRARY: &str = "__symx_libc_init";
/// libc's constant that says how many bytes a thread's control block takes.
pub(crate) const BLOCK_SIZE: &str = "__symx_thread_size";
/// libc's function that fills in a zeroed control block: arguments are its address and the thread's number.
pub(crate) const INITIALISE_BLOCK: &str = "__symx_thread_init";
/// libc's function that says where `errno` is.
pub(crate) const ERROR_LOCATION: &str = "__errno_location";
/// The C++ runtime's answer whether the type at the first argument (null for any) catches the exception at
/// the second.
pub(crate) const CATCHES: &str = "__symx_exception_caught";

/// libc's variable, a byte, that is not 0 until the process creates its second thread.
pub(crate) const SINGLE_THREADED: &str = "__libc_single_threaded";

/// Functions the models call by name, where the program or libc defines them: the linker must keep them.
pub const ROOTS: &[&str] =
    &[MAIN, EXIT, ERROR_LOCATION, INITIALISE_LIBRARY, BLOCK_SIZE, INITIALISE_BLOCK, CATCHES];

/// Functions of libc that have `exit` call back later what they are given.
const REGISTER: [&str; 3] = ["atexit", "__cxa_atexit", "fopencookie"];

/// Whether the program may have `exit` call back something.
pub(crate) fn registers_callbacks(program: &Program) -> bool {
    REGISTER.iter().any(|name| program.function_named(name).is_some())
}
