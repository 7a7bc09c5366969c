//! Functions that SV-COMP's programs want to be one step, by their names: they are taken for sections like
//! those that a program marks. Where such a function was inlined, its beginning and end cannot be found any
//! more.

use super::Builder;
use crate::unsupported::{Translated, unsupported};
use symx_ir::function::{CallSite, CallTarget};
use symx_ir::known_functions::{ATOMIC_BEGIN, ATOMIC_END, is_atomic_section};

impl Builder<'_, '_> {
    /// Whether others are to see all that the function does as one step.
    pub(super) fn is_atomic_section(&self) -> bool {
        is_atomic_section(&self.out.name)
    }

    /// Fails where an instruction was part of a section that has been inlined.
    pub(super) fn check_inlined_section(&self) -> Translated<()> {
        match self.spans.inlined_from(self.span).find(|name| is_atomic_section(name)) {
            Some(name) => unsupported(format!(
                "`{name}`, one step by its name, where it is inlined (-fno-inline keeps it)"
            )),
            None => Ok(()),
        }
    }

    pub(super) fn begin_atomic_section(&mut self) {
        self.span = self.out.span;
        self.mark_section(ATOMIC_BEGIN);
    }

    pub(super) fn end_atomic_section(&mut self) {
        self.mark_section(ATOMIC_END);
    }

    fn mark_section(&mut self, name: &str) {
        self.out.contains_calls = true;
        let target = CallTarget::Symbol(self.source.library_function(name));
        self.push_call(CallSite {
            target,
            arguments: Vec::new(),
            dst: 0,
            return_slots: 0,
            return_bits: 0,
            used: false,
            invoke: None,
        });
    }
}
