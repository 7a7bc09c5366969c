//! Objects of C++'s library whose functions do not race by the standard, and do in libstdc++: the standard
//! streams while they are synchronised with C's, and the facets of the classic locale.

use crate::environment::Environment;
use crate::machine::Executor;
use crate::memory::SiteKind;
use crate::state::State;
use crate::stop::position::{FramePosition, ThreadPosition};
use symx_ir::known_functions::{ARE_STREAMS_SYNCHRONISED, is_facet_with_tables, is_standard_stream};
use symx_memmodel::ByteRange;
use symx_trace::ThreadId;

impl<E: Environment> Executor<'_, E> {
    /// Whether an access that `thread` is performing and an earlier one, from `there`, are the library's
    /// own to an object whose functions do not race. One is a synchronised standard stream (C++20,
    /// [iostream.objects.overview] 5), of which libstdc++ resets the width without a lock. Another is a
    /// facet ([res.on.data.races]), of which it fills tables so, always with the same content.
    pub(super) fn is_within_library(
        &self,
        state: &State<E>,
        thread: ThreadId,
        range: ByteRange,
        there: &ThreadPosition,
    ) -> bool {
        let program = &self.machine.program;
        let Some(object) = state.memory.near(range.address) else { return false };
        let SiteKind::Global(number) = object.site.kind() else { return false };
        let Some(global) = program.globals.get(number as usize).filter(|global| global.library) else {
            return false;
        };
        let is_in_library = |position: &ThreadPosition| match position.frames.first() {
            Some(FramePosition::Program(function, _)) => !program.function(*function).in_program,
            Some(FramePosition::Model(_)) | None => false,
        };
        // No program can name a facet's object: the functions that touch it may be inlined.
        is_facet_with_tables(&global.name)
            || is_standard_stream(&global.name)
                && self.are_streams_synchronised(state)
                && is_in_library(there)
                && is_in_library(&self.here(state, thread))
    }

    /// Whether the program has left the standard streams synchronised with C's.
    fn are_streams_synchronised(&self, state: &State<E>) -> bool {
        let flag = self.machine.program.global_named(ARE_STREAMS_SYNCHRONISED);
        flag.and_then(|flag| state.memory.get(flag.cell)).is_some_and(|flag| {
            let mut byte = [0];
            flag.copy_out(0, &mut byte);
            !flag.has_symbolic(0, 1) && byte != [0]
        })
    }
}
