//! What is said to be a root cause is held against the program: an execution is looked for in which its orders hold and that
//! passes. One on the paths of the failing execution refutes the cause, which then gets further orders if these help.

use crate::budget::Deadline;
use crate::ends::{Ends, LOOKING};
use crate::held_orders::{HeldOrder, HeldOrders};
use crate::session::Session;
use symx_checkers::projection::{difference, suspects};
use symx_interp::explore::ExploreOptions;
use symx_trace::Input;
use symx_trace::explanation::{Cause, Check, ExecutedStep, Execution, Reach};

/// Orders that are added to a cause that was refuted, at most.
const MOST_ADDED: usize = 3;

/// What comes of checking.
pub enum Verdict {
    /// It may be told, with what is known of it.
    Stands(Cause),
    /// It is none, and no orders were found that are.
    Refuted,
}

/// What a cause is held against.
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

/// What exploring under some orders has shown.
enum Shown {
    /// Every execution fails alike.
    Enough {
        /// So many.
        executions: u64,
    },
    /// An execution passes.
    Passes {
        /// It.
        execution: Execution,
        /// Whether its threads do all that they do in the failing one.
        on_paths: bool,
    },
    /// Nothing that passes was found.
    NonePasses(Check),
    /// The executions explored are not those meant.
    Unknown,
}

impl Checking<'_> {
    /// What is to be said of a cause that is proven of the paths of the failing execution.
    pub fn verdict(&self, mut cause: Cause) -> Verdict {
        let orders = cause.orders.iter().map(|order| HeldOrder::of_steps(self.failing, *order));
        let Some(orders) = orders.collect::<Option<Vec<HeldOrder>>>().filter(|orders| !orders.is_empty()) else {
            return Verdict::Stands(cause);
        };
        let end = self.end.within(LOOKING);
        match self.show(&orders, &end.within(end.left() / 2)) {
            Shown::Enough { executions } => {
                Verdict::Stands(self.of_all_paths(orders, executions, cause.is_minimal, &end))
            }
            Shown::Passes { execution, on_paths: true } => self.refined(orders, execution, &end),
            Shown::Passes { on_paths: false, .. } => {
                cause.check = Check::PassesElsewhere;
                Verdict::Stands(cause)
            }
            Shown::NonePasses(check) => {
                cause.check = check;
                Verdict::Stands(cause)
            }
            Shown::Unknown => Verdict::Stands(cause),
        }
    }

    /// What exploring under these orders shows.
    fn show(&self, orders: &[HeldOrder], end: &Deadline) -> Shown {
        let Some(failure) = &self.failing.failure else { return Shown::Unknown };
        let Some(held) = HeldOrders::new(self.session, self.failing, orders, self.inputs) else {
            return Shown::Unknown;
        };
        let ends = held.ends(self.options, end);
        if let Some((decisions, threads)) = &ends.good {
            let execution = held.numbering(threads).observe(Some(&ends.visible), decisions, None, self.options, self.end);
            let on_paths = self.keeps_paths(&execution);
            let is_meant = execution.failure.is_none() && held.means_the_same(&execution);
            return if is_meant { Shown::Passes { execution, on_paths } } else { Shown::Unknown };
        }
        let Ends { executions, cut, is_complete, .. } = ends;
        if let Some(found) = ends.one_fault(failure) {
            let (visible, fault) = (found.visible.as_deref(), Some(&found.failure));
            let execution = held.observe(visible, &found.decisions, fault, self.options, self.end);
            return if held.means_the_same(&execution) { Shown::Enough { executions } } else { Shown::Unknown };
        }
        Shown::NonePasses(match cut {
            None if is_complete => Check::Complete { executions },
            cut => Check::Partial { executions, reason: cut.unwrap_or("incomplete").into() },
        })
    }

    /// A cause whatever branches are taken. Orders that all executions fail without are left out; that none can be is known if
    /// there is an execution without each that passes.
    fn of_all_paths(&self, mut orders: Vec<HeldOrder>, mut executions: u64, proven: bool, end: &Deadline) -> Cause {
        let (mut next, mut is_minimal) = (0, true);
        while orders.len() > 1 && next < orders.len() {
            let mut rest = orders.clone();
            rest.remove(next);
            let share = end.left() / (orders.len() - next) as u32;
            match self.show(&rest, &end.within(share)) {
                Shown::Enough { executions: of_rest } => (orders, executions) = (rest, of_rest),
                shown => {
                    is_minimal &= proven || matches!(shown, Shown::Passes { .. });
                    next += 1;
                }
            }
        }
        Cause {
            orders: orders.iter().map(|held| held.order).collect(),
            visits: orders.iter().map(|held| held.visits).collect(),
            is_minimal: is_minimal && (orders.len() > 1 || proven || self.has_passing),
            reach: Reach::Program,
            check: Check::Complete { executions },
        }
    }

    /// The orders with further ones that an execution that passes does not have, if they are a cause then.
    fn refined(&self, mut orders: Vec<HeldOrder>, mut passing: Execution, end: &Deadline) -> Verdict {
        for _ in 0..MOST_ADDED {
            let suspects = suspects(self.failing, &passing, &difference(self.failing, &passing));
            let reversed = suspects.iter().filter(|suspect| suspect.is_reversed);
            let further = reversed.filter_map(|suspect| HeldOrder::of_steps(self.failing, suspect.order));
            let further: Vec<HeldOrder> = further.filter(|held| !orders.contains(held)).collect();
            let mut next = None;
            for held in further {
                let more: Vec<HeldOrder> = orders.iter().copied().chain([held]).collect();
                match self.show(&more, &end.within(end.left() / 2)) {
                    Shown::Enough { executions } => {
                        return Verdict::Stands(self.of_all_paths(more, executions, false, end));
                    }
                    Shown::Passes { execution, .. } if next.is_none() => next = Some((more, execution)),
                    _ => {}
                }
            }
            let Some((more, execution)) = next else { break };
            (orders, passing) = (more, execution);
        }
        Verdict::Refuted
    }

    /// Whether threads do in another execution all that they do in the failing one, maybe with more between.
    fn keeps_paths(&self, other: &Execution) -> bool {
        let is_one = |one: &ExecutedStep, other: &ExecutedStep| {
            (&one.kind, &one.object, &one.location) == (&other.kind, &other.object, &other.location)
        };
        self.failing.threads.iter().enumerate().all(|(thread, lane)| {
            let own = self.failing.steps.iter().filter(|step| step.thread as usize == thread && step.is_taken());
            let Some(there) = other.threads.iter().position(|other| other.name == lane.name) else {
                return own.count() == 0;
            };
            let mut steps = other.steps.iter().filter(|step| step.thread as usize == there);
            own.into_iter().all(|step| steps.any(|other| is_one(step, other)))
        })
    }
}
