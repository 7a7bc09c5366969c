//! Who touched what in executions that ended early.
//!
//! That an object is shared shows when a second thread touches it in one and the same execution. Where one ends early
//! (a failure, an assumption that does not hold), the second thread may never come to it: in the executions in which it
//! does, the first one need not run at all, because all that it does was seen already. So what threads touched in
//! executions that ended early counts for all that follow.

use crate::environment::Environment;
use crate::memory::Site;
use crate::state::State;
use rustc_hash::FxHashMap;
use symx_ir::address::Cell;
use symx_trace::ThreadId;

/// By cell, who touched the object there ([`State::touched`]).
#[derive(Debug, Default)]
pub(super) struct Unfinished(FxHashMap<u32, Option<ThreadId>>);

impl Unfinished {
    /// Notes an execution that ends early.
    pub fn note<E: Environment>(&mut self, state: &State<E>) {
        for (cell, toucher) in &state.touched {
            self.0.entry(*cell).or_insert(*toucher);
        }
    }

    /// What an execution shows to be shared, together with those that ended early.
    pub fn shared<'a, E: Environment>(&'a self, state: &'a State<E>) -> impl Iterator<Item = Site> + 'a {
        let touched = state.touched.iter().filter(|_| !self.0.is_empty());
        touched.filter_map(|(cell, toucher)| {
            let earlier = self.0.get(cell)?;
            if earlier == toucher { None } else { Some(state.memory.get(Cell(*cell))?.site) }
        })
    }
}
