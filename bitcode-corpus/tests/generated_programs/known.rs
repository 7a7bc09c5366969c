//! Disagreements whose cause is known and not mended yet, told from new ones. Each goes with what mends it.

use crate::program::{Operation, Program, ToThread};

/// Which known defect explains that `program` is wrong like this, if any.
pub fn known(program: &Program, why: &str) -> Option<&'static str> {
    let creates = |operation: &Operation| {
        matches!(operation, Operation::Thread(ToThread::Create | ToThread::CreateDetached, _))
    };
    let nests = program.threads[1..].iter().flatten().flat_map(Operation::all).any(creates);
    let calls = |names: &[&str]| {
        program.has(|operation| matches!(operation, Operation::Call(call, _) if names.iter().any(|name| call.text.contains(name))))
    };
    let fails_to_unlock = program.objects.iter().any(|kind| kind.tells_who_must_not_unlock())
        && calls(&["mutex_unlock", "mtx_unlock"]);
    match why {
        _ if nests && why.contains("does not replay") => {
            Some("a failure beside nested creation does not replay")
        }
        _ if why.contains("races: does not replay") => Some("a race does not replay"),
        _ if why.contains("unforeseen: the end of a known event") => Some("the end of a known event"),
        _ if fails_to_unlock && why.contains("outcome") => Some("an unlock that fails counts as one"),
        _ if calls(&["cond_timedwait", "cond_clockwait", "cnd_timedwait"]) => {
            Some("a timed wait cannot time out while the mutex is held")
        }
        _ => None,
    }
}
