//! `sendfile`: bytes of a file are written to another open file.

use super::reading_and_writing::{Place, part_written, put};
use crate::answer::{PosixCall, Step, Turn, failed, word};
use crate::errno::{EBADF, EINVAL, ESPIPE};
use crate::kernel::mappings::{is_mapped, memory_of};
use crate::kernel::nodes::descriptors::descriptor_place;
use crate::kernel::nodes::events::{ACCESS, refuse_lost, report_open, touched_by};
use crate::kernel::nodes::kinds::{Device, NodeKind};
use crate::kernel::nodes::open_files::{APPEND, NONBLOCK};
use crate::kernel::nodes::socket::{Role, Transfer};
use crate::kernel::readiness::pipe::{deliver_broken, is_pipe_ready, room, wait_for_pipe};
use crate::kernel::readiness::sockets::time_limits::within_limit;
use crate::kernel::signals::is_sent;
use crate::kernel::system_calls::argument;
use crate::kernel::transfers::vectors::MOST_BYTES;
use crate::kernel::transfers::{footprint_of_transfer, orders_of_transfer, stand_before_with};
use crate::places::read;
use crate::sync::wait::PipeWait;
use smallvec::smallvec;
use symx_interp::access::Purpose;
use symx_interp::environment::Outcome;
use symx_interp::memory::byte_string::Stretch;
use symx_interp::stop::Stop;
use symx_interp::value::Value;
use symx_trace::{Footprint, Mode};

/// Bytes of a position in memory.
const POSITION: u64 = 8;
/// The scratch word of a call that has waited for room, which no announcement hashes to in practice.
pub(super) const WAITED: u64 = 0x726f_6f6d_2070_6c73;

/// `sendfile(to, from, position, count)`: at the position in memory, else at that of the file.
pub(super) fn send_file(call: &mut PosixCall<'_, '_>) -> Step {
    within_limit(call, Transfer::Send, send)
}

fn send(call: &mut PosixCall<'_, '_>) -> Step {
    if is_sent(call) {
        return deliver_broken(call);
    }
    let (from, address) = (argument(call, 1)? as u32, argument(call, 2)?);
    let touched = touched_by_source(call, from, Mode::Read);
    let mut buffers = Vec::new();
    if address != 0 {
        buffers.push((address, POSITION, Purpose::Write));
    }
    let to = argument(call, 0)? as u32;
    if let Some(target) = call.state().data.kernel.file_of(to) {
        let most = argument(call, 3)?.min(MOST_BYTES);
        let (node, part) = part_written(call, target, Place::Current, most)?;
        buffers.extend(memory_of(call, node, &part, Purpose::Write));
    }
    let target = match stand_before_with(call, Mode::Write, &buffers, &touched)? {
        Turn::Go(file) => file,
        Turn::Answer(answer) => return answer,
    };
    let Some(source) = call.state().data.kernel.file_of(from) else { return failed(EBADF) };
    refuse_lost(call, source)?;
    let kernel = &call.state().data.kernel;
    let (input, output) = (kernel.open.get(source).clone(), kernel.open.get(target).clone());
    if !input.is_readable() || !output.is_writable() {
        return failed(EBADF);
    }
    let position = if address == 0 { input.position } else { call.read_number(address, POSITION)? };
    if output.flags & APPEND != 0 || is_counter(call, output.node) {
        return failed(EINVAL);
    }
    let count = argument(call, 3)?;
    let stretch = match content_of(call, input.node, (address != 0, position), count)? {
        Turn::Go(stretch) if stretch.is_empty() => return word(0),
        Turn::Go(stretch) => stretch,
        Turn::Answer(answer) => return answer,
    };
    let stretch = match fitting(call, output.node, output.flags & NONBLOCK != 0, stretch)? {
        Turn::Go(stretch) => stretch,
        Turn::Answer(answer) => return answer,
    };
    let result = put(call, target, Place::Current, stretch)?;
    if let Outcome::Return(Value::Concrete(done)) = result
        && done as i64 > 0
    {
        report_open(call, source, ACCESS);
        if address == 0 {
            call.data().kernel.open.change(source, |file| file.position = position + done);
        } else {
            call.has_written(address, POSITION);
            call.write(address, POSITION, Value::Concrete(position + done))?;
        }
    }
    Ok(result)
}

