//! The outcomes of calls that end without the effect that they are for, in words.

use symx_trace::explanation::ExecutedStep;
use symx_trace::{CallEffect, CallOutcome, EventKind};

/// `timed out`, `busy`; nothing of a call that had its effect, and of what is no call.
pub fn outcome(step: &ExecutedStep) -> &'static str {
    match (step.outcome, step.kind.effect()) {
        (CallOutcome::Done | CallOutcome::Queued, _) => "",
        (CallOutcome::TimedOut, _) => "timed out",
        (CallOutcome::Failed, _) => "failed",
        (CallOutcome::Busy, Some(CallEffect::Lock)) => "busy",
        (CallOutcome::Busy, Some(CallEffect::SemaphoreWait)) => "no unit left",
        (CallOutcome::Busy, Some(CallEffect::JoinThread)) => "it still runs",
        (CallOutcome::Busy, _) => "nothing is ready",
    }
}

/// Such a call as the predicate of a sentence about its thread: `times out while locking m`.
pub fn giving_up(step: &ExecutedStep) -> Option<String> {
    let object = &step.object;
    let EventKind::Call(call) = &step.kind else { return None };
    let effect = call.effect;
    let doing = match effect {
        CallEffect::Lock => format!("locking {object}"),
        CallEffect::SemaphoreWait => format!("waiting for a unit of {object}"),
        CallEffect::JoinThread => format!("joining {object}"),
        CallEffect::ConditionWait => format!("waiting on {object}"),
        _ => format!("{}({object})", call.name),
    };
    Some(match (step.outcome, effect) {
        (CallOutcome::Done, _) => return None,
        (CallOutcome::TimedOut, CallEffect::Other) => format!("times out in {doing}"),
        (CallOutcome::TimedOut, _) => format!("times out while {doing}"),
        (CallOutcome::Failed, _) => format!("fails in {doing}"),
        (CallOutcome::Queued, CallEffect::Lock) => format!("begins to wait for {object}"),
        (CallOutcome::Queued, _) => format!("begins to wait in {doing}"),
        (CallOutcome::Busy, CallEffect::Lock) => format!("finds {object} locked"),
        (CallOutcome::Busy, CallEffect::SemaphoreWait) => format!("finds no unit of {object}"),
        (CallOutcome::Busy, CallEffect::JoinThread) => format!("finds {object} still running"),
        (CallOutcome::Busy, _) => format!("finds nothing ready in {doing}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use symx_trace::Call;

    #[test]
    fn what_has_given_up_is_told_as_such() {
        let told = |name: &str, effect, outcome_of_call| {
            let kind = EventKind::Call(Call::new(name, effect));
            let step = ExecutedStep { outcome: outcome_of_call, ..ExecutedStep::taken(1, kind, "it") };
            (outcome(&step), giving_up(&step))
        };
        let lock = |outcome| told("pthread_mutex_timedlock", CallEffect::Lock, outcome);
        assert_eq!(lock(CallOutcome::Done), ("", None));
        assert_eq!(lock(CallOutcome::TimedOut), ("timed out", Some("times out while locking it".into())));
        assert_eq!(lock(CallOutcome::Busy), ("busy", Some("finds it locked".into())));
        assert_eq!(lock(CallOutcome::Queued), ("", Some("begins to wait for it".into())));
        let poll = told("poll", CallEffect::Other, CallOutcome::TimedOut);
        assert_eq!(poll, ("timed out", Some("times out in poll(it)".into())));
    }
}
