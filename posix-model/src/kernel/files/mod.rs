//! Reading, writing, positioning and duplicating open files.

pub(crate) mod content;
pub(crate) mod descriptors;
pub(crate) mod directories;
pub(crate) mod file_system;
pub(crate) mod in_memory;
pub(crate) mod names;
pub(crate) mod open_files;
pub(crate) mod paths;
pub(crate) mod stat;
pub(crate) mod symbolic;
pub(crate) mod terminal;
pub(crate) mod transfers;
pub(crate) mod vectors;

use crate::answer::{PosixCall, Step, Turn, announced, failed, word};
use crate::errno::{EBADF, EINVAL, EISDIR, EPIPE, ESPIPE};
use crate::kernel::buffers::Buffer;
use crate::kernel::files::content::Content;
use crate::kernel::files::descriptors::{Opener, descriptor_place};
use crate::kernel::files::file_system::{Device, NodeKind};
use crate::kernel::files::open_files::{APPEND, NONBLOCK};
use crate::kernel::files::transfers::{fill, stand_before, stand_before_with};
use crate::kernel::notifications::events;
use crate::kernel::process::random_bytes;
use crate::kernel::readiness::sockets::time_limits::{Transfer, within_limit};
use crate::kernel::readiness::{self, event_counters, pipe, sockets};
use crate::kernel::signals::{deliver_sent, is_sent};
use crate::kernel::system_calls::{SystemCall, argument, call as row};
use crate::kernel::{Output, mappings};
use crate::places::write as writes;
use std::sync::Arc;
use symx_interp::access::Purpose;
use symx_interp::memory::byte_string::Stretch;
use symx_interp::memory::pieces::BYTES_A_MARK;
use symx_interp::stop::Stop;
use symx_interp::value::Value;
use symx_trace::Mode;

pub(crate) const CALLS: &[SystemCall] = &[
    row(0, "read", |call| read(call, Place::Current)),
    row(1, "write", |call| write(call, Place::Current)),
    row(3, "close", close),
    row(8, "lseek", seek),
    row(17, "pread64", |call| read(call, Place::Given)),
    row(18, "pwrite64", |call| write(call, Place::Given)),
    row(19, "readv", |call| read_vector(call, Place::Current)),
    row(20, "writev", |call| write_vector(call, Place::Current)),
    row(295, "preadv", |call| read_vector(call, Place::Given)),
    row(296, "pwritev", |call| write_vector(call, Place::Given)),
    row(32, "dup", |call| duplicate(call, 0, false)),
    row(33, "dup2", |call| duplicate_to(call, true)),
    row(292, "dup3", |call| duplicate_to(call, false)),
    row(72, "fcntl", control),
    row(73, "flock", synchronise),
    row(74, "fsync", synchronise),
    row(75, "fdatasync", synchronise),
    row(162, "sync", |_| word(0)),
    row(277, "sync_file_range", synchronise),
    row(306, "syncfs", synchronise),
    row(77, "ftruncate", truncate),
    row(221, "fadvise64", |_| word(0)),
    row(285, "fallocate", allocate),
];

/// Where in a file a call reads or writes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// At the file's position, which moves on.
    Current,
    /// At the position in argument 3.
    Given,
}

/// Does something with the buffers of the array of which arguments 1 and 2 are address and count.
fn with_vector(
    call: &mut PosixCall<'_, '_>,
    transfer: impl FnOnce(&mut PosixCall<'_, '_>, &[(u64, u64)]) -> Step,
) -> Step {
    let vector = (argument(call, 1)?, argument(call, 2)?);
    match vectors::array(call, vector, EINVAL)? {
        Ok(buffers) => transfer(call, &buffers),
        Err(error) => match stand_before(call, Mode::Read, &[])? {
            Turn::Go(_) => failed(error),
            Turn::Answer(answer) => answer,
        },
    }
}

fn with_purpose(buffers: &[(u64, u64)], purpose: Purpose) -> Vec<Buffer> {
    buffers.iter().map(|&(address, length)| (address, length, purpose)).collect()
}

fn read(call: &mut PosixCall<'_, '_>, place: Place) -> Step {
    let buffers = vectors::one(call)?;
    read_into(call, place, &buffers)
}

fn read_vector(call: &mut PosixCall<'_, '_>, place: Place) -> Step {
    with_vector(call, |call, buffers| read_into(call, place, buffers))
}

fn read_into(call: &mut PosixCall<'_, '_>, place: Place, buffers: &[(u64, u64)]) -> Step {
    within_limit(call, Transfer::Receive, |call| take_into(call, place, buffers))
}

