//! Standard streams of C++: their functions do not race while they are synchronised with C's streams.

use crate::environment::Environment;
use crate::machine::Executor;
use crate::memory::SiteKind;
use crate::state::State;
use crate::stop::position::{FramePosition, ThreadPosition};
use symx_ir::known_functions::{ARE_STREAMS_SYNCHRONISED, is_standard_stream};
use symx_memmodel::ByteRange;
use symx_trace::ThreadId;

impl<E: Environment> Executor<'_, E> {
    /// Whether an access that `thread` is performing and an earlier one, from `there`, are the library's own
    /// to a synchronised standard stream. That is no race (C++20, [iostream.objects.overview] 5), though
    /// libstdc++ resets the stream's width without a lock.
    pub(super) fn is_within_standard_stream(
        &self,
        state: &State<E>,
        thread: ThreadId,
        range: ByteRange,
        there: &ThreadPosition,
    ) -> bool {
        let program = &self.machine.program;
        let Some(object) = state.memory.near(range.address) else { return false };
        let SiteKind::Global(number) = object.site.kind() else { return false };
        let global = program.globals.get(number as usize);
        let is_stream = global.is_some_and(|global| global.library && is_standard_stream(&global.name));
        let is_in_library = |position: &ThreadPosition| match position.frames.first() {
            Some(FramePosition::Program(function, _)) => !program.function(*function).in_program,
            Some(FramePosition::Model(_)) | None => false,
        };
        is_stream
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
