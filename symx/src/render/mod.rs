//! What people read: failures with their source, stacks, schedules.

mod failure;
mod races;
mod snippet;
mod stacks;
mod summary;

pub use failure::{failure, warnings};
pub use races::race;
pub use summary::{one_line, percent, summary};

use crate::options::Color;
use std::io::IsTerminal;

/// Whether text for `stream` is coloured.
pub fn coloured(color: Color, stream: &impl IsTerminal) -> bool {
    match color {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => stream.is_terminal() && std::env::var_os("NO_COLOR").is_none(),
    }
}