fn take_into(call: &mut PosixCall<'_, '_>, place: Place, buffers: &[(u64, u64)]) -> Step {
    let count = buffers.iter().fold(0_u64, |sum, buffer| sum.saturating_add(buffer.1));
    let mode = if is_taken_by_reading(call)? { Mode::Write } else { Mode::Read };
    let file = match stand_before(call, mode, &with_purpose(buffers, Purpose::Write))? {
        Turn::Go(file) => file,
        Turn::Answer(answer) => return answer,
    };
    let open = call.state().data.kernel.open.get(file).clone();
    if !open.is_readable() {
        return failed(EBADF);
    }
    mappings::save(call, open.node)?;
    let position = match place {
        Place::Current => open.position,
        Place::Given => argument(call, 3)?,
    };
    let stretch = match &call.state().data.kernel.files.node(open.node).map(|node| &node.kind) {
        Some(NodeKind::File(content)) => {
            call.ask(content.length().saturating_sub(position).min(count))?;
            content.read(position, count)
        }
        Some(NodeKind::Device(Device::Zero)) => {
            call.ask(count)?;
            vec![0; count as usize].into()
        }
        Some(NodeKind::Device(Device::Random)) => random_bytes(call, count)?.into(),
        Some(NodeKind::Device(_)) => Stretch::default(),
        Some(kind) if kind.is_taken_by_reading() && place == Place::Given => return failed(ESPIPE),
        Some(kind) if kind.is_taken_by_reading() => match readiness::take(call, &open, count) {
            Turn::Go(stretch) => stretch,
            Turn::Answer(answer) => return answer,
        },
        Some(NodeKind::Directory) => return failed(EISDIR),
        _ => return failed(EINVAL),
    };
    let done = fill(call, buffers, &stretch)?;
    if place == Place::Current {
        call.data().kernel.open.change(file, |file| file.position += done as u64);
    }
    if done > 0 {
        events::report_open(call, file, events::ACCESS);
    }
    word(done as u64)
}

/// Whether what is read is gone.
fn is_taken_by_reading(call: &mut PosixCall<'_, '_>) -> Result<bool, Stop> {
    let descriptor = argument(call, 0)? as u32;
    let kernel = &call.state().data.kernel;
    let node = kernel.node_of(descriptor).and_then(|node| kernel.files.node(node));
    Ok(node.is_some_and(|node| node.kind.is_taken_by_reading()))
}

fn write(call: &mut PosixCall<'_, '_>, place: Place) -> Step {
    let buffers = vectors::one(call)?;
    write_from(call, place, &buffers)
}

fn write_vector(call: &mut PosixCall<'_, '_>, place: Place) -> Step {
    with_vector(call, |call, buffers| write_from(call, place, buffers))
}

fn write_from(call: &mut PosixCall<'_, '_>, place: Place, buffers: &[(u64, u64)]) -> Step {
    within_limit(call, Transfer::Send, |call| put_from(call, place, buffers))
}

fn put_from(call: &mut PosixCall<'_, '_>, place: Place, buffers: &[(u64, u64)]) -> Step {
    if is_sent(call) {
        return deliver_sent(call, failed(EPIPE));
    }
    let touched = match sockets::touched_by_sending(call, None)? {
        Turn::Go(touched) => touched,
        Turn::Answer(answer) => return answer,
    };
    let read = with_purpose(buffers, Purpose::Read);
    let file = match stand_before_with(call, Mode::Write, &read, &touched)? {
        Turn::Go(file) => file,
        Turn::Answer(answer) => return answer,
    };
    let stretch = written(call, file, buffers)?;
    let given = argument(call, 3)?;
    let open = call.state().data.kernel.open.get(file).clone();
    if !open.is_writable() {
        return failed(EBADF);
    }
    mappings::save(call, open.node)?;
    let count = stretch.len() as u64;
    call.ask(count + stretch.symbolic.len() as u64 * BYTES_A_MARK)?;
    let position = |content: &Content| match place {
        Place::Given => given,
        Place::Current if open.flags & APPEND != 0 => content.length(),
        Place::Current => open.position,
    };
    let node = call.state().data.kernel.files.node(open.node).map(|node| &node.kind);
    if let Some(NodeKind::File(content)) = node
        && count > 0
        && position(content).saturating_add(count) > LONGEST_FILE
    {
        return Err(call.unsupported(TOO_LONG));
    }
    let kernel = &mut call.data().kernel;
    match kernel.files.node(open.node).map(|node| &node.kind) {
        Some(NodeKind::File(content)) => {
            let position = position(content);
            kernel.files.change(open.node, |node| {
                if let NodeKind::File(content) = &mut node.kind {
                    content.put(position, &stretch);
                }
            });
            if place == Place::Current {
                kernel.open.change(file, |file| file.position = position + count);
            }
            mappings::show(call, open.node)?;
            if count > 0 {
                events::report_open(call, file, events::MODIFY);
            }
            word(count)
        }
        Some(NodeKind::Device(Device::Stream(stream))) => {
            let stream = *stream;
            if !stretch.is_empty() {
                kernel.output.push_back(Output { stream, written: Arc::new(stretch) });
            }
            word(count)
        }
        Some(NodeKind::Device(_)) => {
            if count > 0 {
                events::report_open(call, file, events::MODIFY);
            }
            word(count)
        }
        Some(NodeKind::Pipe(_)) if place == Place::Given => failed(ESPIPE),
        Some(NodeKind::Pipe(_)) => pipe::put(call, open.node, open.flags & NONBLOCK != 0, &stretch),
        Some(NodeKind::Socket(_) | NodeKind::Event(_)) if place == Place::Given => failed(ESPIPE),
        Some(NodeKind::Socket(_)) => {
            sockets::put_into(call, open.node, open.flags & NONBLOCK != 0, false, &stretch)
        }
        Some(NodeKind::Event(_)) => event_counters::add(call, open.node, open.flags, &stretch),
        Some(NodeKind::Directory) => failed(EISDIR),
        _ => failed(EINVAL),
    }
}

