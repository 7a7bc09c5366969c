//! The program in those executions only in which some orders of steps hold. Steps that come too early are
//! held back, as suggested fixes are tried.

use crate::explain::ends::Ends;
use crate::limits::budget::Deadline;
use crate::session::Session;
use std::sync::Arc;
use symx_checkers::projection::{Suspect, occurrence, occurrences, visits};
use symx_expr::StopToken;
use symx_interp::memory::Site;
use symx_interp::remedies::{Precedence, Remedies, SourceLine, StepKind, Visit};
use symx_posix_explore::{ExploreOptions, FixedSchedule, observe};
use symx_trace::explanation::{ExecutedStep, Execution, Explored};
use symx_trace::{Decision, EventKind, Failure, Input, ThreadName};

/// That one step comes before another one, expressed as visits to source locations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HeldOrder {
    /// Two steps of the failing execution, the earlier first.
    pub order: (u32, u32),
    /// Of each, the how-manyth visit to its location it is part of.
    pub visits: (u32, u32),
    /// Whether each step of its kind is a visit of its own.
    by_kind: bool,
}

impl HeldOrder {
    /// That what a suspect says comes first does.
    pub fn of_suspect(suspect: &Suspect) -> Self {
        Self { order: suspect.order, visits: suspect.visits, by_kind: false }
    }

    /// That these steps of the failing execution keep their order. `None` if source locations do not express
    /// them.
    pub fn of_steps(failing: &Execution, order: (u32, u32)) -> Option<Self> {
        let visits = (occurrence(failing, order.0)?, occurrence(failing, order.1)?);
        Some(Self { order, visits, by_kind: true })
    }

    fn kind(&self, step: &ExecutedStep) -> StepKind {
        match step.kind {
            _ if !self.by_kind => StepKind::Any,
            EventKind::Failure => StepKind::Any,
            EventKind::Read => StepKind::Read,
            EventKind::Write | EventKind::Commit => StepKind::Write,
            EventKind::ReadModifyWrite => StepKind::ReadModifyWrite,
            EventKind::Fence => StepKind::Fence,
            EventKind::Free => StepKind::Return,
            EventKind::Call(_) => StepKind::Call,
        }
    }
}

/// The results of executions in which some orders hold.
pub enum Shown {
    /// All fail alike: how much was explored.
    AllFail(Explored),
    /// One passes.
    OnePasses,
    /// Neither.
    Open,
}

/// Leaves out orders that all executions fail without; `show` gets how many are still to be tried. Returns
/// the rest, how much was explored then, and whether one passes without each of these.
pub fn without_needless<T: Clone>(
    mut orders: Vec<T>,
    mut explored: Explored,
    mut show: impl FnMut(&[T], usize) -> Shown,
) -> (Vec<T>, Explored, bool) {
    let (mut next, mut is_minimal) = (0, true);
    while orders.len() > 1 && next < orders.len() {
        let mut rest = orders.clone();
        rest.remove(next);
        match show(&rest, orders.len() - next) {
            Shown::AllFail(of_rest) => (orders, explored) = (rest, of_rest),
            shown => {
                // An order that was not shown to matter may still be one too many.
                is_minimal &= matches!(shown, Shown::OnePasses);
                next += 1;
            }
        }
    }
    (orders, explored, is_minimal)
}

/// The program under orders.
pub struct HeldOrders<'a> {
    session: Session,
    failing: &'a Execution,
    orders: Vec<HeldOrder>,
    inputs: &'a [Input],
}

impl<'a> HeldOrders<'a> {
    /// `None` if the orders cannot be expressed by locations of the source.
    pub fn new(
        session: &Session,
        failing: &'a Execution,
        orders: &[HeldOrder],
        inputs: &'a [Input],
    ) -> Option<Self> {
        let visit = |held: &HeldOrder, step: u32, number: u32| {
            let step = &failing.steps[step as usize];
            let line = SourceLine { file: step.location.file.clone(), line: step.location.line };
            let thread = failing.threads[step.thread as usize].name.clone();
            Visit { thread, line, column: step.location.column, kind: held.kind(step), number }
        };
        let precedence = |held: &HeldOrder| Precedence {
            first: visit(held, held.order.0, held.visits.0),
            then: visit(held, held.order.1, held.visits.1),
            synchronises: false,
        };
        let precedences: Vec<Precedence> = orders.iter().map(precedence).collect();
        let assumed = session.options.remedies.as_deref().cloned().unwrap_or_default();
        let bound = assumed.with(&session.loaded.program, &precedences).ok()?;
        let session = session.under_remedies(Arc::<Remedies>::new(bound));
        Some(Self { session, failing, orders: orders.to_vec(), inputs })
    }

    /// How the executions end.
    pub fn ends(&self, options: &ExploreOptions, end: &Deadline) -> Ends {
        Ends::of(&self.session, self.inputs, options, end)
    }

    /// How much was explored, if executions end so that all fail as the failing one does. The orders must
    /// speak of the same visits there.
    pub fn fail_alike(&self, ends: &Ends, options: &ExploreOptions, end: &Deadline) -> Option<Explored> {
        let found = ends.one_fault(self.failing.failure.as_ref()?)?;
        let (visible, fault) = (found.visible.as_deref(), Some(&found.failure));
        let execution = self.observe(visible, &found.decisions, fault, options, end);
        self.means_the_same(&execution).then_some(ends.explored)
    }

    /// The execution under these decisions.
    pub fn observe(
        &self,
        visible: Option<&[Site]>,
        decisions: &[Decision],
        expected: Option<&Failure>,
        options: &ExploreOptions,
        end: &Deadline,
    ) -> Execution {
        let machine = self.session.machine_for(self.inputs);
        let solver = || self.session.solver(StopToken::default());
        let schedule = FixedSchedule { visible, decisions, expected };
        observe(&machine, solver, schedule, options, &end.cutoff()).1
    }

    /// The same where threads have these numbers.
    pub fn numbering(&self, threads: &[ThreadName]) -> Self {
        let (failing, orders, inputs) = (self.failing, self.orders.clone(), self.inputs);
        Self { session: self.session.numbering(threads), failing, orders, inputs }
    }

    /// Whether the visits spoken of are in this execution those of the failing one. Here a thread's accesses
    /// to memory of its own count, too, so that it may have been at a place before.
    pub fn means_the_same(&self, execution: &Execution) -> bool {
        let failing = self.failing;
        let is_same = |held: &HeldOrder, step: u32, number: u32| {
            let step = &failing.steps[step as usize];
            let thread = &failing.threads[step.thread as usize].name;
            let visits = |execution: &Execution| match held.by_kind {
                true => occurrences(execution, thread, step),
                false => visits(execution, thread, &step.location),
            };
            let (here, there) = (visits(execution), visits(failing));
            let does = |visit: &[u32], like: &ExecutedStep| {
                let mut steps = visit.iter().map(|number| &execution.steps[*number as usize]);
                steps.any(|other| (&other.kind, &other.object) == (&like.kind, &like.object))
            };
            let number = number as usize - 1;
            let earlier = here.iter().zip(&there).take(number);
            let first = |visit: &[u32]| &failing.steps[visit[0] as usize];
            // A livelock is reported before its thread iterates: a first visit may be yet to come.
            (number == 0 || here.len() > number)
                && earlier.into_iter().all(|(here, there)| does(here, first(there)))
                && here.get(number).is_none_or(|visit| does(visit, step))
        };
        self.orders.iter().all(|held| {
            is_same(held, held.order.0, held.visits.0) && is_same(held, held.order.1, held.visits.1)
        })
    }
}
