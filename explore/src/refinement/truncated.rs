//! Which threads touched what in executions that ended early.
//!
//! That an object is shared shows when a second thread touches it in one and the same execution. Where one
//! ends early (a failure, an assumption that does not hold), the second thread may never come to it. In the
//! executions in which it does, the first one need not run at all, because all that it does was seen already.
//! So touches by threads in executions that ended early count for all that follow.

use rustc_hash::FxHashMap;
use symx_interp::environment::Environment;
use symx_interp::memory::Site;
use symx_interp::shared::Numbered;
use symx_interp::state::State;
use symx_ir::address::Cell;
use symx_trace::ThreadId;

/// By cell, the thread that touched the object there ([`touched`](State)).
#[derive(Debug, Default)]
pub(crate) struct Unfinished(FxHashMap<u32, Option<ThreadId>>);

/// The same of all executions of one of several workers, which do not see each other's,
/// with the objects' sites.
#[derive(Debug, Default)]
pub(crate) struct Gathered {
    /// Of executions that ended early.
    unfinished: Unfinished,
    touched: FxHashMap<u32, (Option<ThreadId>, Site)>,
    /// The touches of an execution of which nothing is to be noted any more: the next one's states mostly
    /// share it.
    last: Numbered<Option<ThreadId>>,
}

/// Cells with the thread that touched the object there, ascending; to be written down.
pub(crate) type SavedUnfinished = Vec<(u32, Option<ThreadId>)>;

/// The same with the objects' sites.
pub(crate) type SavedGathered = Vec<(u32, Option<ThreadId>, u64)>;

impl Gathered {
    /// Of executions that ended early.
    pub fn unfinished(&self) -> &Unfinished {
        &self.unfinished
    }

    /// The touches, without those that belong to executions that ended early.
    pub fn save(&self) -> SavedGathered {
        let entry = |(cell, (toucher, site)): (&u32, &(Option<ThreadId>, Site))| (*cell, *toucher, site.0);
        let mut saved: SavedGathered = self.touched.iter().map(entry).collect();
        saved.sort_unstable();
        saved
    }

    /// The saved touches.
    pub fn restored(saved: &SavedGathered) -> Self {
        let entry = |(cell, toucher, site): &(u32, Option<ThreadId>, u64)| (*cell, (*toucher, Site(*site)));
        Self { touched: saved.iter().map(entry).collect(), ..Self::default() }
    }

    /// Notes an execution.
    pub fn note<E: Environment>(&mut self, state: &State<E>) {
        if self.last.ptr_eq(&state.touched) {
            return;
        }
        let mut are_all_there = true;
        for (cell, toucher) in &state.touched {
            let Some(object) = state.memory.get(Cell(*cell)) else {
                are_all_there = false;
                continue;
            };
            let known = self.touched.entry(*cell).or_insert((*toucher, object.site));
            if known.0 != *toucher {
                known.0 = None;
            }
        }
        // Another one may still have an object that is gone here.
        if are_all_there {
            self.last.clone_from(&state.touched);
        }
    }

    /// Adds those that ended early.
    pub fn with(mut self, unfinished: Unfinished) -> Self {
        self.unfinished = unfinished;
        self
    }

    /// Sites that one worker's executions that ended early and the other's show to be shared.
    pub fn shared_with<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = Site> + 'a {
        let one_way = |early: &'a Self, all: &'a Self| {
            early.unfinished.0.iter().filter_map(|(cell, earlier)| {
                let (toucher, site) = all.touched.get(cell)?;
                (earlier != toucher).then_some(*site)
            })
        };
        one_way(self, other).chain(one_way(other, self))
    }

    /// Both together.
    pub fn add(&mut self, other: Self) {
        for (cell, earlier) in other.unfinished.0 {
            self.unfinished.0.entry(cell).or_insert(earlier);
        }
        for (cell, (toucher, site)) in other.touched {
            let known = self.touched.entry(cell).or_insert((toucher, site));
            if known.0 != toucher {
                known.0 = None;
            }
        }
    }
}

impl Unfinished {
    /// All of it, to be written down.
    pub fn save(&self) -> SavedUnfinished {
        let mut saved: SavedUnfinished = self.0.iter().map(|(cell, toucher)| (*cell, *toucher)).collect();
        saved.sort_unstable();
        saved
    }

    /// The saved touches.
    pub fn restored(saved: &SavedUnfinished) -> Self {
        Self(saved.iter().copied().collect())
    }

    /// Whether no execution that touched anything ended early.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Notes an execution that ends early.
    pub fn note<E: Environment>(&mut self, state: &State<E>) {
        for (cell, toucher) in &state.touched {
            self.0.entry(*cell).or_insert(*toucher);
        }
    }

    /// Sites that an execution shows to be shared, together with those that ended early.
    pub fn shared<'a, E: Environment>(&'a self, state: &'a State<E>) -> impl Iterator<Item = Site> + 'a {
        let touched = (!self.0.is_empty()).then(|| state.touched.iter());
        touched.into_iter().flatten().filter_map(|(cell, toucher)| {
            let earlier = self.0.get(cell)?;
            if earlier == toucher { None } else { Some(state.memory.get(Cell(*cell))?.site) }
        })
    }
}
