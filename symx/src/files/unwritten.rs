//! Output that could not be written: findings are reported nevertheless, together with the write error.

use crate::exit_code::{BROKEN_PIPE, REFUSED, VIOLATION};
use crate::refusal::Refusal;
use crate::text::{one_line, visible};
use std::io::Write;

/// The outputs that could not be written, in order.
#[derive(Debug, Default)]
pub struct Unwritten(Vec<Refusal>);

impl Unwritten {
    /// Notes an error; returns the result without one.
    pub fn note<T>(&mut self, written: Result<T, Refusal>) -> Option<T> {
        written.map_err(|refusal| self.0.push(refusal)).ok()
    }

    /// The exit code of a command that has reported everything: an error found is one whatever else went
    /// wrong. Any other verdict that could not be left where it was wanted is a refusal.
    pub fn exit_code(self, verdict: u8) -> Result<u8, Refusal> {
        let mut refusals = self.0.into_iter();
        let Some(first) = refusals.next() else { return Ok(verdict) };
        refusals.for_each(|refusal| say(&refusal));
        if verdict != VIOLATION {
            return Err(first);
        }
        say(&first);
        Ok(verdict)
    }
}

fn say(refusal: &Refusal) {
    eprintln!("symx: error: {}", one_line(&refusal.to_string()));
}

/// Says what cannot be written, and why; the code to end with.
pub fn unwritable(what: &str) -> u8 {
    // The reader of the output, as `head`, may have seen enough of it.
    if what.contains("Broken pipe") {
        return BROKEN_PIPE;
    }
    tell(&format!("symx: error: cannot write {what}"));
    REFUSED
}

/// A line on standard error, to which writing may fail.
pub fn tell(line: &str) {
    let _ = writeln!(std::io::stderr(), "{}", visible(line));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_found_is_not_swallowed() {
        let full = || Refusal::Usage("the disk is full".into());
        let code = |verdict: u8, written: Result<(), Refusal>| {
            let mut unwritten = Unwritten::default();
            unwritten.note(written);
            unwritten.exit_code(verdict)
        };
        assert_eq!(code(0, Ok(())).unwrap(), 0);
        assert_eq!(code(VIOLATION, Err(full())).unwrap(), VIOLATION);
        assert!(code(0, Err(full())).is_err() && code(3, Err(full())).is_err());
    }
}
