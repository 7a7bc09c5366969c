//! The explanation that `symx run` ends with: as much of it as fits into a budget of its own. So a verdict
//! that is known never waits for its cause.

use crate::explain::trial::try_remedies;
use crate::explain::weakest_ordering::weaken_orderings;
use crate::explain::{Explained, explain, found_by};
use crate::limits::budget::Deadline;
use crate::schedules::confirm::{Confirmed, confirm_as_found};
use crate::session::Session;
use std::time::Duration;
use symx_expr::StopReason;
use symx_posix_explore::ExploreOptions;
use symx_trace::explanation::Trial;

/// How long is explained at most.
#[derive(Clone, Copy)]
pub struct ExplainingTime {
    /// The difference to a passing execution, and the root cause.
    pub analysing: Duration,
    /// Verifying suggested fixes.
    pub verifying: Duration,
}

impl ExplainingTime {
    /// After an exploration: seconds, as most explanations take less than one. `symx explain` takes longer.
    pub const OF_RUN: Self = Self { analysing: Duration::from_secs(4), verifying: Duration::from_secs(3) };

    /// After a recorded run was reproduced, whose executions are long.
    pub const OF_RECORDED_RUN: Self =
        Self { analysing: Duration::from_secs(20), verifying: Duration::from_secs(5) };
}

/// Explains a failure, and takes the minimised schedule and its explanation in place of those known. Why the
/// analysis was cut short, if it was.
pub fn explain_confirmed(
    session: &Session,
    confirmed: &mut Confirmed,
    options: &ExploreOptions,
    time: ExplainingTime,
    end: &Deadline,
) -> Option<String> {
    let found = found_by(&confirmed.schedule)?;
    let analysing = end.within(time.analysing);
    // It takes several replays, each of which is as long as it is.
    if analysing.left() <= 2 * confirmed.replay_time {
        let why = match end.reason() {
            Some(StopReason::Interrupted) => "interrupted".to_owned(),
            Some(StopReason::MaxMemory) => "no memory is left".to_owned(),
            Some(StopReason::MaxTime) => "no time is left".to_owned(),
            _ => format!("a replay alone takes {:.1} s", confirmed.replay_time.as_secs_f64()),
        };
        confirmed.explanation.limits.push(format!("the root cause was not analysed: {why}").into());
        return Some(format!("not explained ({why}); `symx explain` takes more time"));
    }
    let Explained { mut explanation, found } = explain(session, &found, options, false, &analysing)?;
    let is_analysis_cut = analysing.is_over();
    let verifying = end.renewed(time.verifying).until(end);
    try_remedies(session, &mut explanation, options, &verifying);
    weaken_orderings(session, &mut explanation, options, &verifying);
    let is_open = |trial: &Trial| matches!(trial, Trial::Untried | Trial::Incomplete(_));
    let is_verification_cut =
        verifying.is_over() && explanation.remedies.iter().any(|fix| is_open(fix.trial()));
    match confirm_as_found(session, &found, options) {
        Ok(minimised) if minimised.violation.preemptions <= confirmed.violation.preemptions => {
            let fewest = confirmed.violation.fewest.take();
            *confirmed = minimised;
            confirmed.violation.fewest = fewest;
        }
        _ => {}
    }
    confirmed.take(explanation);
    let cut = |what: &str, time: Duration| {
        let when = match end.reason() {
            Some(StopReason::MaxTime) => "by --max-time".to_owned(),
            Some(StopReason::MaxMemory) => "by --max-memory".to_owned(),
            Some(StopReason::Interrupted) | None => format!("after {} s", time.as_secs()),
        };
        Some(format!("{what} was cut {when}; `symx explain` takes more time"))
    };
    match (end.reason(), is_analysis_cut, is_verification_cut) {
        (Some(StopReason::Interrupted), ..) => Some("the explanation was interrupted".into()),
        (_, true, _) => cut("the analysis", time.analysing),
        (_, false, true) => cut("verifying fixes", time.verifying),
        (_, false, false) => None,
    }
}
