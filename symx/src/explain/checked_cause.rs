//! A proposed root cause is held against the program: an execution is looked for in which its orders hold and
//! that passes. If there is one, the cause gets further orders if these help. Otherwise the cause stands
//! under one condition. It must be proven of executions with the events of the failing one, and the one that
//! passes must have others. A passing one that has no others refutes it.

use crate::explain::ends::Ends;
use crate::explain::held_orders::{HeldOrder, HeldOrders, Shown, without_needless};
use crate::explain::limits::LOOKING;
use crate::explain::limits::{FOR_CHECK, MOST_ADDED};
use crate::limits::budget::Deadline;
use crate::session::Session;
use std::collections::HashSet;
use symx_checkers::projection::{difference, reversed_orders};
use symx_posix_explore::ExploreOptions;
use symx_trace::explanation::{Cause, Check, ExecutedStep, Execution, Explored, Reach};
use symx_trace::{EventKind, IncompleteReason, Input, ThreadName};

/// The result of checking.
pub enum Verdict {
    /// It may be reported, with what is known of it.
    Stands(Cause),
    /// It is none, and no orders were found that are.
    Refuted,
}

/// The data that a cause is held against.
pub struct Checking<'a> {
    /// The program.
    pub session: &'a Session,
    /// The execution whose steps it speaks of.
    pub failing: &'a Execution,
    /// Its inputs.
    pub inputs: &'a [Input],
    /// How to explore.
    pub options: &'a ExploreOptions,
    /// When to stop.
    pub end: &'a Deadline,
    /// Whether an execution is known that passes.
    pub has_passing: bool,
}

/// The result of exploring under some orders, with what else is to be known of it.
enum Outcome {
    /// Every execution fails alike.
    Enough {
        /// How much was explored.
        explored: Explored,
    },
    /// An execution passes.
    Passes {
        /// It.
        execution: Box<Execution>,
    },
    /// Nothing that passes was found.
    NonePasses(Check),
    /// The executions explored are not those meant.
    Unknown,
}

