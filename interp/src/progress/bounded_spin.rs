//! Threads that read something repeatedly, but a bounded number of times, and then continue otherwise.
//!
//! In such a loop only registers that [count rounds](CountedRounds) differ from one round to the next. Let a
//! round be one read and nothing else. Then the thread could as well have seen at its first read what it sees
//! at last. If it stops waiting, it could as well have taken all rounds at the moment of the last one. So how
//! many rounds there were before another thread wrote the awaited value need not be explored.

use crate::caches::places::{does, is_live};
use crate::caches::sameness::is_same_action;
use crate::environment::Environment;
use crate::machine::Executor;
use crate::progress::livelock::is_same_position;
use crate::state::State;
use crate::threads::thread::{Activation, Thread};
use smallvec::SmallVec;
use std::sync::Arc;
use symx_ir::function::CallSite;
use symx_ir::instruction::Slot;
use symx_ir::loops::counted_rounds::CountedRounds;
use symx_ir::{FunctionId, Program};
use symx_trace::ThreadId;

/// A loop in which a thread spins.
#[derive(Debug)]
pub struct Spin {
    /// Whose loop it is: a position on the thread's stack.
    depth: usize,
    function: FunctionId,
    rounds: Arc<CountedRounds>,
}

impl Spin {
    /// Whether a thread is still within the loop.
    pub fn holds<E: Environment>(&self, program: &Program, thread: &Thread<E>) -> bool {
        !thread.exited
            && matches!(thread.stack.get(self.depth), Some(Activation::Program(frame))
                if frame.function == self.function
                    && self.rounds.contains(program.function(self.function), frame.pc))
    }
}

impl<E: Environment> Executor<'_, E> {
    /// Whether a thread that has come to its next look has taken one more round since `last`, and another one
    /// is left. The thread may have left the loop and come back, in one of another loop's rounds. Then it has
    /// done something else meanwhile, or is where it was in `first`.
    pub fn has_rounds_left(
        &mut self,
        first: &Thread<E>,
        last: &State<E>,
        now: &State<E>,
        thread: ThreadId,
    ) -> bool {
        let own = now.thread(thread);
        self.spin(last.thread(thread), own).is_some()
            && self.is_unchanged(last, now, thread)
            && !self.is_where_it_was(first, own)
    }

    /// The loop in which a thread has iterated once since it stood before the same look `earlier`. Nothing
    /// may have changed but how many rounds are left, and the loop must end that way.
    pub fn spin(&mut self, earlier: &Thread<E>, now: &Thread<E>) -> Option<Spin> {
        let (Some(before), Some(after)) = (&earlier.pending, &now.pending) else { return None };
        if before.span != after.span
            || !is_same_action(&before.action, &after.action)
            || !is_same_position(earlier, now)
        {
            return None;
        }
        let machine = self.machine;
        let program = &machine.program;
        let mut found = None;
        for (depth, pair) in earlier.stack.iter().zip(&now.stack).enumerate() {
            let (Activation::Program(earlier), Activation::Program(now)) = pair else { continue };
            if Arc::ptr_eq(earlier, now) {
                continue;
            }
            if !earlier.is_concrete() || !now.is_concrete() {
                return None;
            }
            let registers = (0..).zip(earlier.registers().iter().zip(now.registers()));
            let mut differing: SmallVec<[Slot; 2]> =
                registers.filter(|(_, (earlier, now))| earlier != now).map(|(slot, _)| slot).collect();
            differing.retain(|slot| is_live(machine, &mut self.caches.live, now.function, now.pc, *slot));
            if !differing.is_empty() && found.replace((depth, now.function, now.pc, differing)).is_some() {
                return None;
            }
        }
        let (depth, function, pc, differing) = found?;
        let rounds =
            self.caches.spins.entry((function, pc, differing)).or_insert_with_key(|(_, _, differing)| {
                let calls = |site: &CallSite| does(machine, site);
                CountedRounds::around(program.function(function), pc, differing, calls).map(Arc::new)
            });
        Some(Spin { depth, function, rounds: Arc::clone(rounds.as_ref()?) })
    }
}
