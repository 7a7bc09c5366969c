//! Whether a process has one thread, which programs may ask.

use crate::answer::PosixCall;
use crate::linked::SINGLE_THREADED;
use symx_interp::stop::Stop;
use symx_interp::value::Value;

/// Stores that the process has, or may come to have, a second thread. The store is part of no footprint: it
/// changes something only while there is no other thread to see it.
pub(crate) fn is_no_longer_alone(call: &mut PosixCall<'_, '_>) -> Result<(), Stop> {
    let variable = call.program().global_named(SINGLE_THREADED).map(|global| global.address);
    if let Some(address) = variable
        && call.read_object(address, 1)? != 0
    {
        call.write_object(address, 1, Value::Concrete(0))?;
    }
    Ok(())
}