impl Checking<'_> {
    /// The verdict on a cause that is proven of the paths of the failing execution.
    pub fn verdict(&self, mut cause: Cause) -> Verdict {
        let orders = cause.orders.iter().map(|order| HeldOrder::of_steps(self.failing, *order));
        let Some(orders) = orders.collect::<Option<Vec<HeldOrder>>>().filter(|orders| !orders.is_empty())
        else {
            return Verdict::Stands(cause);
        };
        let end = self.end.within(LOOKING.min(self.end.left() / FOR_CHECK));
        match self.show(&orders, &end.within(end.left() / 2)) {
            Outcome::Enough { explored } => {
                Verdict::Stands(self.of_all_paths(orders, explored, cause.is_minimal, &end))
            }
            Outcome::Passes { execution } => {
                let has_others = !self.has_these_events_only(&execution);
                cause.check = Check::PassesElsewhere;
                let proven = has_others.then_some(Verdict::Stands(cause));
                self.refined(orders, execution, &end)
                    .map(Verdict::Stands)
                    .or(proven)
                    .unwrap_or(Verdict::Refuted)
            }
            Outcome::NonePasses(check) => {
                cause.check = check;
                Verdict::Stands(cause)
            }
            Outcome::Unknown => Verdict::Stands(cause),
        }
    }

    /// The result of exploring under these orders.
    fn show(&self, orders: &[HeldOrder], end: &Deadline) -> Outcome {
        let Some(failure) = &self.failing.failure else { return Outcome::Unknown };
        let Some(held) = HeldOrders::new(self.session, self.failing, orders, self.inputs) else {
            return Outcome::Unknown;
        };
        let ends = held.ends(self.options, end);
        if let Some((decisions, threads)) = &ends.good {
            let execution =
                held.numbering(threads).observe(Some(&ends.visible), decisions, None, self.options, self.end);
            let is_meant = execution.failure.is_none() && held.means_the_same(&execution);
            return if is_meant {
                Outcome::Passes { execution: Box::new(execution) }
            } else {
                Outcome::Unknown
            };
        }
        if ends.one_fault(failure).is_some() {
            let alike = held.fail_alike(&ends, self.options, self.end);
            return alike.map_or(Outcome::Unknown, |explored| Outcome::Enough { explored });
        }
        let Ends { explored, cut, is_complete, .. } = ends;
        Outcome::NonePasses(match cut {
            None if is_complete => Check::Complete(explored),
            // There was no time for one, which says nothing.
            _ if explored == Explored::default() => Check::Unchecked,
            cut => {
                Check::Partial { explored, reason: cut.map_or("incomplete", IncompleteReason::word).into() }
            }
        })
    }

    /// A cause whatever branches are taken. Orders that all executions fail without are left out; that none
    /// can be is known if there is an execution without each that passes.
    fn of_all_paths(
        &self,
        orders: Vec<HeldOrder>,
        explored: Explored,
        proven: bool,
        end: &Deadline,
    ) -> Cause {
        let (orders, explored, is_minimal) = without_needless(orders, explored, |rest, left| {
            match self.show(rest, &end.within(end.left() / left as u32)) {
                Outcome::Enough { explored } => Shown::AllFail(explored),
                Outcome::Passes { .. } => Shown::OnePasses,
                Outcome::NonePasses(_) | Outcome::Unknown => Shown::Open,
            }
        });
        let is_minimal = proven || is_minimal;
        Cause {
            orders: orders.iter().map(|held| held.order).collect(),
            visits: orders.iter().map(|held| held.visits).collect(),
            is_minimal: is_minimal && (orders.len() > 1 || proven || self.has_passing),
            reach: Reach::Program,
            check: Check::Complete(explored),
            in_words: Vec::new(),
        }
    }

    /// The orders with further ones that an execution that passes does not have, if they are a cause then.
    fn refined(
        &self,
        mut orders: Vec<HeldOrder>,
        mut passing: Box<Execution>,
        end: &Deadline,
    ) -> Option<Cause> {
        for _ in 0..MOST_ADDED {
            let difference = difference(self.failing, &passing);
            let reversed = reversed_orders(self.failing, &passing, &difference);
            let further = reversed.filter_map(|order| HeldOrder::of_steps(self.failing, order));
            let further: Vec<HeldOrder> = further.filter(|held| !orders.contains(held)).collect();
            let mut next = None;
            for held in further {
                let more: Vec<HeldOrder> = orders.iter().copied().chain([held]).collect();
                match self.show(&more, &end.within(end.left() / 2)) {
                    Outcome::Enough { explored } => {
                        return Some(self.of_all_paths(more, explored, false, end));
                    }
                    Outcome::Passes { execution } if next.is_none() => next = Some((more, execution)),
                    _ => {}
                }
            }
            (orders, passing) = next?;
        }
        None
    }

    /// Whether another execution has no events but those, until the thread that fails has come as far as it
    /// does in the failing one. Memory that is not touched in the failing one is private there.
    fn has_these_events_only(&self, other: &Execution) -> bool {
        let Some(failure) = &self.failing.failure else { return false };
        let touched: HashSet<&str> = self.failing.steps.iter().map(|step| &*step.object).collect();
        let of = |execution: &Execution, name: &ThreadName, step: &ExecutedStep| {
            execution.threads[step.thread as usize].name == *name && step.kind != EventKind::Commit
        };
        let own = |name: &ThreadName| -> Vec<&ExecutedStep> {
            self.failing.steps.iter().filter(|step| of(self.failing, name, step)).collect()
        };
        let mut left = own(&failure.thread).into_iter().filter(|step| step.is_taken()).peekable();
        let mut reached = 0;
        for (number, step) in other.steps.iter().enumerate() {
            if of(other, &failure.thread, step) && left.next_if(|next| next.does_the_same(step)).is_some() {
                reached = number + 1;
            }
        }
        left.peek().is_none()
            && other.threads.iter().all(|lane| {
                let before = other.steps[..reached].iter().filter(|step| of(other, &lane.name, step));
                let mut known = own(&lane.name).into_iter();
                before
                    .filter(|step| touched.contains(&*step.object))
                    .all(|step| known.next().is_some_and(|one| one.does_the_same(step)))
            })
    }
}
