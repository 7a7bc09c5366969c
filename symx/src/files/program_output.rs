//! The program's own output, passed through as it comes.

use crate::files::unwritten::unwritable;
use std::io::Write;
use symx_interp::state::State;
use symx_posix_model::{OutputStream, Posix};

/// Passes on what a state has written since it was last looked at.
#[derive(Default)]
pub struct PassThrough {
    seen: usize,
    /// Everything passed to standard output.
    pub stdout: Vec<u8>,
    keep_stdout: bool,
}

impl PassThrough {
    /// Passes on standard error only: standard output is wanted for something else.
    pub fn keeping_stdout() -> Self {
        Self { keep_stdout: true, ..Self::default() }
    }

    /// Looks at a state.
    pub fn look(&mut self, state: &State<Posix>) {
        for output in state.data.output_after(self.seen) {
            self.seen += 1;
            let is_error = output.stream == OutputStream::Errors;
            if !is_error {
                self.stdout.extend_from_slice(&output.written.bytes);
            }
            if is_error {
                write_or_end("stderr", std::io::stderr(), &output.written.bytes);
            } else if !self.keep_stdout {
                write_or_end("stdout", std::io::stdout().lock(), &output.written.bytes);
            }
        }
    }
}

/// Writes all to standard output.
pub fn write_to_stdout(bytes: &[u8]) {
    write_or_end("stdout", std::io::stdout().lock(), bytes);
}

/// Writes all, or ends the process as printing does: nothing is lost without a word. The program itself does
/// not notice, since what it does must not depend on where symx's own output goes: a schedule would not
/// replay.
fn write_or_end(name: &str, mut stream: impl Write, bytes: &[u8]) {
    if let Err(why) = stream.write_all(bytes).and_then(|()| stream.flush()) {
        std::process::exit(i32::from(unwritable(&format!("{name}: {why}"))));
    }
}
