//! Executing several processes: which one a state has in it, and what steps of one are to the others.

pub mod ends;
pub mod fork;

use crate::environment::Environment;
use crate::machine::Executor;
use crate::state::State;
use crate::state::processes::{Away, Lent, among_processes, life_of};
use std::borrow::Cow;
use std::sync::Arc;
use symx_ir::address::Cell;
use symx_trace::{Access, Footprint, Mode, Place, ThreadId};

impl<E: Environment> Executor<'_, E> {
    /// Has the process of `thread` in the state.
    #[inline]
    pub(crate) fn enter_process_of(&mut self, state: &mut State<E>, thread: ThreadId) {
        if state.processes.is_some() {
            self.enter(state, thread);
        }
    }

    #[cold]
    fn enter(&mut self, state: &mut State<E>, thread: ThreadId) {
        let process = state.process_of(thread);
        if self.exchange(state, process) {
            self.caches.windows.close();
        }
    }

    /// The state as the process of `thread` has it.
    #[inline]
    pub fn seen_by<'s>(&self, state: &'s State<E>, thread: ThreadId) -> Cow<'s, State<E>> {
        match &state.processes {
            Some(processes) if processes.of(thread) != processes.current => {
                let mut seen = state.clone();
                self.exchange(&mut seen, processes.of(thread));
                Cow::Owned(seen)
            }
            _ => Cow::Borrowed(state),
        }
    }

    /// A copy of the state with the process of `thread` in it.
    pub(crate) fn in_process_of(&self, state: &State<E>, thread: ThreadId) -> State<E> {
        self.seen_by(state, thread).into_owned()
    }

    /// Puts `process` in the place of the current one. Whether that was another.
    pub(crate) fn exchange(&self, state: &mut State<E>, process: ThreadId) -> bool {
        let environment = &self.machine.environment;
        let Some(mut shared) = state.processes.take() else { return false };
        let from = shared.current;
        if from == process || !shared.away.contains_key(&process) {
            state.processes = Some(shared);
            return false;
        }
        let processes = Arc::make_mut(&mut shared);
        for (base, _) in environment.shared_memory(&state.data) {
            let Some(cell) = Cell::of(base) else { continue };
            if let Some(object) = state.memory.lent(cell) {
                let touched = state.touched.get(&cell.0).copied();
                processes.shared.insert(base, Lent { object, touched });
            }
        }
        let Some(away) = processes.away.remove(&process) else { unreachable!("asked above") };
        let Away { memory, touched, mut own } = Arc::unwrap_or_clone(away);
        let memory = std::mem::replace(&mut state.memory, memory);
        let touched = match processes.is_blended {
            true => touched,
            false => std::mem::replace(&mut state.touched, touched),
        };
        environment.exchange(Arc::make_mut(&mut state.data), &mut own);
        processes.away.insert(from, Arc::new(Away { memory, touched, own }));
        processes.current = process;
        for (base, _) in environment.shared_memory(&state.data) {
            let (Some(cell), Some(lent)) = (Cell::of(base), processes.shared.get(&base)) else { continue };
            state.memory.borrow(cell, Arc::clone(&lent.object));
            if processes.is_blended {
                continue;
            }
            match lent.touched {
                Some(toucher) => state.touched.insert(cell.0, toucher),
                None => state.touched.remove(&cell.0),
            };
        }
        state.processes = Some(shared);
        true
    }

    /// An address of the process of `thread` among those of all processes.
    pub fn distinct_address(&self, state: &State<E>, thread: ThreadId, address: u64) -> u64 {
        if !state.has_forked() {
            return address;
        }
        let seen = self.seen_by(state, thread);
        let mut footprint = Footprint::from_slice(&[Access::alive(address)]);
        self.distinguish_processes(&seen, thread, &mut footprint);
        match footprint[0].place {
            Place::Life(distinct) => distinct,
            _ => address,
        }
    }

    /// Makes places of a thread's process, in what it touches, places among those of all processes. Where a
    /// process ends matters to each of its steps.
    pub(crate) fn distinguish_processes(
        &self,
        state: &State<E>,
        thread: ThreadId,
        footprint: &mut Footprint,
    ) {
        let environment = &self.machine.environment;
        let process = state.process_of(thread);
        let shared = environment.shared_memory(&state.data);
        let is_shared = |address: u64| shared.iter().any(|(base, size)| address.wrapping_sub(*base) < *size);
        for access in footprint.iter_mut() {
            *access =
                among_processes(process, *access, is_shared, |object| environment.is_of_process(object));
        }
        footprint.push(Access { place: life_of(process), mode: Mode::Read });
    }
}