/// The bytes about to be written to `file`. Those for a standard stream get a value at once if they must have
/// one.
fn written(call: &mut PosixCall<'_, '_>, file: u64, buffers: &[(u64, u64)]) -> Result<Stretch, Stop> {
    let kernel = &call.state().data.kernel;
    let node = kernel.files.node(kernel.open.get(file).node);
    let to_stream = node.is_some_and(|node| matches!(node.kind, NodeKind::Device(Device::Stream(_))));
    let concrete = to_stream && call.environment().options().concrete_output;
    let mut stretch = Stretch::default();
    for &(address, length) in buffers {
        stretch.append(&match concrete {
            true => call.read_bytes(address, length)?.into(),
            false => call.read_stretch(address, length)?,
        });
    }
    Ok(stretch)
}

fn close(call: &mut PosixCall<'_, '_>) -> Step {
    let descriptor = argument(call, 0)? as u32;
    let footprint = readiness::footprint_of_closing(&call.state().data.kernel, descriptor);
    if let Some(park) = announced(call, footprint) {
        return Ok(park);
    }
    let Some(file) = call.state().data.kernel.file_of(descriptor) else { return failed(EBADF) };
    events::refuse_lost(call, file)?;
    let kernel = &mut call.data().kernel;
    readiness::close(kernel, descriptor);
    word(0)
}

fn seek(call: &mut PosixCall<'_, '_>) -> Step {
    let file = match stand_before(call, Mode::Read, &[])? {
        Turn::Go(file) => file,
        Turn::Answer(answer) => return answer,
    };
    let (offset, from) = (argument(call, 1)? as i64, argument(call, 2)?);
    let kernel = &mut call.data().kernel;
    let open = kernel.open.get(file);
    let length = match kernel.files.node(open.node).map(|node| &node.kind) {
        Some(NodeKind::File(content)) => content.length(),
        Some(NodeKind::Directory) => 0,
        Some(
            NodeKind::Device(Device::Null | Device::Zero | Device::Random)
            | NodeKind::Event(_)
            | NodeKind::Epoll(_)
            | NodeKind::Notifier(_)
            | NodeKind::Timer(_)
            | NodeKind::Signals(_),
        ) => return word(0),
        _ => return failed(ESPIPE),
    };
    let base = match from {
        0 => 0,
        1 => open.position,
        2 => length,
        _ => return failed(EINVAL),
    };
    let Some(position) = base.checked_add_signed(offset) else { return failed(EINVAL) };
    kernel.open.change(file, |file| {
        file.position = position;
        file.listing = None;
    });
    word(position)
}

/// Binds the lowest free descriptor from `lowest` on to the same file as argument 0.
fn duplicate(call: &mut PosixCall<'_, '_>, lowest: u32, close_on_exec: bool) -> Step {
    let descriptor = argument(call, 0)? as u32;
    let opener = Opener::of(call);
    let footprint = opener.touched().chain([writes(descriptor_place(descriptor))]).collect();
    if let Some(park) = announced(call, footprint) {
        return Ok(park);
    }
    let kernel = &mut call.data().kernel;
    let Some(file) = kernel.file_of(descriptor) else { return failed(EBADF) };
    if lowest >= LARGEST_DESCRIPTOR {
        return failed(EINVAL);
    }
    let free = opener.free(&kernel.own.descriptors, lowest);
    kernel.bind(free, file, close_on_exec);
    word(u64::from(free))
}

const CLOSE_ON_EXEC: u64 = 0o2_000_000;
const LARGEST_DESCRIPTOR: u32 = 1 << 20;

