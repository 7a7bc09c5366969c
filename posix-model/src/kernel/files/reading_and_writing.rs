//! Reading and writing open files: regular ones, devices, and whatever else a descriptor stands for.

use crate::answer::{PosixCall, Step, Turn, failed, word};
use crate::errno::{EBADF, EINVAL, EISDIR, ESPIPE};
use crate::kernel::buffers::Buffer;
use crate::kernel::files::{LONGEST_FILE, TOO_LONG};
use crate::kernel::nodes::content::Content;
use crate::kernel::nodes::events;
use crate::kernel::nodes::kinds::{Device, NodeKind, Page};
use crate::kernel::nodes::open_files::{APPEND, NONBLOCK, OpenFile};
use crate::kernel::nodes::socket::Transfer;
use crate::kernel::process::{machine, random_bytes};
use crate::kernel::readiness::sockets::time_limits::within_limit;
use crate::kernel::readiness::{event_counters, pipe, signal_descriptors, sockets, timer_descriptors};
use crate::kernel::signals::is_sent;
use crate::kernel::system_calls::argument;
use crate::kernel::transfers::{fill, stand_before, stand_before_with, vectors};
use crate::kernel::{Output, mappings, notifications};
use std::ops::Range;
use std::sync::Arc;
use symx_interp::access::Purpose;
use symx_interp::memory::byte_string::Stretch;
use symx_interp::memory::pieces::BYTES_A_MARK;
use symx_interp::stop::Stop;
use symx_trace::Mode;

/// Where in a file a call reads or writes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// At the file's position, which moves on.
    Current,
    /// At the position in argument 3.
    Given,
}

impl Place {
    /// The position that the call gives, if it does.
    fn given(self, call: &mut PosixCall<'_, '_>) -> Result<u64, Stop> {
        if self == Self::Given { argument(call, 3) } else { Ok(0) }
    }

    /// The position at which a call reads an open file that is at `current`.
    fn given_or(self, call: &mut PosixCall<'_, '_>, current: u64) -> Result<u64, Stop> {
        if self == Self::Given { argument(call, 3) } else { Ok(current) }
    }