/// The places that taking from the descriptor `from` touches; `mode` is the access to the node.
pub(super) fn touched_by_source(call: &PosixCall<'_, '_>, from: u32, mode: Mode) -> Footprint {
    let kernel = &call.state().data.kernel;
    let Some(file) = kernel.file_of(from) else { return smallvec![read(descriptor_place(from))] };
    let mut footprint = footprint_of_transfer(kernel, file, mode);
    if mode == Mode::Write {
        footprint.extend(orders_of_transfer(kernel, file, true));
    }
    footprint.extend(kernel.own.descriptors.touched_by_naming(from, call.thread()));
    footprint.extend(touched_by(kernel, file));
    footprint
}

/// As many bytes as the call asks for of the file `node`, from a position on that was given or is the file's.
pub(super) fn content_of(
    call: &mut PosixCall<'_, '_>,
    node: u64,
    (is_given, position): (bool, u64),
    count: u64,
) -> Result<Turn<Stretch>, Stop> {
    let content = match call.state().data.kernel.files.kind(node) {
        Some(NodeKind::File(content)) => content,
        Some(NodeKind::Device(_)) => return Err(call.unsupported("sending from a device")),
        Some(kind) if kind.is_taken_by_reading() && is_given => return Ok(Turn::Answer(failed(ESPIPE))),
        _ => return Ok(Turn::Answer(failed(EINVAL))),
    };
    if is_mapped(call, node) {
        return Err(call.unsupported("sending from a file that is mapped"));
    }
    if count.max(position) > i64::MAX as u64 {
        return Ok(Turn::Answer(failed(EINVAL)));
    }
    let count = content.length().saturating_sub(position).min(count).min(MOST_BYTES);
    call.ask(count)?;
    Ok(Turn::Go(content.read(position, count)))
}

/// Whether the node counts events: those are not written to by this call.
pub(super) fn is_counter(call: &PosixCall<'_, '_>, node: u64) -> bool {
    matches!(call.state().data.kernel.files.kind(node), Some(NodeKind::Event(_)))
}

/// What of `stretch` the node takes at once. A call that waits for room is announced again afterwards: it has
/// not passed anything until then.
pub(super) fn fitting(
    call: &mut PosixCall<'_, '_>,
    node: u64,
    immediately: bool,
    stretch: Stretch,
) -> Result<Turn<Stretch>, Stop> {
    let kernel = &call.state().data.kernel;
    let pipe = match kernel.files.kind(node) {
        Some(NodeKind::Device(Device::Stream(_)))
            if call.environment().options().concrete_output && !stretch.is_concrete() =>
        {
            return Err(call.unsupported("sending symbolic bytes to a standard stream"));
        }
        Some(NodeKind::Pipe(_)) => node,
        Some(NodeKind::Socket(socket)) => match &socket.role {
            Role::Connected(side) if !socket.records => side.send,
            Role::Connected(_) | Role::Datagrams(_) => {
                return Err(call.unsupported("sending to a socket of messages"));
            }
            _ => return Ok(Turn::Go(stretch)),
        },
        _ => return Ok(Turn::Go(stretch)),
    };
    let wait = PipeWait { node: pipe, reading: false, room: 1, has_begun: false };
    if !is_pipe_ready(kernel, wait) && !immediately {
        *call.scratch() = smallvec![WAITED];
        return Ok(Turn::Answer(Ok(wait_for_pipe(call, wait))));
    }
    Ok(Turn::Go(match room(kernel, pipe) {
        0 => stretch,
        room => stretch.part(0, room.min(stretch.len())),
    }))
}
