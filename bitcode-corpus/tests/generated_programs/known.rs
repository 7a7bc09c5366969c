//! Known disagreements, not mended yet, as opposed to new ones.

use crate::program::{Operation, Program, ToThread};

/// Which known defect explains that `program` is wrong like this, if any.
pub fn known(program: &Program, why: &str) -> Option<&'static str> {
    let kills = |operation: &Operation| matches!(operation, Operation::Thread(ToThread::Kill, _));
    let creates = |operation: &Operation| {
        matches!(operation, Operation::Thread(ToThread::Create | ToThread::CreateDetached, _))
    };
    let nests = program.threads[1..].iter().flatten().flat_map(Operation::all).any(creates);
    match why {
        _ if why.contains("reads-from: does not replay")
            && why.contains("unlock by a thread that does not") =>
        {
            Some("an unlock by another than the holder beside the end of that one does not replay")
        }
        _ if nests && (why.contains("random: does not replay") || why.contains("pct: does not replay")) => {
            Some("a random schedule beside nested creation does not replay step by step")
        }
        _ if why.contains("unforeseen: the end of a known event") => Some("the end of a known event"),
        _ if why.contains("outcome") && !why.starts_with("sc") && program.has(kills) => {
            Some("an outcome of signals beside buffered stores is lost")
        }
        _ => None,
    }
}
