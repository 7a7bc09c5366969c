//! `splice` and `tee`: bytes go from or to a pipe, without the program's memory.

use super::reading_and_writing::{Place, part_written, put};
use super::sending::{WAITED, content_of, fitting, is_counter, touched_by_source};
use crate::answer::{PosixCall, Step, Turn, failed, word};
use crate::errno::{EAGAIN, EBADF, EINVAL, ESPIPE};
use crate::kernel::Kernel;
use crate::kernel::mappings::memory_of;
use crate::kernel::nodes::events::{ACCESS, refuse_lost, report_open};
use crate::kernel::nodes::kinds::NodeKind;
use crate::kernel::nodes::open_files::{APPEND, NONBLOCK, OpenFile};
use crate::kernel::nodes::socket::{Family, Transfer};
use crate::kernel::nodes::socket_of;
use crate::kernel::readiness::pipe;
use crate::kernel::readiness::sockets::time_limits::within_limit_of;
use crate::kernel::readiness::sockets::{take_from, touched_by_receiving};
use crate::kernel::signals::is_sent;
use crate::kernel::system_calls::argument;
use crate::kernel::transfers::stand_before_file;
use crate::kernel::transfers::vectors::MOST_BYTES;
use crate::sync::wait::PipeWait;
use smallvec::smallvec;
use symx_interp::access::Purpose;
use symx_interp::environment::Outcome;
use symx_interp::memory::byte_string::Stretch;
use symx_interp::stop::Stop;
use symx_interp::value::Value;
use symx_trace::Mode;

/// The flag of a call that does not wait for a pipe.
const DO_NOT_WAIT: u64 = 2;
/// All flags: to move pages, not to wait, that more follows, that pages are given away.
const FLAGS: u64 = 15;
/// Bytes of a position in memory.
const POSITION: u64 = 8;

/// The arguments of a call.
#[derive(Clone, Copy)]
struct Move {
    from: u32,
    to: u32,
    /// Where positions are; 0 for those of the files.
    positions: [u64; 2],
    count: u64,
    flags: u64,
    /// Whether the bytes stay in the pipe that they come from.
    keeps: bool,
}

/// `splice(from, its position, to, its position, count, flags)`.
pub(super) fn splice(call: &mut PosixCall<'_, '_>) -> Step {
    let moved = Move {
        from: argument(call, 0)? as u32,
        to: argument(call, 2)? as u32,
        positions: [argument(call, 1)?, argument(call, 3)?],
        count: argument(call, 4)?,
        flags: argument(call, 5)? & u64::from(u32::MAX),
        keeps: false,
    };
    // One of the two is a pipe.
    let is_received = kernel_of(call).node_of(moved.from).is_some_and(|node| is_socket(call, node));
    let (limited, direction) =
        if is_received { (moved.from, Transfer::Receive) } else { (moved.to, Transfer::Send) };
    within_limit_of(call, limited, direction, |call| transfer(call, moved))
}

/// `tee(from, to, count, flags)`.
pub(super) fn copy(call: &mut PosixCall<'_, '_>) -> Step {
    let moved = Move {
        from: argument(call, 0)? as u32,
        to: argument(call, 1)? as u32,
        positions: [0; 2],
        count: argument(call, 2)?,
        flags: argument(call, 3)? & u64::from(u32::MAX),
        keeps: true,
    };
    within_limit_of(call, moved.to, Transfer::Send, |call| transfer(call, moved))
}

