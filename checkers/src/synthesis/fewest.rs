//! The fewest preemptions that a trace's bug takes: all executions of the trace with fewer are looked at, or,
//! where those are too many, some.

use crate::synthesis::Unknown;
use crate::synthesis::engines::search::{Search, SearchLimits};
use crate::synthesis::engines::{Answer, Engine};
use crate::synthesis::execution::schedule::{Schedule, validate};
use crate::synthesis::limits::NARROW;
use crate::synthesis::problem::Problem;
use symx_expr::StopToken;

/// Bounds on the least number of preemptions of the schedules that show a trace's bug.
#[derive(Clone, Debug)]
pub struct Fewest {
    /// No schedule of the trace with fewer shows it: every one was looked at.
    pub at_least: u32,
    /// A schedule with fewer than were known, if there is one. It has `at_least` many.
    pub better: Option<Schedule>,
    /// Why no more is known, unless `at_least` many are enough.
    pub cut: Option<Unknown>,
}

/// Looks for a schedule with fewer preemptions than the `known` number with which the bug shows, or proves
/// that there is none. Stops after that many `steps`, or when interrupted. A bound for all schedules of the
/// trace need not hold for executions that take other paths.
pub fn fewest_preemptions(problem: &Problem, known: u32, steps: u64, stop: &StopToken) -> Fewest {
    let proven = |at_least| Fewest { at_least, better: None, cut: None };
    let Some(preemptions) = known.checked_sub(1) else { return proven(0) };
    if let Some(reason) = stop.reason() {
        return Fewest { at_least: 0, better: None, cut: Some(reason.into()) };
    }
    let mut search =
        Search::new(problem, SearchLimits { preemptions, steps, narrow: None }).stopped_by(stop.clone());
    let answer = search.solve(&[]);
    let at_least = search.at_least().min(known);
    let cut = match answer {
        _ if at_least == known => return proven(known),
        Answer::Model(model) => match validate(problem, &model.moves.unwrap_or_default(), &model.inputs) {
            Ok(schedule) => {
                let is_least = schedule.preemptions == at_least;
                let cut = (!is_least).then_some(Unknown::OtherInputs);
                return Fewest { at_least, better: Some(schedule), cut };
            }
            Err(invalid) => Unknown::Invalid(invalid.to_string()),
        },
        Answer::Core(_) => Unknown::OtherInputs,
        Answer::Unknown(why) => why,
    };
    Fewest { at_least, better: None, cut: Some(cut) }
}

/// A schedule with fewer preemptions than are known, if narrow searches of that many `steps` each find one.
/// The first search is short, the second wider, and where both find none, a third is wider still.
pub(super) fn with_few_preemptions(
    problem: &Problem,
    known: u32,
    steps: u64,
    stop: &StopToken,
) -> Option<Schedule> {
    let mut best: Option<Schedule> = None;
    for (number, narrow) in NARROW.into_iter().enumerate() {
        if number == NARROW.len() - 1 && best.is_some() {
            break;
        }
        let known = best.as_ref().map_or(known, |best| best.preemptions);
        best = by_narrow_search(problem, known, narrow, steps, stop).or(best);
    }
    best
}

/// A schedule that a narrow search finds in no time, if it finds one.
pub(super) fn with_any_preemptions(problem: &Problem, steps: u64, stop: &StopToken) -> Option<Schedule> {
    by_narrow_search(problem, u32::MAX, NARROW[0], steps, stop)
}

fn by_narrow_search(
    problem: &Problem,
    known: u32,
    narrow: u64,
    steps: u64,
    stop: &StopToken,
) -> Option<Schedule> {
    let limits = SearchLimits { preemptions: known.checked_sub(1)?, steps, narrow: Some(narrow) };
    match Search::new(problem, limits).stopped_by(stop.clone()).solve(&[]) {
        Answer::Model(model) => validate(problem, &model.moves.unwrap_or_default(), &model.inputs).ok(),
        Answer::Core(_) | Answer::Unknown(_) => None,
    }
}