fn duplicate_to(call: &mut PosixCall<'_, '_>, same_allowed: bool) -> Step {
    let (descriptor, wanted) = (argument(call, 0)? as u32, argument(call, 1)? as u32);
    let flags = if same_allowed { 0 } else { argument(call, 2)? };
    let mut footprint = readiness::footprint_of_closing(&call.state().data.kernel, wanted);
    footprint.push(writes(descriptor_place(descriptor)));
    if let Some(park) = announced(call, footprint) {
        return Ok(park);
    }
    let kernel = &mut call.data().kernel;
    let Some(file) = kernel.file_of(descriptor) else { return failed(EBADF) };
    if wanted >= LARGEST_DESCRIPTOR {
        return failed(EBADF);
    }
    if descriptor == wanted {
        return if same_allowed { word(u64::from(wanted)) } else { failed(EINVAL) };
    }
    if let Some(replaced) = kernel.file_of(wanted) {
        events::refuse_lost(call, replaced)?;
    }
    let kernel = &mut call.data().kernel;
    readiness::close(kernel, wanted);
    kernel.bind(wanted, file, flags & CLOSE_ON_EXEC != 0);
    word(u64::from(wanted))
}

/// Kind of a `struct flock`.
const UNLOCKED: u64 = 2;

fn control(call: &mut PosixCall<'_, '_>) -> Step {
    let (command, value) = (argument(call, 1)?, argument(call, 2)?);
    match command {
        0 => return duplicate(call, value as u32, false),
        1030 => return duplicate(call, value as u32, true),
        _ => {}
    }
    let file = match stand_before(call, Mode::Read, &[])? {
        Turn::Go(file) => file,
        Turn::Answer(answer) => return answer,
    };
    let descriptor = argument(call, 0)? as u32;
    let kernel = &mut *call.data().kernel;
    match command {
        1 => word(u64::from(kernel.own.descriptors.closes_on_exec(descriptor))),
        2 => {
            kernel.own.descriptors.set_close_on_exec(descriptor, value & 1 != 0);
            word(0)
        }
        3 => word(u64::from(kernel.open.get(file).flags)),
        4 => {
            let settable = APPEND | NONBLOCK;
            kernel.open.change(file, |file| file.flags = file.flags & !settable | value as u32 & settable);
            word(0)
        }
        // Locks against other processes, of which there are none: no lock is ever in the way.
        5 | 36 => {
            call.write(value, 2, Value::Concrete(UNLOCKED))?;
            word(0)
        }
        6 | 7 | 37 | 38 => word(0),
        _ => Err(call.unsupported(format!("fcntl command {command}"))),
    }
}

/// Written data is as safe as it can be.
fn synchronise(call: &mut PosixCall<'_, '_>) -> Step {
    match stand_before(call, Mode::Read, &[])? {
        Turn::Go(_) => word(0),
        Turn::Answer(answer) => answer,
    }
}

fn truncate(call: &mut PosixCall<'_, '_>) -> Step {
    let length = argument(call, 1)?;
    resize(call, |_| length)
}

fn allocate(call: &mut PosixCall<'_, '_>) -> Step {
    let (mode, start, count) = (argument(call, 1)?, argument(call, 2)?, argument(call, 3)?);
    if mode != 0 {
        return Err(call.unsupported(format!("fallocate with mode {mode}")));
    }
    resize(call, |length| length.max(start.saturating_add(count)))
}

/// Longest file, in bytes, that is held in memory.
pub(crate) const LONGEST_FILE: u64 = 1 << 32;

/// The message for a longer one.
pub(crate) const TOO_LONG: &str = "a file of more than 4 GiB";

fn resize(call: &mut PosixCall<'_, '_>, length: impl Fn(u64) -> u64) -> Step {
    let file = match stand_before(call, Mode::Write, &[])? {
        Turn::Go(file) => file,
        Turn::Answer(answer) => return answer,
    };
    let open = call.state().data.kernel.open.get(file).clone();
    mappings::save(call, open.node)?;
    let kernel = &mut call.data().kernel;
    let node = kernel.files.node(open.node).map(|node| &node.kind);
    let Some(NodeKind::File(content)) = node.filter(|_| open.is_writable()) else { return failed(EINVAL) };
    let length = length(content.length());
    if length > i64::MAX as u64 {
        return failed(EINVAL);
    }
    if length > LONGEST_FILE {
        return Err(call.unsupported(TOO_LONG));
    }
    kernel.files.change(open.node, |node| {
        if let NodeKind::File(content) = &mut node.kind {
            content.resize(length);
        }
    });
    mappings::show(call, open.node)?;
    events::report_open(call, file, events::MODIFY);
    word(0)
}
