//! Reading, writing, positioning and duplicating open files.

pub(crate) mod attributes;
pub(crate) mod closing;
pub(crate) mod directories;
pub(crate) mod entries;
pub(crate) mod in_memory;
mod locking;
pub(crate) mod names;
mod reading_and_writing;
mod sending;
mod splicing;
pub(crate) mod stat;
pub(crate) mod symbolic;
pub(crate) mod terminal;

use crate::answer::{PosixCall, Step, Turn, announced, failed, word};
use crate::errno::{EBADF, EINVAL, ESPIPE};
use crate::kernel::files::reading_and_writing::{Place, read, read_vector, write, write_vector};
use crate::kernel::files::sending::send_file;
use crate::kernel::files::splicing::{copy, splice};
use crate::kernel::mappings;
use crate::kernel::nodes::descriptors::{Opener, descriptor_place};
use crate::kernel::nodes::events;
use crate::kernel::nodes::kinds::{Device, NodeKind};
use crate::kernel::nodes::open_files::{APPEND, CLOSE_ON_EXEC, NONBLOCK};
use crate::kernel::readiness::pipe;
use crate::kernel::system_calls::{SystemCall, argument, call as row};
use crate::kernel::transfers::stand_before;
use crate::places::write as writes;
use symx_interp::access::Purpose;
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
    row(40, "sendfile", send_file),
    row(275, "splice", splice),
    row(276, "tee", copy),
    row(295, "preadv", |call| read_vector(call, Place::Given)),
    row(296, "pwritev", |call| write_vector(call, Place::Given)),
    row(32, "dup", |call| duplicate(call, 0, false)),
    row(33, "dup2", |call| duplicate_to(call, true)),
    row(292, "dup3", |call| duplicate_to(call, false)),
    row(72, "fcntl", control),
    row(73, "flock", locking::lock_file),
    row(74, "fsync", synchronise),
    row(75, "fdatasync", synchronise),
    row(162, "sync", |_| word(0)),
    row(277, "sync_file_range", synchronise),
    row(306, "syncfs", synchronise),
    row(77, "ftruncate", truncate),
    row(187, "readahead", read_ahead),
    row(221, "fadvise64", |_| word(0)),
    row(285, "fallocate", allocate),
];

fn close(call: &mut PosixCall<'_, '_>) -> Step {
    let descriptor = argument(call, 0)? as u32;
    let kernel = &call.state().data.kernel;
    let footprint = match call.phase() {
        // What is on its way to a socket is looked at behind the announcement, which orders that.
        0 => closing::footprint_of_arrival(kernel, descriptor),
        _ => closing::footprint_of_closing(kernel, descriptor),
    };
    if let Some(park) = announced(call, footprint) {
        return Ok(park);
    }
    let Some(file) = call.state().data.kernel.file_of(descriptor) else { return failed(EBADF) };
    events::refuse_lost(call, file)?;
    closing::close(call, descriptor);
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
    let length = match kernel.files.kind(open.node) {
        Some(NodeKind::File(content)) => content.length(),
        Some(NodeKind::Directory | NodeKind::Page(_)) => 0,
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
    // Where none is asked for, none is free either.
    if lowest > 0 && lowest >= kernel.own.limits.descriptors() {
        return failed(EINVAL);
    }
    let free = match kernel.free_from(opener, lowest) {
        Ok(free) => free,
        Err(error) => return failed(error),
    };
    kernel.bind(opener.thread, free, file, close_on_exec);
    word(u64::from(free))
}

fn duplicate_to(call: &mut PosixCall<'_, '_>, same_allowed: bool) -> Step {
    let (descriptor, wanted) = (argument(call, 0)? as u32, argument(call, 1)? as u32);
    let flags = if same_allowed { 0 } else { argument(call, 2)? & 0xffff_ffff };
    if flags & !CLOSE_ON_EXEC != 0 {
        return failed(EINVAL);
    }
    let mut footprint = closing::footprint_of_closing(&call.state().data.kernel, wanted);
    footprint.push(writes(descriptor_place(descriptor)));
    if let Some(park) = announced(call, footprint) {
        return Ok(park);
    }
    let kernel = &mut call.data().kernel;
    let Some(file) = kernel.file_of(descriptor) else { return failed(EBADF) };
    if descriptor == wanted {
        return if same_allowed { word(u64::from(wanted)) } else { failed(EINVAL) };
    }
    if wanted >= kernel.own.limits.descriptors() {
        return failed(EBADF);
    }
    if let Some(replaced) = kernel.file_of(wanted) {
        events::refuse_lost(call, replaced)?;
    }
    closing::close(call, wanted);
    let me = call.thread();
    call.data().kernel.bind(me, wanted, file, flags & CLOSE_ON_EXEC != 0);
    word(u64::from(wanted))
}

// Commands of `fcntl` about pipes.
const SET_PIPE_SIZE: u64 = 1031;
const GET_PIPE_SIZE: u64 = 1032;

fn control(call: &mut PosixCall<'_, '_>) -> Step {
    let (command, value) = (argument(call, 1)?, argument(call, 2)?);
    match command {
        0 => return duplicate(call, value as u32, false),
        1030 => return duplicate(call, value as u32, true),
        5..=7 | 36..=38 => return locking::lock_bytes(call),
        _ => {}
    }
    let mode = if command == SET_PIPE_SIZE { Mode::Write } else { Mode::Read };
    let file = match stand_before(call, mode, &[])? {
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
        SET_PIPE_SIZE | GET_PIPE_SIZE => {
            let node = kernel.open.get(file).node;
            pipe::sized(kernel, node, (command == SET_PIPE_SIZE).then_some(value & 0xffff_ffff))
        }
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

/// `readahead(descriptor, offset, count)`: bytes of a regular file that is open for reading come to be in
/// memory, where they are in the modelled kernel at all times.
fn read_ahead(call: &mut PosixCall<'_, '_>) -> Step {
    let count = argument(call, 2)?;
    let file = match stand_before(call, Mode::Read, &[])? {
        Turn::Go(file) => file,
        Turn::Answer(answer) => return answer,
    };
    let kernel = &call.state().data.kernel;
    let open = kernel.open.get(file);
    if !open.is_readable() {
        return failed(EBADF);
    }
    let is_regular = matches!(kernel.files.kind(open.node), Some(NodeKind::File(_) | NodeKind::Page(_)));
    if is_regular && count <= i64::MAX as u64 { word(0) } else { failed(EINVAL) }
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
    let descriptor = argument(call, 0)? as u32;
    let kernel = &call.state().data.kernel;
    let node = kernel.node_of(descriptor);
    // What ends or begins; it is zero where it is mapped.
    let changed = match node.and_then(|node| kernel.files.kind(node)) {
        Some(NodeKind::File(content)) => {
            let (old, new) = (content.length(), length(content.length()));
            old.min(new)..old.max(new)
        }
        _ => 0..0,
    };
    let mapped = node.map(|node| mappings::memory_of(call, node, &changed, Purpose::Write));
    let file = match stand_before(call, Mode::Write, &mapped.unwrap_or_default())? {
        Turn::Go(file) => file,
        Turn::Answer(answer) => return answer,
    };
    let open = call.state().data.kernel.open.get(file).clone();
    let kernel = &mut call.data().kernel;
    let node = kernel.files.kind(open.node);
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
    mappings::show(call, open.node, &changed)?;
    events::report_open(call, file, events::MODIFY);
    word(0)
}
