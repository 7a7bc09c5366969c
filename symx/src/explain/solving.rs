//! Results of engines for the symbolic trace of a failing execution: the nearest execution that does not
//! fail, and the orders that make it fail.

use super::Explainer;
use super::passing::Known;
use crate::explain::limits::{FOR_CAUSE, MOST_CONFLICTS, MOST_GATES, MOST_LITERALS};
use crate::limits::budget::Deadline;
use crate::render::place;
use std::sync::Arc;
use symx_checkers::projection::{difference, leaves_paths, steps_of_events};
use symx_checkers::synthesis::{self, Problem, System, moves_of, validate};
use symx_checkers::{CauseLimits, NoRootCause, RootCause, cause_by_scope, deadlock_cause, root_cause};
use symx_expr::{StopToken, Terms};
use symx_interp::tracing::Traced;
use symx_posix_explore::symbolic_trace;
use symx_trace::explanation::{Cause, Execution, Limit};
use symx_trace::symbolic::Operation;
use symx_trace::{FailureKind, ThreadName};

/// An event by its thread and place in program order.
type Place = (usize, usize);

/// The results of the symbolic trace of the failing execution.
#[derive(Default)]
pub(super) struct Solved {
    /// The nearest execution that does not fail.
    pub passing: Option<Execution>,
    /// The orders that make it fail.
    pub cause: Option<ProvenCause>,
}

/// Orders that make the execution fail.
pub(super) struct ProvenCause {
    /// The trace whose events they order.
    traced: Traced,
    /// The earlier event first.
    orders: Vec<(Place, Place)>,
    /// Whether none can be left out.
    is_minimal: bool,
}

impl ProvenCause {
    fn new(traced: Traced, problem: &Problem, cause: &RootCause) -> Self {
        let place = |event| {
            let position = problem.position(event);
            (position.thread, position.index)
        };
        let orders = cause.orders.iter().map(|(one, other)| (place(*one), place(*other))).collect();
        let is_minimal = cause.is_minimal && !traced.has_path_in_bug;
        Self { traced, orders, is_minimal }
    }
}

