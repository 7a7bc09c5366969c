//! Notes where an execution leaves its recorded paths.

use crate::environment::Environment;
use crate::machine::Executor;
use crate::paths::departure::Departure;
use crate::state::State;
use crate::threads::thread::Activation;
use symx_trace::ThreadId;

impl<E: Environment> Executor<'_, E> {
    /// Notes that an execution ends here, if it does because `thread` has left its recorded path.
    pub fn note_departure(&mut self, state: &State<E>, thread: ThreadId) {
        if state.thread(thread).guide.as_ref().is_none_or(|cursor| !cursor.has_left) {
            return;
        }
        let instructions = state.executed();
        let known = self.notes.departure.as_ref();
        if known.is_none_or(|known| known.instructions < instructions) {
            let innermost = state.thread(thread).stack.iter().rev().find_map(|activation| match activation {
                Activation::Program(frame) => Some(self.machine.program.function(frame.function)),
                Activation::Model(_) => None,
            });
            let function = innermost.map_or_else(String::new, |function| function.source_name.clone());
            let (thread, span) = (self.title(state, thread), self.position(state, thread));
            self.notes.departure = Some(Box::new(Departure { thread, span, function, instructions }));
        }
    }
}
