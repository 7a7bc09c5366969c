//! Continuing after undefined behaviour that machines forgive, where that is asked for.
//!
//! A fault that is forgiven with a warning first stops as the fault it is, which changes nothing. It is
//! noted, and the instruction or phase is taken again, this time forgiven.

use crate::environment::Environment;
use crate::machine::Executor;
use crate::state::State;
use crate::stop::Fault;
use symx_trace::{Forgivable, Policy, ThreadId};

impl<E: Environment> Executor<'_, E> {
    /// Whether the code executed now may continue as on a common machine.
    pub(crate) fn forgives(&self, class: Forgivable) -> bool {
        match self.machine.options.tolerance.of(class) {
            Policy::Error => false,
            Policy::Warn => self.present.forgiven == Some(class),
            Policy::Ignore => true,
        }
    }

    /// Notes a fault of `thread`, whose stack is whole, that is only warned of. Whether that is what it is.
    #[cold]
    pub(crate) fn forgive(&mut self, state: &State<E>, thread: ThreadId, fault: &Fault) -> bool {
        let Some(class) = Forgivable::of(fault.detail) else { return false };
        let is_new = self.present.forgiven != Some(class);
        if self.machine.options.tolerance.of(class) != Policy::Warn || !is_new {
            return false;
        }
        let failure = self.render_fault(state, thread, fault.clone());
        if !self.notes.misuse.iter().any(|known| known.same_fault(&failure)) {
            self.notes.misuse.push(failure);
        }
        self.present.forgiven = Some(class);
        true
    }
}
