//! What a failure depends on, found by exploring: whether any execution ends well, and whether any does in which steps of
//! the failing one keep their order. That needs no symbolic trace, and tells of all paths.

use crate::budget::Deadline;
use crate::session::Session;
use std::sync::Arc;
use std::time::Duration;
use symx_checkers::projection::{Suspect, visits};
use symx_expr::StopToken;
use symx_interp::explore::{ExploreOptions, Found, Observer, Progress, Reduction, explore_all, observe};
use symx_interp::memory::Site;
use symx_interp::remedies::{ASSUMED, Precedence, Remedies, SourceLine, Visit};
use symx_trace::explanation::{Cause, Execution, Reach};
use symx_trace::race::EndResult;
use symx_trace::{Decision, Failure, Input, ThreadName};

/// How long is explored for one explanation at most.
const LOOKING: Duration = Duration::from_secs(5);

/// How a program's executions with some inputs end, as far as they were explored.
pub struct Ends {
    /// How they fail, each fault once.
    failures: Vec<Found>,
    /// The way to an execution that does not fail, the last one explored, if any, and the names of the threads by the numbers there.
    pub good: Option<(Vec<Decision>, Vec<ThreadName>)>,
    /// What of memory counted as visible on that way, ascending.
    pub visible: Vec<Site>,
    /// Whether these are all.
    is_complete: bool,
    /// What cut the exploration short, if anything but a good end did.
    pub cut: Option<&'static str>,
}

impl Ends {
    /// Explores until an execution ends well, for a while, or until the end.
    pub fn of(session: &Session, inputs: &[Input], options: &ExploreOptions, end: &Deadline) -> Self {
        Self::within(session, inputs, options, end, u64::MAX)
    }

    /// The same, for so many steps at most.
    pub fn within(
        session: &Session,
        inputs: &[Input],
        options: &ExploreOptions,
        end: &Deadline,
        most: u64,
    ) -> Self {
        let end = end.within(LOOKING);
        let machine = session.machine_for(inputs);
        let (solver, _) = session.solver(end.cutoff());
        let options = ExploreOptions {
            keep_going: true,
            keep_endings: true,
            reduction: Reduction::ReadsFrom,
            check_leaks: options.check_leaks,
            check_exit: options.check_exit,
            ..ExploreOptions::default()
        };
        let mut good_end = GoodEnd { deadline: end, most, is_found: false };
        let exploration = explore_all(&machine, solver, &options, &mut good_end);
        let cut = exploration.incomplete.first().map(|cut| cut.reason).filter(|_| !good_end.is_found);
        let good =
            exploration.endings.into_iter().find(|ending| matches!(ending.result, EndResult::Exit { .. }));
        Self {
            good: good.map(|ending| (ending.decisions, ending.threads)).filter(|_| good_end.is_found),
            failures: exploration.failures,
            visible: exploration.visible,
            is_complete: !good_end.is_found && exploration.incomplete.is_empty(),
            cut,
        }
    }

    /// Whether there is an execution that nobody is held back in for ever by what is assumed.
    fn has_any(&self) -> bool {
        self.good.is_some() || self.failures.iter().any(|found| found.failure.detail != ASSUMED)
    }

    /// Whether every execution fails.
    pub fn always_fails(&self) -> bool {
        self.is_complete && !self.failures.is_empty()
    }

