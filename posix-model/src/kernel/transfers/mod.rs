//! Standing before a transfer from or to an open file, and what that touches.

pub(crate) mod vectors;

use crate::answer::{PosixCall, Turn, announced, announced_synchronisation, failed};
use crate::errno::EBADF;
use crate::kernel::Kernel;
use crate::kernel::buffers::{Buffer, add_buffers};
use crate::kernel::nodes::changes::{READABLE, WRITABLE};
use crate::kernel::nodes::descriptors::descriptor_place;
use crate::kernel::nodes::events::{refuse_lost, touched_by};
use crate::kernel::nodes::kinds::NodeKind;
use crate::kernel::nodes::sets::orders_of_change;
use crate::kernel::nodes::{connection_of, pipes_of, socket_of};
use crate::kernel::signals::receivers::touched_by_taking;
use crate::kernel::system_calls::argument;
use crate::places::{SIGNALS, TIMER, file_place, node_place, read, write};
use smallvec::smallvec;
use symx_interp::access::Purpose;
use symx_interp::environment::Outcome;
use symx_interp::memory::byte_string::Stretch;
use symx_interp::stop::Stop;
use symx_trace::{Access, Footprint, Mode, Place};

/// Stands before an operation on the file whose descriptor is the first argument, until it may be performed:
/// then the file's number. Otherwise what to answer. `mode` says what it does to the node. The `buffers`
/// include the memory that is shared with what it reads or writes of the file ([`memory_of`]).
///
/// [`memory_of`]: crate::kernel::mappings::memory_of
pub(crate) fn stand_before(
    call: &mut PosixCall<'_, '_>,
    mode: Mode,
    buffers: &[Buffer],
) -> Result<Turn<u64>, Stop> {
    stand_before_with(call, mode, buffers, &[])
}

/// [`stand_before`] an operation that touches something else in addition.
pub(crate) fn stand_before_with(
    call: &mut PosixCall<'_, '_>,
    mode: Mode,
    buffers: &[Buffer],
    touched: &[Access],
) -> Result<Turn<u64>, Stop> {
    let descriptor = argument(call, 0)? as u32;
    stand_before_file(call, descriptor, mode, buffers, touched)
}

/// [`stand_before_with`] an operation on the file of another descriptor than the first argument.
pub(crate) fn stand_before_file(
    call: &mut PosixCall<'_, '_>,
    descriptor: u32,
    mode: Mode,
    buffers: &[Buffer],
    touched: &[Access],
) -> Result<Turn<u64>, Stop> {
    let kernel = &call.state().data.kernel;
    let Some(file) = kernel.file_of(descriptor) else {
        return Ok(Turn::Answer(match announced(call, smallvec![read(descriptor_place(descriptor))]) {
            Some(park) => Ok(park),
            None => failed(EBADF),
        }));
    };
    let fills = buffers.iter().any(|(_, _, purpose)| *purpose == Purpose::Write);
    let mut footprint = footprint_of_transfer(kernel, file, mode);
    if mode == Mode::Write {
        footprint.extend(orders_of_transfer(kernel, file, fills));
    }
    footprint.extend(kernel.own.descriptors.touched_by_naming(descriptor, call.thread()));
    footprint.extend_from_slice(touched);
    footprint.extend(touched_by(kernel, file));
    if let Some(NodeKind::Signals(set)) = kernel.files.kind(kernel.open.get(file).node) {
        footprint.extend(touched_by_taking(call.state(), call.thread(), *set));
    }
    if mode == Mode::Write {
        // Whether this comes before the end of the process makes a difference.
        footprint.push(read(Place::Process));
    }
    let ordered = add_buffers(call, &mut footprint, buffers)?;
    let park = if ordered { announced_synchronisation(call, footprint) } else { announced(call, footprint) };
    if park.is_none() {
        refuse_lost(call, file)?;
    }
    Ok(park.map_or(Turn::Go(file), |mut park| {
        if let Outcome::Park(operation) = &mut park {
            operation.writes_at_most = fills;
        }
        Turn::Answer(Ok(park))
    }))
}

/// The footprint of reading from or writing to an open file, memory aside. `mode` is the access to the node.
pub(crate) fn footprint_of_transfer(kernel: &Kernel, file: u64, mode: Mode) -> Footprint {
    let node = kernel.open.get(file).node;
    let mut footprint: Footprint =
        smallvec![write(file_place(file)), Access { place: node_place(node), mode }];
    footprint.extend(pipes_of(kernel, node).map(|pipe| write(node_place(pipe))));
    if mode == Mode::Write {
        match kernel.files.kind(node) {
            Some(NodeKind::Signals(_)) => footprint.push(write(SIGNALS)),
            Some(NodeKind::Timer(_)) => footprint.push(write(TIMER)),
            _ => {}
        }
    }
    footprint
}

/// The orders in which sets of descriptors report that a transfer touches. What is taken leaves room.
pub(crate) fn orders_of_transfer(kernel: &Kernel, file: u64, takes: bool) -> Footprint {
    let node = kernel.open.get(file).node;
    let side = connection_of(kernel, node);
    let changed = if takes { side.map(|side| side.receive) } else { side.map(|side| side.send) };
    let events = if takes { WRITABLE } else { READABLE };
    // A datagram that is on its way takes no room.
    let of_room = socket_of(kernel, node).map(|_| (node, WRITABLE));
    let changes = [Some((node, events)), changed.map(|pipe| (pipe, events)), of_room];
    changes.into_iter().flatten().flat_map(|(node, events)| orders_of_change(kernel, node, events)).collect()
}

/// Fills the buffers, addresses and lengths, with what was read: how many bytes that is.
pub(crate) fn fill(
    call: &mut PosixCall<'_, '_>,
    buffers: &[(u64, u64)],
    stretch: &Stretch,
) -> Result<usize, Stop> {
    let mut done = 0;
    for &(address, length) in buffers {
        let part = (length as usize).min(stretch.len() - done);
        call.has_written(address, part as u64);
        call.write_stretch(address, &stretch.part(done, part))?;
        done += part;
    }
    Ok(done)
}
