//! Which accesses may be made at the same time, as creating and joining threads order them.

use crate::budget::Budget;
use crate::flow::alive::{Alive, Site};
use crate::flow::summary::Summary;
use crate::flow::{EVER, Flow};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
use symx_expr::StopReason;
use symx_ir::{FunctionId, Program};

/// The thread that runs a function.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Runner {
    /// The thread that the program starts with.
    First,
    /// Threads that these calls create.
    Threads(FunctionId, Vec<Site>),
    /// Any thread, some time.
    AnyThread(FunctionId),
}

/// The sites that a question has led to, and whether threads of them had ever to be created.
struct Seen<'b> {
    sites: FxHashSet<(Site, bool)>,
    budget: &'b Budget,
}

impl<'b> Seen<'b> {
    fn of(budget: &'b Budget) -> Self {
        Self { sites: FxHashSet::default(), budget }
    }
}

/// The facts that order threads.
pub(crate) struct Concurrency {
    /// By function that threads start with: its summary, and the sites that start it.
    threads: Vec<(Rc<Summary>, Vec<Site>)>,
    /// Sites that are reached by the first thread only.
    only_by_first: FxHashSet<Site>,
    /// Sites that are reached from code that runs at an unknown time.
    by_anybody: FxHashSet<Site>,
    /// The threads that may be alive where the first thread creates a thread, by site.
    at_start: FxHashMap<Site, Alive>,
    arrays: FxHashSet<Site>,
    /// Whether a thread may end elsewhere than where its function returns.
    ends_anywhere: bool,
    has_threads: bool,
}

impl Concurrency {
    pub fn of(
        program: &Program,
        flow: &Flow<'_, '_>,
        first: &[(Rc<Summary>, Alive)],
        runners: &[Runner],
    ) -> Result<Self, StopReason> {
        let mut threads = Vec::new();
        let mut by_threads: FxHashSet<Site> = FxHashSet::default();
        let mut by_anybody: FxHashSet<Site> = FxHashSet::default();
        for runner in runners {
            match runner {
                Runner::First => {}
                Runner::Threads(id, sites) => {
                    let Some(summary) = flow.summary(*id) else { continue };
                    by_threads.extend(summary.starts.iter().map(|start| start.site));
                    threads.push((summary, sites.clone()));
                }
                Runner::AnyThread(id) => {
                    let Some(summary) = flow.summary(*id) else { continue };
                    by_anybody.extend(summary.starts.iter().map(|start| start.site));
                }
            }
        }
        let mut at_start: FxHashMap<Site, Alive> = FxHashMap::default();
        for (summary, before) in first {
            for start in &summary.starts {
                flow.budget.proceed()?;
                let alive = before.then(&start.alive);
                at_start.entry(start.site).and_modify(|known| *known = known.or(&alive)).or_insert(alive);
            }
        }
        let elsewhere = |site: &Site| by_threads.contains(site) || by_anybody.contains(site);
        let only_by_first = at_start.keys().copied().filter(|site| !elsewhere(site)).collect();
        let ends = ["pthread_exit", "thrd_exit", "pthread_cancel"];
        Ok(Self {
            has_threads: !threads.is_empty() || !at_start.is_empty(),
            threads,
            only_by_first,
            by_anybody,
            at_start,
            arrays: flow.sites.values().copied().filter(|site| flow.joins.is_array(*site)).collect(),
            ends_anywhere: program.externals.iter().any(|external| ends.contains(&&external.name[..])),
        })
    }

    /// Whether accesses of two runners may be made at the same time. `alive` is what they know of threads
    /// that may run, which counts for those of the first thread. Once the budget is over, the answer means
    /// nothing.
    pub fn may_overlap(&self, one: (&Runner, &Alive), other: (&Runner, &Alive), budget: &Budget) -> bool {
        match (one, other) {
            ((Runner::First, _), (Runner::First, _)) => false,
            ((Runner::First, alive), (Runner::Threads(_, sites), _))
            | ((Runner::Threads(_, sites), _), (Runner::First, alive)) => {
                sites.iter().any(|site| self.may_run(alive, *site, false, &mut Seen::of(budget)))
            }
            ((Runner::Threads(_, ours), _), (Runner::Threads(_, theirs), _)) => {
                let may_run = |ours: &Site, theirs: &Site| self.may_run_both(*ours, *theirs, budget);
                ours.iter().any(|ours| theirs.iter().any(|theirs| may_run(ours, theirs)))
            }
            ((Runner::First, alive), (Runner::AnyThread(_), _))
            | ((Runner::AnyThread(_), _), (Runner::First, alive)) => {
                alive.of_none().any(|(site, _)| site & EVER != 0)
            }
            _ => self.has_threads,
        }
    }

    /// Whether a thread of a site may run; with `ever`, whether it may have been created.
    fn may_run(&self, alive: &Alive, site: Site, ever: bool, seen: &mut Seen<'_>) -> bool {
        if seen.budget.is_over() {
            return true;
        }
        if !seen.sites.insert((site, ever)) {
            return false;
        }
        if self.by_anybody.contains(&site) {
            return true;
        }
        let own = if ever { site | EVER } else { site };
        if alive.of_none().any(|(known, _)| known == own) {
            return true;
        }
        self.threads.iter().any(|(summary, sites)| {
            seen.budget.weigh(summary.starts.len());
            if !summary.starts.iter().any(|start| start.site == site) {
                return false;
            }
            // A thread that waits for those it creates has none that outlives it.
            let exit = summary.exit.as_ref().filter(|_| !self.ends_anywhere);
            let waits = exit.is_some_and(|exit| exit.alive.of_none().all(|(left, _)| left != site));
            sites.iter().any(|creator| self.may_run(alive, *creator, ever || !waits, seen))
        })
    }

    /// Whether threads of two sites may run at the same time, or two of one.
    fn may_run_both(&self, one: Site, other: Site, budget: &Budget) -> bool {
        if !self.only_by_first.contains(&one) || !self.only_by_first.contains(&other) {
            return true;
        }
        if one == other && self.arrays.contains(&one) {
            return true;
        }
        let runs_at = |site: Site, start: Site| {
            let alive = self.at_start.get(&start);
            alive.is_some_and(|alive| self.may_run(alive, site, false, &mut Seen::of(budget)))
        };
        runs_at(one, other) || runs_at(other, one)
    }
}
