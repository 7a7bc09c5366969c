//! Ways back to where the run was: states kept, and what undoes known steps after which none was.
//!
//! Most steps are known: they put one thread and one number in memory in the place of others. To take such a
//! step back costs less than to keep the state before it. So a state is kept before other steps only, and a
//! position is reached from the next one kept after it.

use crate::reads_from::graph::run::RunStep;
use crate::reads_from::graph::way_back::Before;
use crate::reads_from::{Halt, Walk};
use symx_interp::caches::transitions::Unput;
use symx_interp::environment::Environment;
use symx_interp::state::State;

impl<E: Environment> Walk<'_, '_, E> {
    /// Whether the last step's way back begins at the state after it.
    pub(in crate::reads_from) fn ends_with_undo(&self) -> bool {
        self.path.run.last().is_some_and(|step| matches!(step.before, Before::Undo(_)))
    }

    /// Keeps a state for the way back before something happens that is no step of the run.
    pub(in crate::reads_from) fn keep_way_back(&mut self, state: &State<E>) {
        if let Some(way) = self.path.run.last_way_back()
            && matches!(way, Before::Undo(_))
            && let Some(before) = std::mem::replace(way, Before::Unknown).reached_from(state)
        {
            *way = Before::Kept(Box::new(before));
        }
    }

    /// Continues from another state than the run has led to. The way there is no step of the run.
    pub(in crate::reads_from) fn leave_for(&mut self, state: &mut State<E>, other: State<E>) {
        let left = std::mem::replace(state, other);
        if let Some(way) = self.path.run.last_way_back()
            && matches!(way, Before::Undo(_))
        {
            let mut before = Some(left);
            std::mem::replace(way, Before::Unknown).reach(&mut before);
            *way = before.map_or(Before::Unknown, |before| Before::Kept(Box::new(before)));
        }
    }

    /// The last position up to `most` that there is a way back to.
    pub(in crate::reads_from) fn last_reachable(&self, most: usize) -> Result<usize, Halt> {
        let mut is_reachable = self.path.reached.is_some();
        for (at, step) in self.path.run.iter().enumerate().rev() {
            is_reachable = match step.before {
                Before::Unknown => false,
                Before::Kept(_) => true,
                Before::Undo(_) => is_reachable,
            };
            if is_reachable && at <= most {
                return Ok(at);
            }
        }
        Err(Halt::Contradiction("no state to go back to"))
    }

    /// Takes the run back to its first `length` steps, to a position that is reachable. Numbers to be put
    /// into the state's memory are noted; there were none before.
    pub(in crate::reads_from) fn go_back(
        &mut self,
        length: usize,
        unput: &mut Unput,
    ) -> Result<State<E>, Halt> {
        let mut state = self.path.reached.take();
        while self.path.run.len() > length
            && let Some(step) = self.path.run.pop()
        {
            let RunStep { thread, ordinal, commits, event, takes_effect: _, decisions, overwritten, before } =
                step;
            for (location, last) in overwritten.iter().rev() {
                self.graph.last[*location as usize] = *last;
            }
            self.path.decisions.truncate(decisions);
            let log = &mut self.graph.threads[thread.index()];
            if !commits {
                log.executed = ordinal;
                if log.stores.last().is_some_and(|(_, issued)| *issued == event) {
                    log.stores.pop();
                }
            }
            match before {
                Before::Undo(undo) => {
                    if let Some(state) = &mut state {
                        let taken = (!commits).then_some((&mut self.graph.taken, usize::from(event)));
                        undo.take_back_unput(thread, state, unput, taken);
                    }
                }
                before => {
                    unput.forget();
                    before.reach(&mut state);
                }
            }
        }
        state.ok_or(Halt::Contradiction("no state before a step"))
    }
}
