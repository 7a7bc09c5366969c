//! What a user sees of a mistake in symx itself, or of output that cannot be written: one line, never a panic message.

use crate::exit_code;
use crate::memory_limit::failed_allocation;
use std::io::Write;

/// Makes every panic, on any thread, one line on stderr and the end of the process with
/// [`exit_code::INTERNAL`], or with [`exit_code::INCOMPLETE`] where Z3 was given no more memory. With `RUST_BACKTRACE` set, the stack
/// follows. Standard output or standard error that takes nothing more, which printing tells by a panic, is no mistake of symx: the
/// process ends as it does for any other file.
pub fn install() {
    std::panic::set_hook(Box::new(|panic| {
        let what = panic.payload_as_str().unwrap_or("no message");
        let what = what.lines().collect::<Vec<_>>().join(" ");
        if let Some(unwritten) = what.strip_prefix("failed printing to ") {
            std::process::exit(i32::from(unwritable(unwritten)));
        }
        if let Some(why) = failed_allocation(panic.location()) {
            tell(&format!("symx: incomplete: {why} ({what})"));
            std::process::exit(i32::from(exit_code::INCOMPLETE));
        }
        let place = panic.location().map(|at| format!(" ({}:{})", at.file(), at.line())).unwrap_or_default();
        tell(&format!("symx: internal error: {what}{place}; please report this"));
        if std::env::var_os("RUST_BACKTRACE").is_some_and(|wanted| wanted != "0") {
            tell(&std::backtrace::Backtrace::force_capture().to_string());
        }
        std::process::exit(i32::from(exit_code::INTERNAL));
    }));
}

/// Says what cannot be written, and why; the code to end with.
pub fn unwritable(what: &str) -> u8 {
    // Whoever reads the output, as `head` does, may have seen enough of it.
    if what.contains("Broken pipe") {
        return exit_code::BROKEN_PIPE;
    }
    tell(&format!("symx: error: cannot write {what}"));
    exit_code::REFUSED
}

/// A line on standard error, which may be what nobody can write to.
fn tell(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}
