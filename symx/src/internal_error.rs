//! Reports of a mistake in symx itself, or of output that cannot be written: one line, never a panic message.

use crate::exit_code;
use crate::files::unwritten::{tell, unwritable};
use crate::limits::memory::failed_allocation;
use symx_expr::solver::z3_fell_short_of_memory;

/// Makes every panic, on any thread, one line on stderr and the end of the process. It ends with
/// [`exit_code::INTERNAL`], or with [`exit_code::INCOMPLETE`] where there is no more address space for Z3.
/// With `RUST_BACKTRACE` set, the stack follows. Standard output or standard error that takes nothing more,
/// on which printing panics, is no mistake of symx. The process ends as it does for any other file. Where Z3
/// only reaches a limit of its own, the query is unknown, and symx continues.
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
        if z3_fell_short_of_memory() {
            return;
        }
        let place = panic.location().map(|at| format!(" ({}:{})", at.file(), at.line())).unwrap_or_default();
        tell(&format!("symx: internal error: {what}{place}; please report this"));
        if std::env::var_os("RUST_BACKTRACE").is_some_and(|wanted| wanted != "0") {
            tell(&std::backtrace::Backtrace::force_capture().to_string());
        }
        std::process::exit(i32::from(exit_code::INTERNAL));
    }));
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Command, Output};
    use std::sync::Arc;
    use symx_expr::Terms;
    use symx_expr::solver::{Solver, Z3Options, standard};

    /// Set for the process in which Z3 is to run out of memory.
    const CHILD: &str = "SYMX_TEST_Z3_RUNS_OUT_OF_MEMORY";

    /// Has Z3 make more terms than it has memory for, where this many bytes of address space are taken.
    fn run_out_of_memory(taken: usize) {
        install();
        let taken = std::hint::black_box(Vec::<u8>::with_capacity(taken));
        let terms = Arc::new(Terms::new());
        let options = Z3Options { memory_mebibytes: Some(1), ..Z3Options::default() };
        let symbols: Vec<_> = (0..20_000).map(|number| terms.symbol(&format!("s{number}"), 64)).collect();
        let product = |pair: &[symx_expr::Term]| {
            let product = terms.multiply(pair[0], pair[1]);
            terms.equal(product, terms.add(pair[0], terms.constant(64, 12_345)))
        };
        let constraints: Vec<_> = symbols.windows(2).map(product).collect();
        let answer = standard(&terms, options).check(&constraints);
        println!("{answer:?} with {} bytes taken", taken.capacity());
    }

    /// Runs a test of this file in a process of its own, of which the shell gets this command first.
    fn alone(test: &str, first: &str) -> Output {
        let this = std::env::current_exe().expect("a test has a file");
        Command::new("sh")
            .args(["-c", &format!("{first} exec \"$0\" \"$@\"")])
            .arg(this)
            .args(["--exact", &format!("internal_error::tests::{test}"), "--nocapture"])
            .env(CHILD, "1")
            .output()
            .expect("a shell starts")
    }

    #[test]
    fn z3_out_of_memory_ends_as_incomplete() {
        if std::env::var_os(CHILD).is_some() {
            return run_out_of_memory(2_500_000_000);
        }
        let child = alone("z3_out_of_memory_ends_as_incomplete", "ulimit -v 4000000;");
        let said = String::from_utf8_lossy(&child.stderr);
        assert_eq!(child.status.code(), Some(i32::from(exit_code::INCOMPLETE)), "{child:?}");
        assert!(said.starts_with("symx: incomplete: max-memory: Z3 failed; "), "{said}");
    }

    #[test]
    fn z3_at_its_own_limit_of_memory_leaves_the_query_unknown() {
        if std::env::var_os(CHILD).is_some() {
            return run_out_of_memory(0);
        }
        let child = alone("z3_at_its_own_limit_of_memory_leaves_the_query_unknown", "");
        let said = String::from_utf8_lossy(&child.stdout);
        assert_eq!((child.status.code(), child.stderr.as_slice()), (Some(0), &[][..]), "{child:?}");
        assert!(
            said.contains("Unknown(Beyond(\"max-memory: no more memory for Z3, which is given 1 MiB\"))"),
            "{said}"
        );
    }
}