    /// Whether all are one fault, but for executions that only an assumption kept from going on: an example of it.
    fn one_fault(&self, fault: &Failure) -> Option<&Found> {
        let is_it = |found: &&Found| found.failure.same_fault(fault);
        let is_only = self.failures.iter().all(|found| is_it(&found) || found.failure.detail == ASSUMED);
        self.failures.iter().find(is_it).filter(|_| self.is_complete && is_only)
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
    end: &Deadline,
) -> Option<Cause> {
    let failure = failing.failure.as_ref()?;
    let end = &end.within(LOOKING);
    let under = |orders: &[Suspect]| Assumed::new(session, failing, orders, inputs);
    let is_enough = |orders: &[Suspect]| {
        under(orders).is_some_and(|assumed| {
            let ends = assumed.ends(options, end);
            ends.one_fault(failure)
                .is_some_and(|found| assumed.means_the_same(failing, orders, found, options, end))
        })
    };
    // That what is always so comes before a failure explains nothing.
    let can_be_reversed = |suspect: &&Suspect| {
        suspect.is_reversed
            || under(&[suspect.reversed()]).is_some_and(|assumed| assumed.ends(options, end).has_any())
    };
    let mut orders: Vec<Suspect> = Vec::new();
    for suspect in suspects.iter().filter(can_be_reversed) {
        if is_enough(&[*suspect]) {
            return Some(cause(&[*suspect], true));
        }
        orders.push(*suspect);
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
    Some(cause(&orders, !end.is_over()))
}

fn cause(orders: &[Suspect], is_minimal: bool) -> Cause {
    Cause {
        orders: orders.iter().map(|suspect| suspect.order).collect(),
        visits: orders.iter().map(|suspect| suspect.visits).collect(),
        is_minimal,
        reach: Reach::Program,
    }
}

/// The program in those executions only in which some orders hold.
struct Assumed<'a> {
    session: Session,
    inputs: &'a [Input],
}

impl<'a> Assumed<'a> {
    /// `None` if the orders cannot be told by places of the source.
    fn new(session: &Session, failing: &Execution, orders: &[Suspect], inputs: &'a [Input]) -> Option<Self> {
        let visit = |step: u32, number: u32| {
            let step = &failing.steps[step as usize];
            let line = SourceLine { file: step.location.file.clone(), line: step.location.line };
            let thread = failing.threads[step.thread as usize].name.clone();
            Visit { thread, line, column: step.location.column, number }
        };
        let precedence = |suspect: &Suspect| Precedence {
            first: visit(suspect.order.0, suspect.visits.0),
            then: visit(suspect.order.1, suspect.visits.1),
        };
        let precedences: Vec<Precedence> = orders.iter().map(precedence).collect();
        let assumed = session.options.remedies.as_deref().cloned().unwrap_or_default();
        let bound = assumed.with(&session.loaded.program, &precedences).ok()?;
        Some(Self { session: session.under_remedies(Arc::<Remedies>::new(bound)), inputs })
    }

    fn ends(&self, options: &ExploreOptions, end: &Deadline) -> Ends {
        Ends::of(&self.session, self.inputs, options, end)
    }

    /// Whether the visits spoken of are here those of the failing execution: here what a thread does to memory of its own
    /// counts, too, so that it may have been at a place before. `found` is an example of how these executions fail.
    fn means_the_same(
        &self,
        failing: &Execution,
        orders: &[Suspect],
        found: &Found,
        options: &ExploreOptions,
        end: &Deadline,
    ) -> bool {
        let machine = self.session.machine_for(self.inputs);
        let solver = || self.session.solver(StopToken::default()).0;
        let (visible, fault) = (found.visible.as_deref(), Some(&found.failure));
        let (_, execution) =
            observe(&machine, solver, visible, &found.decisions, fault, options, &end.cutoff());
        let is_same = |step: u32, number: u32| {
            let step = &failing.steps[step as usize];
            let thread = &failing.threads[step.thread as usize].name;
            let here = visits(&execution, thread, &step.location);
            let does_the_same = |other: &u32| {
                let other = &execution.steps[*other as usize];
                (&other.kind, &other.object) == (&step.kind, &step.object)
            };
            // A livelock is told before its thread comes round: a first visit may be yet to come.
            let is_counted = number == 1 || here.len() == visits(failing, thread, &step.location).len();
            let visit = here.get(number as usize - 1);
            is_counted && visit.is_none_or(|visit| visit.iter().any(does_the_same))
        };
        orders
            .iter()
            .all(|Suspect { order, visits, .. }| is_same(order.0, visits.0) && is_same(order.1, visits.1))
    }
}

/// Ends an exploration where an execution does not fail, too.
struct GoodEnd {
    deadline: Deadline,
    /// Steps.
    most: u64,
    is_found: bool,
}

impl Observer for GoodEnd {
    fn progress(&mut self, progress: &Progress) -> Option<&'static str> {
        match self.is_found {
            true => Some("good-end"),
            false if progress.events > self.most => Some("max-steps"),
            false => self.deadline.progress(progress),
        }
    }

    fn ended_well(&mut self) {
        self.is_found = true;
    }
}