fn transfer(call: &mut PosixCall<'_, '_>, moved: Move) -> Step {
    if is_sent(call) {
        return pipe::deliver_broken(call);
    }
    match (moved.count, moved.flags & !FLAGS) {
        // Nothing is moved whatever the flags, and copied only with those that there are.
        (0, flags) if flags == 0 || !moved.keeps => return word(0),
        (_, 1..) => return failed(EINVAL),
        _ => {}
    }
    let (source, target) = match stand(call, moved)? {
        Turn::Go(files) => files,
        Turn::Answer(answer) => return answer,
    };
    refuse_lost(call, source)?;
    let kernel = &call.state().data.kernel;
    let (input, output) = (kernel.open.get(source).clone(), kernel.open.get(target).clone());
    let are_pipes = [input.node, output.node].map(|node| is_pipe(call, node));
    let are_given = moved.positions.map(|position| position != 0);
    match (are_pipes, are_given) {
        ([true, _], [true, _]) | ([_, true], [_, true]) => return failed(ESPIPE),
        _ if !input.is_readable() || !output.is_writable() => return failed(EBADF),
        ([false, false], _) => return failed(EINVAL),
        ([true, true], _) if input.node == output.node => return failed(EINVAL),
        ([true, true], _) => {}
        _ if moved.keeps => return failed(EINVAL),
        ([false, true], [true, _]) if is_taken_by_reading(call, input.node) => return failed(EINVAL),
        ([false, true], _) if is_socket(call, input.node) => {
            return receive(call, moved, &input, (target, &output));
        }
        ([true, false], [_, true]) => return Err(call.unsupported("splice to a given position")),
        _ if is_counter(call, output.node) => return failed(EINVAL),
        _ if !are_pipes[1] && output.flags & APPEND != 0 => return failed(EINVAL),
        _ => {}
    }
    let immediately = moved.flags & DO_NOT_WAIT != 0
        || are_pipes[0] && input.flags & NONBLOCK != 0
        || are_pipes[1] && output.flags & NONBLOCK != 0;
    let position = match moved.positions[0] {
        0 => input.position,
        address => call.read_number(address, POSITION)?,
    };
    let found = match are_pipes[0] {
        true => waiting_in(call, input.node, immediately, moved.count)?,
        false => content_of(call, input.node, (moved.positions[0] != 0, position), moved.count)?,
    };
    let stretch = match found {
        Turn::Go(stretch) if stretch.is_empty() && are_pipes[0] && !are_pipes[1] => return word(0),
        Turn::Go(stretch) => stretch,
        Turn::Answer(answer) => return answer,
    };
    // A pipe without readers says so first.
    let is_full =
        pipe::room(kernel_of(call), output.node) == 0 && pipe::has_reader(kernel_of(call), output.node);
    if are_pipes[1] && immediately && is_full {
        return failed(EAGAIN);
    }
    // The flag is one for pipes: a socket waits unless it is set not to.
    let at_once = if are_pipes[1] { immediately } else { output.flags & NONBLOCK != 0 };
    let stretch = match fitting(call, output.node, at_once, stretch)? {
        Turn::Go(stretch) => stretch,
        Turn::Answer(answer) => return answer,
    };
    if stretch.is_empty() && pipe::has_reader(kernel_of(call), output.node) {
        return word(0);
    }
    let result = put(call, target, Place::Current, stretch)?;
    if let Outcome::Return(Value::Concrete(done)) = result
        && done as i64 > 0
    {
        take(call, moved, (source, &input), position, done)?;
    }
    Ok(result)
}

/// Receives from a socket into a pipe, which is to have room first.
fn receive(
    call: &mut PosixCall<'_, '_>,
    moved: Move,
    input: &OpenFile,
    (target, output): (u64, &OpenFile),
) -> Step {
    let Some(socket) = socket_of(kernel_of(call), input.node) else { return failed(EINVAL) };
    if socket.records || !socket.is_stream() {
        return Err(call.unsupported("splice from a socket of messages"));
    }
    // One of the internet waits unless it is set not to: the flag is one for pipes.
    let is_flagged = moved.flags & DO_NOT_WAIT != 0;
    let at_once = input.flags & NONBLOCK != 0 || is_flagged && socket.family == Family::Local;
    if !pipe::has_reader(kernel_of(call), output.node) {
        return put(call, target, Place::Current, Stretch::default());
    }
    let wait = PipeWait { node: output.node, reading: false, room: 1, has_begun: false };
    if !pipe::is_pipe_ready(kernel_of(call), wait) {
        let immediately = is_flagged || output.flags & NONBLOCK != 0;
        return wait_for_pipe(call, wait, immediately);
    }
    let count = moved.count.min(pipe::room(kernel_of(call), output.node) as u64);
    let taken = take_from(call, input.node, at_once, count);
    match taken {
        Turn::Go(stretch) if stretch.is_empty() => word(0),
        Turn::Go(stretch) => put(call, target, Place::Current, stretch),
        Turn::Answer(Ok(Outcome::Park(wait))) => {
            *call.scratch() = smallvec![WAITED];
            Ok(Outcome::Park(wait))
        }
        Turn::Answer(answer) => answer,
    }
}

