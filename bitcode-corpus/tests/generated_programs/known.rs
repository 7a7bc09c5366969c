//! Disagreements whose cause is known and not mended yet, told from new ones.

use crate::program::{Operation, Program, ToThread};

/// Which known defect explains that `program` is wrong like this, if any.
pub fn known(program: &Program, why: &str) -> Option<&'static str> {
    let kills = |operation: &Operation| matches!(operation, Operation::Thread(ToThread::Kill, _));
    match why {
        _ if why.contains("unforeseen: the end of a known event") => Some("the end of a known event"),
        _ if why.contains("outcome") && !why.starts_with("sc") && program.has(kills) => {
            Some("an outcome of signals beside buffered stores is lost")
        }
        _ => None,
    }
}
