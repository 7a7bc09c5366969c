//! What a user sees of a mistake in symx itself: one line, never a panic message.

use crate::exit_code;
use crate::memory_limit::failed_allocation;

/// Makes every panic, on any thread, one line on stderr and the end of the process with
/// [`exit_code::INTERNAL`], or with [`exit_code::INCOMPLETE`] where Z3 was given no more memory. With `RUST_BACKTRACE` set, the stack follows.
pub fn install() {
    std::panic::set_hook(Box::new(|panic| {
        let what = panic.payload_as_str().unwrap_or("no message");
        let what = what.lines().collect::<Vec<_>>().join(" ");
        // Whoever reads the output, as `head` does, may have seen enough of it.
        if what.starts_with("failed printing to") && what.contains("Broken pipe") {
            std::process::exit(i32::from(exit_code::BROKEN_PIPE));
        }
        if let Some(why) = failed_allocation(panic.location()) {
            eprintln!("symx: incomplete: {why} ({what})");
            std::process::exit(i32::from(exit_code::INCOMPLETE));
        }
        let place = panic.location().map(|at| format!(" ({}:{})", at.file(), at.line())).unwrap_or_default();
        eprintln!("symx: internal error: {what}{place}; please report this");
        if std::env::var_os("RUST_BACKTRACE").is_some_and(|wanted| wanted != "0") {
            eprintln!("{}", std::backtrace::Backtrace::force_capture());
        }
        std::process::exit(i32::from(exit_code::INTERNAL));
    }));
}
