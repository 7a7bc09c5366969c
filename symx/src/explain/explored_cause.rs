//! Root causes found by exploring: whether every execution fails in which suspected orders of the failing one
//! hold.

use crate::explain::held_orders::{HeldOrder, HeldOrders, Shown, without_needless};
use crate::explain::limits::LOOKING;
use crate::limits::budget::Deadline;
use crate::session::Session;
use symx_checkers::projection::Suspect;
use symx_posix_explore::ExploreOptions;
use symx_trace::Input;
use symx_trace::explanation::{Cause, Check, Execution, Explored, Reach};

/// Orders among the `suspects` such that every execution of the program in which all of them hold fails
/// alike. `None` if that is not shown before the end. That an execution does not fail is known.
pub fn explored_cause(
    session: &Session,
    failing: &Execution,
    suspects: &[Suspect],
    inputs: &[Input],
    options: &ExploreOptions,
    end: &Deadline,
) -> Option<Cause> {
    failing.failure.as_ref()?;
    let end = &end.within(LOOKING);
    let under = |orders: &[Suspect]| {
        let orders: Vec<HeldOrder> = orders.iter().map(HeldOrder::of_suspect).collect();
        HeldOrders::new(session, failing, &orders, inputs)
    };
    let show = |orders: &[Suspect]| {
        let Some(held) = under(orders) else { return Shown::Open };
        let ends = held.ends(options, end);
        match held.fail_alike(&ends, options, end) {
            _ if ends.good.is_some() => Shown::OnePasses,
            Some(explored) => Shown::AllFail(explored),
            None => Shown::Open,
        }
    };
    // That what is always so comes before a failure explains nothing.
    let can_be_reversed = |suspect: &&Suspect| {
        suspect.is_reversed
            || under(&[suspect.reversed()]).is_some_and(|held| held.ends(options, end).has_any())
    };
    let mut orders: Vec<Suspect> = Vec::new();
    for suspect in suspects.iter().filter(can_be_reversed) {
        if let Shown::AllFail(explored) = show(&[*suspect]) {
            return Some(cause(&[*suspect], true, explored));
        }
        orders.push(*suspect);
    }
    if orders.len() < 2 {
        return None;
    }
    let Shown::AllFail(explored) = show(&orders) else { return None };
    let (orders, explored, is_minimal) = without_needless(orders, explored, |rest, _| show(rest));
    Some(cause(&orders, is_minimal, explored))
}

fn cause(orders: &[Suspect], is_minimal: bool, explored: Explored) -> Cause {
    Cause {
        orders: orders.iter().map(|suspect| suspect.order).collect(),
        visits: orders.iter().map(|suspect| suspect.visits).collect(),
        is_minimal,
        reach: Reach::Program,
        check: Check::Complete(explored),
        in_words: Vec::new(),
    }
}
