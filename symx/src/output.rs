//! The program's own output, passed through as it comes.

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

    /// Looks at a state. A reader that has gone away is no concern of the program's.
    pub fn look(&mut self, state: &State<Posix>) {
        for output in state.data.output_after(self.seen) {
            self.seen += 1;
            let is_error = output.stream == OutputStream::Errors;
            if !is_error {
                self.stdout.extend_from_slice(&output.written.bytes);
            }
            if is_error {
                let _ = std::io::stderr().write_all(&output.written.bytes);
            } else if !self.keep_stdout {
                let mut out = std::io::stdout().lock();
                let _ = out.write_all(&output.written.bytes).and_then(|()| out.flush());
            }
        }
    }
}
