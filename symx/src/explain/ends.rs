//! How a program's executions end, found by exploring: whether any passes, and whether those that fail do so
//! in one way. That needs no symbolic trace, and covers all paths.

use crate::explain::limits::LOOKING;
use crate::limits::budget::Deadline;
use crate::session::Session;
use symx_interp::memory::Site;
use symx_posix_explore::{ExploreOptions, Found, Observer, Progress, Reduction, explore_all};
use symx_trace::explanation::Explored;
use symx_trace::race::EndResult;
use symx_trace::{Decision, Failure, FailureDetail, IncompleteReason, Input, ThreadName};

/// How a program's executions with some inputs end, as far as they were explored.
pub struct Ends {
    /// How they fail, each fault once.
    pub failures: Vec<Found>,
    /// The way to an execution that does not fail, the last one explored, if any, and the names of the
    /// threads by the numbers there.
    pub good: Option<(Vec<Decision>, Vec<ThreadName>)>,
    /// The memory that counted as visible on that way, ascending.
    pub visible: Vec<Site>,
    /// Whether these are all.
    pub is_complete: bool,
    /// How much was explored: executions that terminated.
    pub explored: Explored,
    /// The reason that cut the exploration short, if it was not a passing execution.
    pub cut: Option<IncompleteReason>,
}

impl Ends {
    /// Explores until an execution passes, for a while, or until the end.
    pub fn of(session: &Session, inputs: &[Input], options: &ExploreOptions, end: &Deadline) -> Self {
        Self::within(session, inputs, options, end, u64::MAX)
    }

    /// The same, for at most this many steps.
    pub fn within(
        session: &Session,
        inputs: &[Input],
        options: &ExploreOptions,
        end: &Deadline,
        most: u64,
    ) -> Self {
        let end = end.within(LOOKING);
        let machine = session.machine_for(inputs);
        let solver = session.solver(end.cutoff());
        let options = ExploreOptions {
            keep_going: true,
            keep_endings: true,
            reduction: Reduction::ReadsFrom,
            counted: options.counted,
            ..ExploreOptions::default()
        };
        let mut good_end = GoodEnd::within(end, most);
        let exploration = explore_all(&machine, solver, &options, &mut good_end);
        let cut = exploration.incomplete.first().map(|cut| cut.reason).filter(|_| !good_end.is_found);
        let good =
            exploration.endings.into_iter().find(|ending| matches!(ending.result, EndResult::Exit { .. }));
        Self {
            good: good.map(|ending| (ending.decisions, ending.threads)).filter(|_| good_end.is_found),
            failures: exploration.failures,
            explored: Explored {
                executions: exploration.progress.executions,
                states: Some(exploration.progress.states).filter(|states| *states > 0),
            },
            visible: exploration.visible,
            is_complete: !good_end.is_found && exploration.incomplete.is_empty(),
            cut,
        }
    }

    /// Whether there is an execution in which what is assumed holds no thread back forever.
    pub fn has_any(&self) -> bool {
        self.good.is_some()
            || self.failures.iter().any(|found| found.failure.detail != FailureDetail::Assumed)
    }

    /// Whether every execution fails, be it in different ways.
    pub fn all_fail(&self) -> bool {
        self.is_complete && !self.failures.is_empty()
    }

    /// Another way to fail than this one.
    pub fn other_than(&self, fault: &Failure) -> Option<&Failure> {
        self.failures.iter().map(|found| &found.failure).find(|failure| !failure.same_fault(fault))
    }

    /// Whether all are one fault, but for executions that only an assumption held back: an example of it.
    pub fn one_fault(&self, fault: &Failure) -> Option<&Found> {
        let is_it = |found: &&Found| found.failure.same_fault(fault);
        let is_only =
            self.failures.iter().all(|found| is_it(&found) || found.failure.detail == FailureDetail::Assumed);
        self.failures.iter().find(is_it).filter(|_| self.is_complete && is_only)
    }
}

/// Ends an exploration where an execution does not fail, too.
pub(super) struct GoodEnd {
    deadline: Deadline,
    /// Steps.
    most: u64,
    is_found: bool,
}

impl GoodEnd {
    /// After at most this many steps.
    pub(super) fn within(deadline: Deadline, most: u64) -> Self {
        Self { deadline, most, is_found: false }
    }
}

impl Observer for GoodEnd {
    fn progress(&mut self, progress: &Progress) -> Option<IncompleteReason> {
        match self.is_found {
            // No more executions are asked for.
            true => Some(IncompleteReason::MaxExecutions),
            false if progress.events > self.most => Some(IncompleteReason::MaxSteps),
            false => self.deadline.progress(progress),
        }
    }

    fn execution_passed(&mut self) {
        self.is_found = true;
    }
}
