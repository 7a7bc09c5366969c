//! Memory of the program that system calls read or write.

use crate::answer::PosixCall;
use symx_interp::access::Purpose;
use symx_interp::stop::Stop;
use symx_trace::{Access, Footprint};

/// Memory of the program that a system call reads or writes.
pub(crate) type Buffer = (u64, u64, Purpose);

/// Adds the memory that other threads may be using to `footprint`; whether there is some. Before the kernel
/// touches such memory, the thread's own stores must have reached it.
pub(crate) fn add_buffers(
    call: &mut PosixCall<'_, '_>,
    footprint: &mut Footprint,
    buffers: &[Buffer],
) -> Result<bool, Stop> {
    let mut ordered = false;
    for &(address, length, purpose) in buffers {
        if length == 0 {
            continue;
        }
        let length = match purpose {
            Purpose::Read => length,
            // A program may say more than there is, as long as what comes fits.
            Purpose::Write => {
                let object = call.object(address, 1, purpose)?;
                length.min(object.base + object.size - address)
            }
        };
        call.object(address, length, purpose)?;
        if call.is_shared(address) {
            ordered = true;
            footprint.push(match purpose {
                Purpose::Read => Access::read(address, length),
                Purpose::Write => Access::write(address, length),
            });
        }
    }
    Ok(ordered)
}
