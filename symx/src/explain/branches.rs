//! Branches that change: where the failing execution and the passing one take different paths.

use crate::native::interpreted_recording::profile_of_threads;
use crate::session::Session;
use std::io::Cursor;
use std::sync::Arc;
use symx_expr::StopToken;
use symx_interp::paths::guide::Guide;
use symx_interp::paths::reference::Reference;
use symx_posix_explore::{FixedSchedule, Found, flipped_branches, replay_recorded};
use symx_trace::explanation::Execution;
use symx_trace::profile::{ProcessEnd, ProfileStream};
use symx_trace::{Failure, FlippedBranch};

/// The branches that go other ways in the failing execution than in the passing one, each thread's in order.
/// Both are run again, the failing one beside the other's recorded paths.
pub(super) fn changed_branches(
    session: &Session,
    found: &Found,
    failing: &Execution,
    passing: &Execution,
) -> Vec<FlippedBranch> {
    let Some(reference) = recorded(session, found, passing) else { return Vec::new() };
    let session = session.numbering(&failing.course.threads);
    let machine = session.beside(&found.inputs, Arc::new(reference));
    let solver = session.solver(StopToken::default());
    let mut changed = flipped_branches(&machine, solver, schedule(found, failing));
    changed.retain(|branch| !leads_straight_to(&found.failure, branch));
    changed
}

/// Whether a branch is the check that fails: that it goes the other way is the failure itself.
pub fn leads_straight_to(failure: &Failure, branch: &FlippedBranch) -> bool {
    let (at, of) = (&branch.location, &failure.location);
    branch.thread == failure.thread && (&at.file, at.line) == (&of.file, of.line)
}

/// The paths of an execution.
fn recorded(session: &Session, found: &Found, execution: &Execution) -> Option<Reference> {
    let session = session.numbering(&execution.course.threads);
    let machine = session.recording_for(&found.inputs);
    let solver = session.solver(StopToken::default());
    let mut stream = ProfileStream::new(Cursor::new(Vec::new()));
    let threads = replay_recorded(&machine, solver, schedule(found, execution), &mut stream);
    let profile = profile_of_threads(&session, ProcessEnd::Unknown, &threads, stream).ok()?;
    let program = &session.loaded.program;
    let guide = Guide::new(&profile, program, &StopToken::default()).ok()?;
    Some(Reference::new(guide, program))
}

fn schedule<'a>(found: &'a Found, execution: &'a Execution) -> FixedSchedule<'a> {
    FixedSchedule {
        visible: found.visible.as_deref(),
        decisions: &execution.course.decisions,
        expected: None,
    }
}
