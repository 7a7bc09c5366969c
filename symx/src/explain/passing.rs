//! Executions that do not fail, found by running the program. They are the failing one with the scheduler's
//! effects undone, with steps exchanged, and at last any.

use super::{Explainer, NO_NEAR_ONE};
use crate::explain::ends::Ends;
use crate::explain::limits::{NEARER, UNDOING};
use crate::limits::budget::Deadline;
use crate::render::place;
use crate::text::one_line;
use symx_checkers::passing::{Nearness, Reordered, ReorderingLimits, reorder, undo};
use symx_checkers::projection::difference;
use symx_expr::{StopReason, StopToken};
use symx_posix_explore::{Found, Rerun};
use symx_trace::explanation::{Dependence, Execution, Explored, Limit};
use symx_trace::replay::moves;
use symx_trace::{Move, Reorder};

/// An execution that does not fail, with how near it is.
pub(super) struct Known {
    pub(super) execution: Execution,
    nearness: Nearness,
    /// Whether none can be nearer but in switches. A read after the last join is a step of the execution as
    /// reported, and none of the run.
    pub(super) is_nearest: bool,
}

type Search<'s> = &'s dyn Fn(&mut dyn Reorder, &[Move], ReorderingLimits, &StopToken) -> Option<Reordered>;

impl Explainer<'_> {
    /// The nearest execution among those in which preempted threads continue.
    pub(super) fn undone(&self, failing: &Execution) -> Option<Known> {
        self.searched(failing, &undo, &self.end.within(self.end.left() / UNDOING))
    }

    /// The result of a search for executions near the failing one.
    fn searched(&self, failing: &Execution, search: Search<'_>, end: &Deadline) -> Option<Known> {
        let machine = self.session.machine_for(&self.found.inputs);
        let solver = self.session.solver(StopToken::default());
        let Found { failure, decisions, threads, visible, .. } = self.found;
        let mut rerun = Rerun::new(&machine, solver, visible.as_deref(), threads, failure, self.options)
            .until(end.cutoff());
        let given = moves(decisions.iter().copied());
        let found = search(&mut rerun, &given, ReorderingLimits::default(), &end.cutoff())?;
        let execution = self.observe_passing(&found.run.decisions)?;
        let flows = difference(failing, &execution).passing_flows.len();
        let is_nearest = found.nearness.is_nearest() && flows <= 1;
        Some(Known { execution, nearness: found.nearness, is_nearest })
    }

    /// The nearest execution that running the program finds, where one is `known` or not. `ends` are those
    /// that a short exploration found.
    pub(super) fn executed(
        &mut self,
        failing: &Execution,
        known: Option<Known>,
        ends: &Ends,
    ) -> Option<Execution> {
        if self.always_fails(ends) {
            return None;
        }
        if known.as_ref().is_some_and(|known| known.is_nearest) {
            return known.map(|known| known.execution);
        }
        let end = match &known {
            Some(_) => self.end.within(self.end.left() / NEARER),
            None => self.end.clone(),
        };
        let found = self.searched(failing, &reorder, &end);
        let nearest = known.into_iter().chain(found).min_by_key(|known| known.nearness);
        if let Some(nearest) = nearest {
            return Some(nearest.execution);
        }
        if let Some(why) = self.end.reason() {
            self.limits.push(match why {
                StopReason::MaxTime => "no passing execution was found within the time limit".into(),
                why => Limit::Other(format!("no passing execution was found: {why}")),
            });
            return None;
        }
        self.explored_passing()
    }

    /// Whether no execution passes; if they fail in one way, that is the whole explanation.
    fn always_fails(&mut self, ends: &Ends) -> bool {
        if !ends.all_fail() {
            return false;
        }
        match ends.other_than(&self.found.failure) {
            None if self.found.inputs.is_empty() => self.dependence = Dependence::Nothing,
            None => self.dependence = Dependence::Inputs,
            Some(other) => {
                self.dependence = Dependence::WhichFailure;
                let executions = match ends.explored {
                    Explored { states: Some(_), .. } => "executions".to_owned(),
                    Explored { executions, .. } => format!("of the {executions} executions"),
                };
                self.limits.push(Limit::Other(format!(
                    "in some {executions} another failure comes first: {} ({})",
                    one_line(&other.message),
                    place(&other.location)
                )));
            }
        }
        true
    }

    /// A passing execution, wherever it is: the first one that an exploration finds.
    fn explored_passing(&mut self) -> Option<Execution> {
        let Found { inputs, visible, .. } = self.found;
        let ends = Ends::of(self.session, inputs, self.options, self.end);
        if self.always_fails(&ends) {
            return None;
        }
        // It is compared step by step, so that both need to have the same ones.
        let known = visible.as_deref().unwrap_or_default();
        if ends.good.is_some() && ends.visible.len() > known.len() {
            self.shared = Some(ends.visible);
            return None;
        }
        let good = ends.good.filter(|_| ends.visible == known);
        let execution = good.and_then(|(decisions, threads)| {
            self.observe_passing_in(&self.session.numbering(&threads), &decisions)
        });
        self.limits.push(match (&execution, ends.cut) {
            (Some(_), _) => {
                Limit::Other(format!("{NO_NEAR_ONE}; the first passing execution explored is shown"))
            }
            (None, Some(why)) => {
                Limit::Other(format!("{NO_NEAR_ONE}; the exploration of the others is incomplete ({why})"))
            }
            (None, None) => NO_NEAR_ONE.into(),
        });
        execution
    }
}
