//! Where threads leave their recorded paths, for the reader of a run that follows none of them to its end.

use crate::environment::Environment;
use crate::machine::Executor;
use crate::state::State;
use symx_ir::SpanId;
use symx_trace::ThreadId;

/// A thread that went another way than in the recorded run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Departure {
    /// The thread, as people call it.
    pub thread: String,
    /// Where it left its path.
    pub span: SpanId,
    /// How many instructions all threads had taken by then.
    pub instructions: u64,
}

impl Departure {
    /// The one of two that came later in its execution.
    pub fn or_later(known: Option<Self>, other: Option<Self>) -> Option<Self> {
        match (known, other) {
            (Some(known), Some(other)) if other.instructions > known.instructions => Some(other),
            (known, other) => known.or(other),
        }
    }
}

impl<E: Environment> Executor<'_, E> {
    /// Notes that an execution ends here, if it does because `thread` has left its recorded path.
    pub fn note_departure(&mut self, state: &State<E>, thread: ThreadId) {
        if state.thread(thread).guide.as_ref().is_none_or(|cursor| !cursor.has_left) {
            return;
        }
        let instructions = state.threads.iter().map(|thread| thread.instructions).sum();
        let known = self.notes.departure.as_ref();
        if known.is_none_or(|known| known.instructions < instructions) {
            let (thread, span) = (self.title(state, thread), self.position(state, thread));
            self.notes.departure = Some(Box::new(Departure { thread, span, instructions }));
        }
    }
}