/// Waits for bytes in a pipe or for room, or says why not. The call is announced again afterwards.
fn wait_for_pipe(call: &mut PosixCall<'_, '_>, wait: PipeWait, immediately: bool) -> Step {
    if immediately {
        return failed(EAGAIN);
    }
    *call.scratch() = smallvec![WAITED];
    Ok(pipe::wait_for_pipe(call, wait))
}

/// Stands before the transfer: the open files, once it may be performed.
fn stand(call: &mut PosixCall<'_, '_>, moved: Move) -> Result<Turn<(u64, u64)>, Stop> {
    let node = kernel_of(call).node_of(moved.from);
    let is_taken = node.is_some_and(|node| is_taken_by_reading(call, node));
    let mode = if is_taken { Mode::Write } else { Mode::Read };
    let mut touched = touched_by_source(call, moved.from, mode);
    touched.extend(touched_by_receiving(call, moved.count, false)?);
    let given = moved.positions.into_iter().filter(|address| *address != 0);
    let mut buffers: Vec<_> = given.map(|address| (address, POSITION, Purpose::Write)).collect();
    if let Some(target) = kernel_of(call).file_of(moved.to) {
        let (node, part) = part_written(call, target, Place::Current, moved.count.min(MOST_BYTES))?;
        buffers.extend(memory_of(call, node, &part, Purpose::Write));
    }
    Ok(match stand_before_file(call, moved.to, Mode::Write, &buffers, &touched)? {
        Turn::Go(target) => match kernel_of(call).file_of(moved.from) {
            Some(source) => Turn::Go((source, target)),
            None => Turn::Answer(failed(EBADF)),
        },
        Turn::Answer(answer) => Turn::Answer(answer),
    })
}

fn kernel_of<'a>(call: &'a PosixCall<'_, '_>) -> &'a Kernel {
    &call.state().data.kernel
}

fn is_pipe(call: &PosixCall<'_, '_>, node: u64) -> bool {
    matches!(kernel_of(call).files.kind(node), Some(NodeKind::Pipe(_)))
}

fn is_taken_by_reading(call: &PosixCall<'_, '_>, node: u64) -> bool {
    kernel_of(call).files.kind(node).is_some_and(NodeKind::is_taken_by_reading)
}

fn is_socket(call: &PosixCall<'_, '_>, node: u64) -> bool {
    matches!(kernel_of(call).files.kind(node), Some(NodeKind::Socket(_)))
}

/// At most `count` bytes that are in the pipe `node`. A call that waits for some is announced again
/// afterwards: it has not taken anything until then.
fn waiting_in(
    call: &mut PosixCall<'_, '_>,
    node: u64,
    immediately: bool,
    count: u64,
) -> Result<Turn<Stretch>, Stop> {
    let wait = PipeWait { node, reading: true, room: 0, has_begun: false };
    if !pipe::is_pipe_ready(kernel_of(call), wait) {
        return Ok(Turn::Answer(wait_for_pipe(call, wait, immediately)));
    }
    let count = count.min(pipe::length(kernel_of(call), node));
    call.ask(count)?;
    Ok(Turn::Go(pipe::part(kernel_of(call), node, 0, count as usize)))
}

/// Takes `done` bytes that have been passed on from the file that they came from.
fn take(
    call: &mut PosixCall<'_, '_>,
    moved: Move,
    (source, input): (u64, &OpenFile),
    position: u64,
    done: u64,
) -> Result<(), Stop> {
    if is_pipe(call, input.node) {
        if !moved.keeps {
            // They are there: this does not wait.
            let _taken = pipe::take(call, input.node, true, done);
        }
        return Ok(());
    }
    report_open(call, source, ACCESS);
    match moved.positions[0] {
        0 => call.data().kernel.open.change(source, |file| file.position = position + done),
        address => {
            call.has_written(address, POSITION);
            call.write(address, POSITION, Value::Concrete(position + done))?;
        }
    }
    Ok(())
}