    /// Where a call writes to the open file with this content, which gives the position `given`, if any.
    /// Linux appends even then.
    fn position(self, open: &OpenFile, content: &Content, given: u64) -> u64 {
        match self {
            _ if open.flags & APPEND != 0 => content.length(),
            Self::Given => given,
            Self::Current => open.position,
        }
    }
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

pub(super) fn read(call: &mut PosixCall<'_, '_>, place: Place) -> Step {
    let buffers = vectors::one(call)?;
    read_into(call, place, &buffers)
}

pub(super) fn read_vector(call: &mut PosixCall<'_, '_>, place: Place) -> Step {
    with_vector(call, |call, buffers| read_into(call, place, buffers))
}

fn read_into(call: &mut PosixCall<'_, '_>, place: Place, buffers: &[(u64, u64)]) -> Step {
    within_limit(call, Transfer::Receive, |call| take_into(call, place, buffers))
}

fn take_into(call: &mut PosixCall<'_, '_>, place: Place, buffers: &[(u64, u64)]) -> Step {
    let count = buffers.iter().fold(0_u64, |sum, buffer| sum.saturating_add(buffer.1));
    let mut mode = if is_taken_by_reading(call)? { Mode::Write } else { Mode::Read };
    let mut memory = with_purpose(buffers, Purpose::Write);
    if let Some(file) = named(call)? {
        let (node, part) = part_read(call, file, place, count)?;
        let mapped = mappings::memory_of(call, node, &part, Purpose::Read);
        if !mapped.is_empty() {
            // Reading memory does not race with a later call that writes it.
            mode = Mode::Write;
        }
        memory.extend(mapped);
    }
    let mut touched = sockets::touched_by_receiving(call, count, false)?;
    if let Some(page) = page(call)? {
        touched.extend(machine::touched_by_page(call, page));
    }
    let file = match stand_before_with(call, mode, &memory, &touched)? {
        Turn::Go(file) => file,
        Turn::Answer(answer) => return answer,
    };
    let open = call.state().data.kernel.open.get(file).clone();
    if !open.is_readable() {
        return failed(EBADF);
    }
    let (node, part) = part_read(call, file, place, count)?;
    mappings::save(call, node, &part)?;
    let stretch = match &call.state().data.kernel.files.kind(open.node) {
        Some(NodeKind::File(content)) => {
            call.ask(part.end - part.start)?;
            content.read(part.start, part.end - part.start)
        }
        Some(NodeKind::Page(page)) => {
            let page = *page;
            let position = place.given_or(call, open.position)?;
            let text = Stretch::from(machine::text(call, page));
            let position = position.min(text.len() as u64) as usize;
            text.part(position, (text.len() - position).min(count as usize))
        }
        Some(NodeKind::Device(Device::Zero)) => {
            call.ask(count)?;
            vec![0; count as usize].into()
        }
        Some(NodeKind::Device(Device::Random)) => random_bytes(call, count)?.into(),
        Some(NodeKind::Device(_)) => Stretch::default(),
        Some(kind) if kind.is_taken_by_reading() && place == Place::Given => return failed(ESPIPE),
        Some(kind) if kind.is_taken_by_reading() => match take(call, &open, count) {
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

/// The file whose descriptor is the first argument.
fn named(call: &mut PosixCall<'_, '_>) -> Result<Option<u64>, Stop> {
    let descriptor = argument(call, 0)? as u32;
    Ok(call.state().data.kernel.file_of(descriptor))
}

/// The page of text whose descriptor is the first argument.
fn page(call: &mut PosixCall<'_, '_>) -> Result<Option<Page>, Stop> {
    let file = named(call)?;
    let kernel = &call.state().data.kernel;
    Ok(match file.and_then(|file| kernel.files.kind(kernel.open.get(file).node)) {
        Some(NodeKind::Page(page)) => Some(*page),
        _ => None,
    })
}

/// The node of the open file `file`, and those bytes of it that reading `count` gives.
fn part_read(
    call: &mut PosixCall<'_, '_>,
    file: u64,
    place: Place,
    count: u64,
) -> Result<(u64, Range<u64>), Stop> {
    let current = call.state().data.kernel.open.get(file).position;
    let position = place.given_or(call, current)?;
    let kernel = &call.state().data.kernel;
    let open = kernel.open.get(file);
    Ok((open.node, kernel.files.part(open.node, position, count)))
}

/// The node of the open file `file`, and those bytes of it that change by writing `count`. They begin at its
/// end if the position is beyond that.
pub(super) fn part_written(
    call: &mut PosixCall<'_, '_>,
    file: u64,
    place: Place,
    count: u64,
) -> Result<(u64, Range<u64>), Stop> {
    let given = place.given(call)?;
    let kernel = &call.state().data.kernel;
    let open = kernel.open.get(file);
    let changed = match kernel.files.kind(open.node) {
        Some(NodeKind::File(content)) if count > 0 => {
            let position = place.position(open, content, given);
            position.min(content.length())..position.saturating_add(count)
        }
        _ => 0..0,
    };
    Ok((open.node, changed))
}

/// Whether what is read is gone.
fn is_taken_by_reading(call: &mut PosixCall<'_, '_>) -> Result<bool, Stop> {
    let descriptor = argument(call, 0)? as u32;
    let kernel = &call.state().data.kernel;
    let node = kernel.node_of(descriptor).and_then(|node| kernel.files.node(node));
    Ok(node.is_some_and(|node| node.kind.is_taken_by_reading()))
}

pub(super) fn write(call: &mut PosixCall<'_, '_>, place: Place) -> Step {
    let buffers = vectors::one(call)?;
    write_from(call, place, &buffers)
}

pub(super) fn write_vector(call: &mut PosixCall<'_, '_>, place: Place) -> Step {
    with_vector(call, |call, buffers| write_from(call, place, buffers))
}

fn write_from(call: &mut PosixCall<'_, '_>, place: Place, buffers: &[(u64, u64)]) -> Step {
    within_limit(call, Transfer::Send, |call| put_from(call, place, buffers))
}

fn put_from(call: &mut PosixCall<'_, '_>, place: Place, buffers: &[(u64, u64)]) -> Step {
    if is_sent(call) {
        return pipe::deliver_broken(call);
    }
    let touched = match sockets::touched_by_sending(call, None)? {
        Turn::Go(touched) => touched,
        Turn::Answer(answer) => return answer,
    };
    let mut memory = with_purpose(buffers, Purpose::Read);
    if let Some(file) = named(call)? {
        let count = buffers.iter().map(|buffer| buffer.1).sum();
        let (node, part) = part_written(call, file, place, count)?;
        memory.extend(mappings::memory_of(call, node, &part, Purpose::Write));
    }
    let file = match stand_before_with(call, Mode::Write, &memory, &touched)? {
        Turn::Go(file) => file,
        Turn::Answer(answer) => return answer,
    };
    let stretch = written(call, file, buffers)?;
    put(call, file, place, stretch)
}

/// Writes `stretch` to the open file `file`, after an announcement.
pub(super) fn put(call: &mut PosixCall<'_, '_>, file: u64, place: Place, stretch: Stretch) -> Step {
    let given = place.given(call)?;
    let open = call.state().data.kernel.open.get(file).clone();
    if !open.is_writable() {
        return failed(EBADF);
    }
    let count = stretch.len() as u64;
    let (_, changed) = part_written(call, file, place, count)?;
    call.ask(count + stretch.symbolic.len() as u64 * BYTES_A_MARK)?;
    let node = call.state().data.kernel.files.kind(open.node);
    if let Some(NodeKind::File(content)) = node
        && count > 0
        && place.position(&open, content, given).saturating_add(count) > LONGEST_FILE
    {
        return Err(call.unsupported(TOO_LONG));
    }
    let kernel = &mut call.data().kernel;
    match kernel.files.kind(open.node) {
        Some(NodeKind::File(content)) => {
            let position = place.position(&open, content, given);
            kernel.files.change(open.node, |node| {
                if let NodeKind::File(content) = &mut node.kind
                    && count > 0
                {
                    content.put(position, &stretch);
                }
            });
            if place == Place::Current {
                kernel.open.change(file, |file| file.position = position + count);
            }
            mappings::show(call, open.node, &changed)?;
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
            sockets::put_into(call, open.node, open.flags & NONBLOCK != 0, false, &stretch.into())
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

/// Takes at most `count` bytes out of an open object, after an announcement.
fn take(call: &mut PosixCall<'_, '_>, open: &OpenFile, count: u64) -> Turn<Stretch> {
    let bytes = |turn| match turn {
        Turn::Go(bytes) => Turn::Go(Vec::into(bytes)),
        Turn::Answer(answer) => Turn::Answer(answer),
    };
    let immediately = open.flags & NONBLOCK != 0;
    match call.state().data.kernel.files.kind(open.node) {
        Some(NodeKind::Pipe(_)) => pipe::take(call, open.node, immediately, count),
        Some(NodeKind::Socket(_)) => sockets::take_from(call, open.node, immediately, count),
        Some(NodeKind::Notifier(_)) => bytes(notifications::take(call, open.node, open.flags, count)),
        Some(NodeKind::Event(_)) => bytes(event_counters::take(call, open.node, open.flags, count)),
        Some(NodeKind::Timer(number)) => {
            let timer = (open.node, *number);
            bytes(timer_descriptors::take(call, timer, open.flags, count))
        }
        Some(NodeKind::Signals(set)) => {
            let set = *set;
            bytes(signal_descriptors::take(call, set, open.flags, count))
        }
        _ => Turn::Answer(failed(EINVAL)),
    }
}