impl Explainer<'_> {
    /// Results of engines for the execution's symbolic trace; why they are not asked, otherwise.
    pub(super) fn solved(
        &mut self,
        failing_execution: &Execution,
        known: Option<&Known>,
    ) -> Result<Solved, String> {
        if self.session.options.remedies.is_some() {
            return Err("a symbolic trace cannot express hypothetical fixes".into());
        }
        if self.found.failure.kind == FailureKind::Race {
            return Err("the accesses race in either order".into());
        }
        let machine = self.session.machine_for(&self.found.inputs);
        let solver = self.session.solver(StopToken::default());
        let (visible, decisions) = (self.found.visible.as_deref(), &self.found.decisions);
        let traced = symbolic_trace(&machine, solver, visible, decisions, self.options, &self.end.cutoff())
            .map_err(|not| format!("a symbolic trace cannot express {}", not.what))?;
        let terms = Arc::new(Terms::new());
        let problem = Problem::new(terms, traced.trace.clone(), self.session.memory_model)
            .and_then(|problem| problem.fits_in_tables().map(|()| problem))
            .map_err(|why| format!("{why}"))?;
        let inputs = problem.recorded_inputs();
        let failing = moves_of(&problem, &traced.order, &inputs)
            .and_then(|moves| validate(&problem, &moves, &inputs))
            .map_err(|why| format!("{why}"))?;
        if problem.trace.threads.iter().any(|thread| thread.blocked.is_some()) {
            return self.solved_deadlock(traced, &problem, &failing);
        }
        if problem.terms.is_constant(problem.bug()) {
            // Executions are tried instead.
            return Err(format!("{}", NoRootCause::NoCondition));
        }
        if System::estimate(&problem) > MOST_LITERALS || problem.gates() > MOST_GATES {
            return self.solved_in_parts(failing_execution, traced, &problem, &failing, known);
        }
        let is_nearest = known.is_some_and(|known| known.is_nearest);
        let passing = match is_nearest {
            true => None,
            false => self.nearest(failing_execution, &traced, &problem, &failing, known.is_some())?,
        };
        let compared = passing.as_ref().or(known.map(|known| &known.execution));
        let between = compared.map(|passing| between(&problem, failing_execution, passing));
        let cause = self.cause(traced, &problem, &failing, &between.unwrap_or_default());
        Ok(Solved { passing, cause })
    }

    /// Why threads wait forever. Executions are tried in search of a passing one: a thread that gets past
    /// continues with events that are in no trace.
    fn solved_deadlock(
        &mut self,
        mut traced: Traced,
        problem: &Problem,
        failing: &synthesis::Schedule,
    ) -> Result<Solved, String> {
        let end = self.end.within(self.end.left() / FOR_CAUSE);
        let found = deadlock_cause(problem, failing, &asking(&end)).map_err(|why| format!("{why}"))?;
        if found.cause.orders.is_empty() {
            self.limits.push(Limit::Unavoidable { is_shown: false });
        }
        traced.trace = found.problem.trace.clone();
        let cause = Some(ProvenCause::new(traced, &found.problem, &found.cause));
        Ok(Solved { passing: None, cause })
    }

    /// Of a long execution: the nearest one among those that differ near the end, in windows that grow
    /// (MaxSMT section 4.3). Then a cause among the orders of the events on which the failure depends,
    /// wherever they are.
    fn solved_in_parts(
        &mut self,
        failing_execution: &Execution,
        traced: Traced,
        problem: &Problem,
        failing: &synthesis::Schedule,
        known: Option<&Known>,
    ) -> Result<Solved, String> {
        let end = self.end.within(self.end.left() / FOR_CAUSE);
        let cause = cause_by_scope(problem, failing, &asking(&end));
        if cause.is_none() {
            self.no_cause = Some("the trace is long".into());
        }
        if cause.as_ref().is_some_and(|cause| cause.orders.is_empty()) {
            self.limits.push(Limit::Unavoidable { is_shown: false });
        }
        let passing = match known {
            Some(known) if known.is_nearest => None,
            known => {
                self.nearest_in_windows(failing_execution, &traced, problem, failing, known.is_some())?
            }
        };
        Ok(Solved { passing, cause: cause.map(|cause| ProvenCause::new(traced, problem, &cause)) })
    }

    /// The orders of events that make it fail, those of the threads that a passing execution is `between`
    /// before others.
    fn cause(
        &mut self,
        traced: Traced,
        problem: &Problem,
        failing: &synthesis::Schedule,
        between: &[usize],
    ) -> Option<ProvenCause> {
        let end = self.end.within(self.end.left() / FOR_CAUSE);
        match root_cause(problem, failing, &asking(&end), between) {
            Ok(cause) => Some(ProvenCause::new(traced, problem, &cause)),
            Err(why) => {
                self.no_cause = Some(why.to_string());
                None
            }
        }
    }

    /// A cause as orders of steps. `None`, and why, if some event is no step.
    pub(super) fn as_steps(
        &mut self,
        cause: ProvenCause,
        failing: &mut Execution,
        passing: Option<&Execution>,
    ) -> Option<Cause> {
        let ProvenCause { traced, orders, is_minimal } = cause;
        let looks = |thread, event| traced.looks_for_life(thread, event);
        let steps = steps_of_events(failing, &traced.trace, looks);
        let step = |(thread, index): Place| steps.get(thread)?.get(index).copied().flatten();
        let named: Option<Vec<(u32, u32)>> =
            orders.iter().map(|(one, other)| Some((step(*one)?, step(*other)?))).collect();
        let Some(named) = named else {
            let in_words = |(one, other): &(Place, Place)| {
                format!(
                    "{} before {}",
                    event_in_words(&traced, failing, *one),
                    event_in_words(&traced, failing, *other)
                )
            };
            // Some of these are no steps of the schedule: threads change at synchronisation only.
            self.in_words = orders.iter().map(in_words).collect();
            return None;
        };
        // One order is none too many if there is an execution of the same paths that does not fail.
        let stays = |passing: &Execution| leaves_paths(failing, passing).is_empty();
        let is_minimal = is_minimal || named.len() == 1 && passing.is_some_and(stays);
        // Orders of a store that waits in a buffer are those of its commit.
        let effects = named.into_iter().map(|(one, other)| {
            let one = failing.effect(one);
            if failing.effect(other) < one {
                failing.add_commit(other);
            }
            (one, failing.effect(other))
        });
        Some(Cause { orders: effects.collect(), is_minimal, ..Cause::default() })
    }
}

/// The time limit of questions to engines.
pub(super) fn asking(end: &Deadline) -> CauseLimits {
    CauseLimits { most_literals: MOST_LITERALS, most_conflicts: MOST_CONFLICTS, stop: end.cutoff() }
}

/// The threads whose steps differ between two executions.
fn between(problem: &Problem, failing: &Execution, passing: &Execution) -> Vec<usize> {
    let steps = difference(failing, passing).failing_steps;
    let of_step = |step: &u32| &failing.threads[failing.steps[*step as usize].thread as usize].name;
    let names: Vec<&ThreadName> = steps.iter().map(of_step).collect();
    let threads = problem.trace.threads.iter().enumerate();
    threads.filter(|(_, thread)| names.contains(&&thread.name)).map(|(number, _)| number).collect()
}

/// `T1 worker reads queue (a.c:12)`, of an event of a symbolic trace.
fn event_in_words(traced: &Traced, failing: &Execution, (thread, index): Place) -> String {
    let trace = &traced.trace;
    let thread = &trace.threads[thread];
    let event = &thread.events[index];
    let title = failing.title(&thread.name);
    let writes = matches!(event.operation, Operation::Write { .. } | Operation::Effect { .. });
    let does = match event.operation {
        Operation::Read { .. } => "reads",
        _ if writes => "writes",
        _ => "reaches",
    };
    let object = event.operation.span().map(|span| &trace.objects[span.object.0 as usize]);
    let place = place(&event.location);
    let Some(object) = object else { return format!("{title} {does} {place}") };
    let (does, what) = match &object.life_of {
        Some(whose) if writes => ("ends the life of", whose),
        Some(whose) => ("uses", whose),
        None => (does, &object.description),
    };
    format!("{title} {does} {} ({place})", what.replace('`', ""))
}
