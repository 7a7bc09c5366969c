//! Scopes of stack variables: where the compiler says that one begins and ends.

use crate::environment::Environment;
use crate::machine::Executor;
use crate::memory::{Life, Origin, SiteKind};
use crate::state::State;
use crate::stop::Stop;
use crate::threads::running::Running;
use symx_ir::address::Cell;
use symx_memmodel::ByteRange;

impl<E: Environment> Executor<'_, E> {
    /// The stack object that starts at `address`, unless its function has returned.
    fn stack_cell(&self, state: &State<E>, address: u64) -> Option<Cell> {
        let cell = Cell::of(address)?;
        let object = state.memory.get(cell)?;
        let on_stack = matches!(object.site.kind(), SiteKind::Stack(..));
        let usable = matches!(object.life, Life::Live | Life::OutOfScope(_));
        (on_stack && usable && object.base == address).then_some(cell)
    }

    /// A variable's scope begins: what it held in an earlier round of a loop is gone.
    pub(crate) fn begin_scope(&mut self, state: &mut State<E>, address: u64) {
        if let Some(object) = self.stack_cell(state, address).and_then(|cell| state.memory.get_mut(cell)) {
            object.life = Life::Live;
            object.make_unwritten();
            let range = ByteRange::new(object.base, object.size);
            state.forget_writes(range);
        }
    }

    /// A variable's scope ends: a visible operation if other threads may be using it.
    pub(crate) fn end_scope(
        &mut self,
        state: &mut State<E>,
        running: &Running<'_>,
        address: u64,
    ) -> Result<(), Stop> {
        let Some(cell) = self.stack_cell(state, address) else { return Ok(()) };
        self.park_before_end(state, running.thread, running.span(), &[cell])?;
        if let Some(object) = state.memory.get_mut(cell) {
            object.life = Life::OutOfScope(Origin { thread: running.thread, span: running.span() });
        }
        Ok(())
    }

    /// A block ends before which a frame had `depth` stack objects. That ends arrays whose size was not known
    /// to the compiler.
    pub(crate) fn end_block(
        &mut self,
        state: &mut State<E>,
        running: &mut Running<'_>,
        depth: usize,
    ) -> Result<(), Stop> {
        let objects = running.frame.allocas.get(depth..).unwrap_or_default();
        self.park_before_end(state, running.thread, running.span(), objects)?;
        while running.frame.allocas.len() > depth {
            let cell = running.frame.allocas.pop().expect("longer than the depth");
            self.release_stack_object(state, cell);
        }
        Ok(())
    }
}
