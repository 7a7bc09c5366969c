//! `symx run --guide`: what a recorded profile adds to a run, and what it lacks.

use crate::explain::found_by;
use crate::limits::budget::Deadline;
use crate::report::Cut;
use crate::schedules::confirm::{Findings, confirm_one};
use crate::schedules::fewest_preemptions::prove_of_failure;
use crate::session::Session;
use symx_ir::Program;
use symx_posix_explore::ExploreOptions;
use symx_trace::profile::NOT_RECORDED;
use symx_trace::{IncompleteReason, ThreadName};

/// Gaps of the guide's record make the verdict incomplete.
pub fn cut_by_record(session: &Session, findings: &mut Findings) {
    for thread in session.options.guide.iter().flat_map(|guide| guide.unfollowed()) {
        let what = format!(
            "{}: the beginning of its record is lost, so it was not restricted to its recorded path",
            ThreadName::label_of(thread)
        );
        findings.cut(Cut::because(IncompleteReason::RecordBeginningLost, what));
    }
    if let Some(guide) = &session.options.guide {
        if guide.is_cut_off() {
            let what = "the profile is truncated: threads or parts of their paths are missing";
            findings.cut(Cut::because(IncompleteReason::RecordCutOff, what));
        }
        let unrecorded = unrecorded_inputs(&session.loaded.program);
        if !unrecorded.is_empty() {
            let what = format!("the results of {} were not recorded", unrecorded.join(", "));
            findings.cut(Cut::because(IncompleteReason::InputsNotRecorded, what));
        }
    }
}

/// Proves that the failure found takes as many preemptions as it has, or takes a schedule with
/// fewer in its place.
pub fn prove_minimal(session: &Session, options: &ExploreOptions, findings: &mut Findings, end: &Deadline) {
    let Some(confirmed) = findings.confirmed.first_mut() else { return };
    let Some(found) = found_by(&confirmed.schedule) else { return };
    let over = end.cutoff();
    let preemptions = confirmed.violation.preemptions;
    let (proof, better) = prove_of_failure(session, &found, preemptions, options, &over);
    let better = better.and_then(|better| confirm_one(session, &better, options, end).ok());
    if let Some(better) = better.filter(|better| better.violation.preemptions < preemptions) {
        *confirmed = better;
    }
    confirmed.violation.fewest = Some(proof);
}

/// Through which functions that the program calls input enters that no profile holds, in order of name.
fn unrecorded_inputs(program: &Program) -> Vec<&str> {
    let mut names: Vec<&str> = program.names_called().filter(|name| NOT_RECORDED.contains(name)).collect();
    names.sort_unstable();
    names.dedup();
    names
}
