//! placeholder
use crate::environment::Environment;
use crate::state::State;
use crate::stop::Stop;
use crate::thread::Thread;
use symx_ir::program::LinkedFunction;
use symx_trace::{ThreadId, ThreadName};
/// g
#[derive(Debug)]
pub struct Guide {}
/// c
#[derive(Clone, Debug)]
pub struct Cursor {}
impl Guide {
    pub(crate) fn follow<E: Environment>(
        &self,
        _: &mut State<E>,
        _: ThreadId,
        _: &LinkedFunction,
        _: u32,
    ) -> Result<(), Stop> {
        Ok(())
    }
    pub(crate) fn enter<E: Environment>(
        &self,
        _: &mut State<E>,
        _: ThreadId,
        _: &LinkedFunction,
    ) -> Result<(), Stop> {
        Ok(())
    }
    pub(crate) fn leave<E: Environment>(
        &self,
        _: &mut State<E>,
        _: ThreadId,
        _: &LinkedFunction,
    ) -> Result<(), Stop> {
        Ok(())
    }
    pub(crate) fn cursor(&self, _: &ThreadName) -> Cursor {
        Cursor {}
    }
    pub(crate) fn finished<E: Environment>(&self, _: &Thread<E>) -> bool {
        false
    }
}
