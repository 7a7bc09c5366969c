//! What a failure depends on, found by exploring: whether any execution ends well, and whether any does in which steps of
//! the failing one keep their order. That needs no symbolic trace, and tells of all paths.

use crate::budget::max_time;
use crate::session::Session;
use crate::trial::Deadline;
use std::sync::Arc;
use std::time::{Duration, Instant};
use symx_checkers::projection::Suspect;
use symx_interp::explore::{ExploreOptions, Observer, Progress, explore_all};
use symx_interp::memory::Site;
use symx_interp::remedies::{ASSUMED, Precedence, Remedies, SourceLine, Visit};
use symx_trace::explanation::{Cause, Execution, Reach};
use symx_trace::race::EndResult;
use symx_trace::{Decision, Failure, FailureKind, Input};

/// How long is explored for one explanation at most.
const LOOKING: Duration = Duration::from_secs(5);

/// How a program's executions with some inputs end, as far as they were explored.
pub struct Ends {
    /// How they fail, each fault once.
    failures: Vec<Failure>,
    /// The way to an execution that does not fail: the last one explored, if any.
    pub good: Option<Vec<Decision>>,
    /// What of memory counted as visible on that way, ascending.
    pub visible: Vec<Site>,
    /// Whether these are all.
    is_complete: bool,
}

impl Ends {
    /// Explores until an execution ends well, for a while, or until the end.
    pub fn of(session: &Session, inputs: &[Input], options: &ExploreOptions, end: Instant) -> Self {
        let end = end.min(Instant::now() + LOOKING);
        let machine = session.machine_for(inputs);
        let (solver, _) = session.solver(max_time(Some(end)));
        let options = ExploreOptions {
            keep_going: true,
            keep_endings: true,
            check_leaks: options.check_leaks,
            check_exit: options.check_exit,
            ..ExploreOptions::default()
        };
        let mut good_end = GoodEnd { deadline: Deadline(Some(end)), is_found: false };
        let exploration = explore_all(&machine, solver, &options, &mut good_end);
        let good =
            exploration.endings.into_iter().find(|ending| matches!(ending.result, EndResult::Exit { .. }));
        Self {
            good: good.map(|ending| ending.decisions).filter(|_| good_end.is_found),
            failures: exploration.failures.into_iter().map(|found| found.failure).collect(),
            visible: exploration.visible,
            is_complete: !good_end.is_found && exploration.incomplete.is_empty(),
        }
    }

    /// Whether there is an execution that nobody is held back in for ever by what is assumed.
    fn has_any(&self) -> bool {
        self.good.is_some() || self.failures.iter().any(|failure| failure.detail != ASSUMED)
    }

    /// Whether every execution fails. That is not known where a failure ends the process while other threads could go on:
    /// what these share with the one that fails may not have been seen by then.
    pub fn always_fails(&self) -> bool {
        let is_stuck = |failure: &Failure| {
            matches!(failure.kind, FailureKind::Deadlock | FailureKind::Livelock) || failure.others.is_empty()
        };
        self.is_complete && !self.failures.is_empty() && self.failures.iter().all(is_stuck)
    }
}

/// Orders among the `suspects` such that every execution of the program in which all of them hold fails alike; `None` if
/// that is not shown before the end. That an execution does not fail is known.
pub fn explored_cause(
    session: &Session,
    failing: &Execution,
    suspects: &[Suspect],
    inputs: &[Input],
    options: &ExploreOptions,
    end: Instant,
) -> Option<Cause> {
    let failure = failing.failure.as_ref()?;
    let end = end.min(Instant::now() + LOOKING);
    let explore = |orders: &[(u32, u32)]| ends_under(session, failing, orders, inputs, options, end);
    let is_enough = |orders: &[(u32, u32)]| {
        explore(orders).is_some_and(|ends| ends.is_complete && is_one_fault(&ends.failures, failure))
    };
    // That what is always so comes before a failure explains nothing.
    let can_be_reversed = |suspect: &&Suspect| {
        let (first, then) = suspect.order;
        suspect.is_reversed || explore(&[(then, first)]).is_some_and(|ends| ends.has_any())
    };
    let mut orders = Vec::new();
    for suspect in suspects.iter().filter(can_be_reversed) {
        if is_enough(&[suspect.order]) {
            return Some(Cause { orders: vec![suspect.order], is_minimal: true, reach: Reach::Program });
        }
        orders.push(suspect.order);
    }
    if orders.len() < 2 || !is_enough(&orders) {
        return None;
    }
    let mut next = 0;
    while next < orders.len() {
        let mut rest = orders.clone();
        rest.remove(next);
        if is_enough(&rest) { orders = rest } else { next += 1 }
    }
    // What was not shown before the end may still be one too many.
    let is_minimal = Instant::now() < end;
    Some(Cause { orders, is_minimal, reach: Reach::Program })
}

/// Whether these are a fault and nothing else, but for executions that only an assumption kept from going on.
fn is_one_fault(failures: &[Failure], fault: &Failure) -> bool {
    let is_it = |failure: &Failure| failure.same_fault(fault);
    failures.iter().any(is_it) && failures.iter().all(|failure| is_it(failure) || failure.detail == ASSUMED)
}

/// How the executions end in which these orders hold; `None` if they cannot be told by places of the source.
fn ends_under(
    session: &Session,
    failing: &Execution,
    orders: &[(u32, u32)],
    inputs: &[Input],
    options: &ExploreOptions,
    end: Instant,
) -> Option<Ends> {
    let visit = |number: u32| {
        let step = &failing.steps[number as usize];
        let line = SourceLine { file: step.location.file.clone(), line: step.location.line };
        let thread = failing.threads[step.thread as usize].name.clone();
        Visit { thread, line, column: step.location.column }
    };
    let precedences: Vec<Precedence> =
        orders.iter().map(|(first, then)| Precedence { first: visit(*first), then: visit(*then) }).collect();
    let assumed = session.options.remedies.as_deref().cloned().unwrap_or_default();
    let bound = assumed.with(&session.loaded.program, &precedences).ok()?;
    let under: Session = session.under_remedies(Arc::<Remedies>::new(bound));
    Some(Ends::of(&under, inputs, options, end))
}

/// Ends an exploration where an execution does not fail, too.
struct GoodEnd {
    deadline: Deadline,
    is_found: bool,
}

impl Observer for GoodEnd {
    fn progress(&mut self, progress: &Progress) -> Option<&'static str> {
        if self.is_found { Some("good-end") } else { self.deadline.progress(progress) }
    }

    fn execution(&mut self, _output: &[u8], _exit_status: u8) {
        self.is_found = true;
    }
}
