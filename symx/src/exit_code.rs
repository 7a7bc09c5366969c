//! The exit codes of the contract.

use serde::{Deserialize, Serialize};

/// An error of the program was found and replayed; or a schedule does not reproduce its failure.
pub const VIOLATION: u8 = 1;
/// Bad input or usage: nothing was run.
pub const REFUSED: u8 = 2;
/// The exploration was cut, and no error was found.
pub const INCOMPLETE: u8 = 3;
/// A mistake in symx itself (`EX_SOFTWARE`): no verdict at all, so none of the codes above.
pub const INTERNAL: u8 = 70;
/// The output is not read any more: what a shell reports for a process ended by `SIGPIPE`.
pub const BROKEN_PIPE: u8 = 141;

/// The verdict of an exploration on a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Everything was explored and nothing is wrong.
    Safe,
    /// The program fails, and a replay showed it again.
    Violation,
    /// Not everything was explored; what was, is right.
    Incomplete,
}

impl Verdict {
    /// Its exit code.
    pub fn exit_code(self) -> u8 {
        match self {
            Self::Safe => 0,
            Self::Violation => VIOLATION,
            Self::Incomplete => INCOMPLETE,
        }
    }

    /// The contract's word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Safe => "safe",
            Self::Violation => "violation",
            Self::Incomplete => "incomplete",
        }
    }
}
