//! Facts about files: `stat` and its kin, and changes to it.

use crate::answer::{PosixCall, Step, Turn, announced, failed, word};
use crate::errno::{EINVAL, EISDIR, ENOENT};
use crate::file_names_as_text::file_name_bytes;
use crate::kernel::files::{LONGEST_FILE, TOO_LONG};
use crate::kernel::nodes::events;
use crate::kernel::nodes::file_system::{Node, Time};
use crate::kernel::nodes::kinds::{Device, NodeKind};
use crate::kernel::nodes::paths::{Found, Resolved, is_path_argument, resolve};
use crate::kernel::system_calls::{SystemCall, argument, call as row};
use crate::kernel::transfers::stand_before;
use crate::options::PROGRAM_LINK;
use crate::places::node_place;
use symx_interp::stop::Stop;
use symx_trace::{Access, Footprint, Mode};

pub(crate) const CALLS: &[SystemCall] = &[
    row(4, "stat", |call| of_path(call, None, 0, true, 1)),
    row(6, "lstat", |call| of_path(call, None, 0, false, 1)),
    row(5, "fstat", |call| of_descriptor(call, 1)),
    row(262, "newfstatat", stat_at),
    row(332, "statx", extended),
    row(89, "readlink", |call| read_link(call, None, 0)),
    row(267, "readlinkat", |call| read_link(call, Some(0), 1)),
    row(90, "chmod", |call| change_permissions(call, None, 0)),
    row(268, "fchmodat", |call| change_permissions(call, Some(0), 1)),
    row(91, "fchmod", change_open_permissions),
    row(92, "chown", |call| accept_for_path(call, None, 0, true)),
    row(94, "lchown", |call| accept_for_path(call, None, 0, false)),
    row(93, "fchown", |call| accept_for_descriptor(call, 1)),
    row(260, "fchownat", accept_at),
    row(280, "utimensat", set_times),
    row(76, "truncate", truncate),
    row(137, "statfs", |call| match stand_before_path(call, None, 0, true, Mode::Read)? {
        Turn::Go(_) => statistics(call),
        Turn::Answer(answer) => answer,
    }),
    row(138, "fstatfs", |call| match stand_before(call, Mode::Read, &[])? {
        Turn::Go(_) => statistics(call),
        Turn::Answer(answer) => answer,
    }),
];

const NO_FOLLOW: u64 = 0x100;
const EMPTY_PATH: u64 = 0x1000;
const BLOCK: u64 = 4096;
/// The file system's device number.
const FILE_SYSTEM: u64 = 1;

/// The facts that `stat` reports about a node.
struct Description {
    number: u64,
    /// Kind and permissions.
    mode: u32,
    links: u32,
    size: u64,
    modified: Time,
}

impl Description {
    fn new(number: u64, node: &Node) -> Self {
        let (kind, size) = match &node.kind {
            NodeKind::File(content) => (0o100_000, content.length()),
            NodeKind::Unread(size) => (0o100_000, *size),
            NodeKind::Page(_) => (0o100_000, 0),
            NodeKind::Directory => (0o040_000, BLOCK),
            NodeKind::Link(target) => (0o120_000, target.len() as u64),
            NodeKind::Device(Device::Stream(_)) | NodeKind::Pipe(_) => (0o010_000, 0),
            NodeKind::Device(_) => (0o020_000, 0),
            NodeKind::Socket(_) | NodeKind::Bound(_) => (0o140_000, 0),
            NodeKind::Event(_)
            | NodeKind::Epoll(_)
            | NodeKind::Notifier(_)
            | NodeKind::Queue(_)
            | NodeKind::Timer(_)
            | NodeKind::Signals(_) => (0, 0),
        };
        let (links, modified) = (node.links, node.modified);
        Self { number, mode: kind | node.permissions, links, size, modified }
    }

    /// As a `struct stat` of x86-64.
    fn to_stat(&self) -> [u8; 144] {
        let mut bytes = [0; 144];
        let mut put =
            |offset: usize, value: &[u8]| bytes[offset..offset + value.len()].copy_from_slice(value);
        put(0, &FILE_SYSTEM.to_le_bytes());
        put(8, &self.number.to_le_bytes());
        put(16, &u64::from(self.links).to_le_bytes());
        put(24, &self.mode.to_le_bytes());
        put(48, &self.size.to_le_bytes());
        put(56, &BLOCK.to_le_bytes());
        put(64, &self.size.div_ceil(512).to_le_bytes());
        for time in [72, 88, 104] {
            put(time, &self.modified.seconds.to_le_bytes());
            put(time + 8, &u64::from(self.modified.fraction).to_le_bytes());
        }
        bytes
    }

    /// As a `struct statx`.
    fn to_statx(&self) -> [u8; 256] {
        const BASIC: u32 = 0x7ff;
        let mut bytes = [0; 256];
        let mut put =
            |offset: usize, value: &[u8]| bytes[offset..offset + value.len()].copy_from_slice(value);
        put(0, &BASIC.to_le_bytes());
        put(4, &(BLOCK as u32).to_le_bytes());
        put(16, &self.links.to_le_bytes());
        put(28, &(self.mode as u16).to_le_bytes());
        put(32, &self.number.to_le_bytes());
        put(40, &self.size.to_le_bytes());
        put(48, &self.size.div_ceil(512).to_le_bytes());
        for time in [64, 96, 112] {
            put(time, &self.modified.seconds.to_le_bytes());
            put(time + 8, &self.modified.fraction.to_le_bytes());
        }
        put(140, &(FILE_SYSTEM as u32).to_le_bytes());
        bytes
    }
}

/// How the description is laid out, and where.
#[derive(Clone, Copy)]
enum Layout {
    Stat(u64),
    Statx(u64),
}

fn describe(call: &mut PosixCall<'_, '_>, node: u64, layout: Layout) -> Step {
    let Some(description) =
        call.state().data.kernel.files.node(node).map(|found| Description::new(node, found))
    else {
        return failed(ENOENT);
    };
    match layout {
        Layout::Stat(address) => call.write_bytes(address, &description.to_stat())?,
        Layout::Statx(address) => call.write_bytes(address, &description.to_statx())?,
    }
    word(0)
}

fn of_path(
    call: &mut PosixCall<'_, '_>,
    directory: Option<usize>,
    path: usize,
    follow: bool,
    result: usize,
) -> Step {
    let layout = Layout::Stat(argument(call, result)?);
    of_found(call, directory, path, follow, layout)
}

fn of_found(
    call: &mut PosixCall<'_, '_>,
    directory: Option<usize>,
    path: usize,
    follow: bool,
    layout: Layout,
) -> Step {
    let node = match stand_before_path(call, directory, path, follow, Mode::Read)? {
        Turn::Go(node) => node,
        Turn::Answer(answer) => return answer,
    };
    describe(call, node, layout)
}

/// Stands before an operation on what a path leads to, until it may be performed: then its node.
pub(super) fn stand_before_path(
    call: &mut PosixCall<'_, '_>,
    directory: Option<usize>,
    path: usize,
    follow: bool,
    mode: Mode,
) -> Result<Turn<u64>, Stop> {
    let resolved = resolve(call, directory, path, follow)?;
    let footprint = footprint_at(&resolved, mode);
    Ok(match stand_before_found(call, resolved, footprint) {
        Turn::Go((_, node)) => Turn::Go(node),
        Turn::Answer(answer) => Turn::Answer(answer),
    })
}

/// [`stand_before_path`], before an operation that watches of the file report: its path, too.
fn stand_before_watched(
    call: &mut PosixCall<'_, '_>,
    directory: Option<usize>,
    path: usize,
    follow: bool,
    mode: Mode,
) -> Result<Turn<(String, u64)>, Stop> {
    let resolved = resolve(call, directory, path, follow)?;
    let mut footprint = footprint_at(&resolved, mode);
    if let Ok(found) = &resolved.found {
        footprint.extend(events::touched_at(&call.state().data.kernel, &found.path, found.node));
    }
    Ok(stand_before_found(call, resolved, footprint))
}

fn footprint_at(resolved: &Resolved, mode: Mode) -> Footprint {
    let mut footprint = resolved.touched();
    if let Ok(Found { node: Some(node), .. }) = resolved.found {
        footprint.push(Access { place: node_place(node), mode });
    }
    footprint
}

fn stand_before_found(
    call: &mut PosixCall<'_, '_>,
    resolved: Resolved,
    footprint: Footprint,
) -> Turn<(String, u64)> {
    if let Some(park) = announced(call, footprint) {
        return Turn::Answer(Ok(park));
    }
    match resolved.found {
        Ok(Found { path, node: Some(node) }) => Turn::Go((path, node)),
        Ok(_) => Turn::Answer(failed(ENOENT)),
        Err(error) => Turn::Answer(failed(error)),
    }
}

fn of_descriptor(call: &mut PosixCall<'_, '_>, result: usize) -> Step {
    let layout = Layout::Stat(argument(call, result)?);
    of_open(call, layout)
}

fn of_open(call: &mut PosixCall<'_, '_>, layout: Layout) -> Step {
    let file = match stand_before(call, Mode::Read, &[])? {
        Turn::Go(file) => file,
        Turn::Answer(answer) => return answer,
    };
    let node = call.state().data.kernel.open.get(file).node;
    describe(call, node, layout)
}

fn is_empty_path(call: &mut PosixCall<'_, '_>) -> Result<bool, Stop> {
    let path = argument(call, 1)?;
    Ok(call.read_symbolic_string_within(path, 1)?.is_empty())
}

fn stat_at(call: &mut PosixCall<'_, '_>) -> Step {
    let flags = argument(call, 3)?;
    if flags & EMPTY_PATH != 0 && is_empty_path(call)? {
        return of_descriptor(call, 2);
    }
    of_path(call, Some(0), 1, flags & NO_FOLLOW == 0, 2)
}

/// `statx(directory, path, flags, mask, result)`.
fn extended(call: &mut PosixCall<'_, '_>) -> Step {
    let flags = argument(call, 2)?;
    let layout = Layout::Statx(argument(call, 4)?);
    if flags & EMPTY_PATH != 0 && is_empty_path(call)? {
        return of_open(call, layout);
    }
    of_found(call, Some(0), 1, flags & NO_FOLLOW == 0, layout)
}

fn read_link(call: &mut PosixCall<'_, '_>, directory: Option<usize>, path: usize) -> Step {
    let buffer = (argument(call, path + 1)?, argument(call, path + 2)?);
    // What it leads to never changes, so that reading it is no step.
    if is_path_argument(call, path, PROGRAM_LINK)? {
        let target = call.environment().options().program_path();
        return put_target(call, &target, buffer);
    }
    let node = match stand_before_path(call, directory, path, false, Mode::Read)? {
        Turn::Go(node) => node,
        Turn::Answer(answer) => return answer,
    };
    match call.state().data.kernel.files.node(node).map(|node| node.kind.clone()) {
        Some(NodeKind::Link(target)) => put_target(call, &file_name_bytes(&target), buffer),
        _ => failed(EINVAL),
    }
}

/// Puts the target of a link, without an end, into a buffer of an address and a size.
fn put_target(call: &mut PosixCall<'_, '_>, target: &[u8], (buffer, size): (u64, u64)) -> Step {
    if size as i32 <= 0 {
        return failed(EINVAL);
    }
    let count = target.len().min(size as usize);
    call.write_bytes(buffer, &target[..count])?;
    word(count as u64)
}

fn change_permissions(call: &mut PosixCall<'_, '_>, directory: Option<usize>, path: usize) -> Step {
    let permissions = argument(call, path + 1)? as u32 & 0o7777;
    let (path, node) = match stand_before_watched(call, directory, path, true, Mode::Write)? {
        Turn::Go(found) => found,
        Turn::Answer(answer) => return answer,
    };
    call.data().kernel.files.change(node, |node| node.permissions = permissions);
    events::report_at(call, &path, node, events::CHANGE_FACTS);
    word(0)
}

fn change_open_permissions(call: &mut PosixCall<'_, '_>) -> Step {
    let permissions = argument(call, 1)? as u32 & 0o7777;
    let file = match stand_before(call, Mode::Write, &[])? {
        Turn::Go(file) => file,
        Turn::Answer(answer) => return answer,
    };
    let kernel = &mut call.data().kernel;
    let node = kernel.open.get(file).node;
    kernel.files.change(node, |node| node.permissions = permissions);
    events::report_open(call, file, events::CHANGE_FACTS);
    word(0)
}

// Owners are not kept: all files belong to the one user.

/// Whether the owner in argument `index` or the group after it is one to be set, which only those that watch
/// see.
fn sets_owner(call: &mut PosixCall<'_, '_>, index: usize) -> Result<bool, Stop> {
    if call.state().data.kernel.notifiers.is_empty() {
        return Ok(false);
    }
    Ok([argument(call, index)?, argument(call, index + 1)?].iter().any(|owner| *owner as u32 != u32::MAX))
}

fn accept_for_path(
    call: &mut PosixCall<'_, '_>,
    directory: Option<usize>,
    path: usize,
    follow: bool,
) -> Step {
    let sets_owner = sets_owner(call, path + 1)?;
    match stand_before_watched(call, directory, path, follow, Mode::Read)? {
        Turn::Go((path, node)) if sets_owner => {
            events::report_at(call, &path, node, events::CHANGE_FACTS);
            word(0)
        }
        Turn::Go(_) => word(0),
        Turn::Answer(answer) => answer,
    }
}

/// `fchownat(directory, path, owner, group, flags)`.
fn accept_at(call: &mut PosixCall<'_, '_>) -> Step {
    let flags = argument(call, 4)?;
    if flags & !(NO_FOLLOW | EMPTY_PATH) != 0 {
        return failed(EINVAL);
    }
    if flags & EMPTY_PATH != 0 && is_empty_path(call)? {
        return accept_for_descriptor(call, 2);
    }
    accept_for_path(call, Some(0), 1, flags & NO_FOLLOW == 0)
}

/// The owner is argument `owner`.
fn accept_for_descriptor(call: &mut PosixCall<'_, '_>, owner: usize) -> Step {
    let sets_owner = sets_owner(call, owner)?;
    match stand_before(call, Mode::Read, &[])? {
        Turn::Go(file) if sets_owner => {
            events::report_open(call, file, events::CHANGE_FACTS);
            word(0)
        }
        Turn::Go(_) => word(0),
        Turn::Answer(answer) => answer,
    }
}

/// A file system in memory with room: a `struct statfs`.
fn statistics(call: &mut PosixCall<'_, '_>) -> Step {
    const IN_MEMORY: u64 = 0x0102_1994;
    const BLOCKS: u64 = 1 << 20;
    let result = argument(call, 1)?;
    let mut bytes = [0; 120];
    let words = [IN_MEMORY, BLOCK, BLOCKS, BLOCKS / 2, BLOCKS / 2, BLOCKS, BLOCKS / 2];
    for (index, value) in words.into_iter().enumerate() {
        bytes[8 * index..][..8].copy_from_slice(&value.to_le_bytes());
    }
    bytes[64..72].copy_from_slice(&255_u64.to_le_bytes());
    bytes[72..80].copy_from_slice(&BLOCK.to_le_bytes());
    call.write_bytes(result, &bytes)?;
    word(0)
}

/// Nanoseconds that denote the present and no change.
const PRESENT: u64 = 0x3fff_ffff;
const NO_CHANGE: u64 = 0x3fff_fffe;

/// `utimensat(directory, path, times, flags)`. Of the two times the modification is kept. The present is when
/// the process began: files are as old as that.
fn set_times(call: &mut PosixCall<'_, '_>) -> Step {
    let (path, times, flags) = (argument(call, 1)?, argument(call, 2)?, argument(call, 3)?);
    let file = match path {
        0 => match stand_before(call, Mode::Write, &[])? {
            Turn::Go(file) => Some(file),
            Turn::Answer(answer) => return answer,
        },
        _ => None,
    };
    let (path, node) = match file {
        Some(file) => (String::new(), call.state().data.kernel.open.get(file).node),
        None => match stand_before_watched(call, Some(0), 1, flags & NO_FOLLOW == 0, Mode::Write)? {
            Turn::Go(found) => found,
            Turn::Answer(answer) => return answer,
        },
    };
    let (seconds, fraction) = match times {
        0 => (0, PRESENT),
        _ => (call.read_number(times + 16, 8)?, call.read_number(times + 24, 8)?),
    };
    // The other time is looked at only where watches report what has changed.
    let accessed = match times {
        _ if call.state().data.kernel.notifiers.is_empty() => PRESENT,
        0 => PRESENT,
        _ => call.read_number(times + 8, 8)?,
    };
    let modified = match fraction {
        NO_CHANGE => None,
        PRESENT => Some(call.state().data.kernel.files.began()),
        0..1_000_000_000 => Some(Time { seconds: seconds as i64, fraction: fraction as u32 }),
        _ => return failed(EINVAL),
    };
    let event = match (modified, accessed) {
        (None, NO_CHANGE) => return word(0),
        (None, _) => events::ACCESS,
        (Some(_), NO_CHANGE) => events::MODIFY,
        (Some(_), _) => events::CHANGE_FACTS,
    };
    if let Some(modified) = modified {
        call.data().kernel.files.change(node, |node| node.modified = modified);
    }
    match file {
        Some(file) => events::report_open(call, file, event),
        None => events::report_at(call, &path, node, event),
    }
    word(0)
}

/// `truncate(path, length)`.
fn truncate(call: &mut PosixCall<'_, '_>) -> Step {
    let length = argument(call, 1)?;
    let (path, node) = match stand_before_watched(call, None, 0, true, Mode::Write)? {
        Turn::Go(found) => found,
        Turn::Answer(answer) => return answer,
    };
    if crate::kernel::mappings::is_mapped(call, node) {
        return Err(call.unsupported("truncate of a file that is mapped"));
    }
    let host = call.environment().options().host.clone();
    let files = &mut call.data().kernel.files;
    files.load(&*host, node, &path);
    match files.node(node).map(|node| &node.kind) {
        Some(NodeKind::File(_)) if length > i64::MAX as u64 => failed(EINVAL),
        Some(NodeKind::File(_)) if length > LONGEST_FILE => Err(call.unsupported(TOO_LONG)),
        Some(NodeKind::File(_)) => {
            files.change(node, |node| {
                if let NodeKind::File(content) = &mut node.kind {
                    content.resize(length);
                }
            });
            events::report_at(call, &path, node, events::MODIFY);
            word(0)
        }
        Some(NodeKind::Directory) => failed(EISDIR),
        _ => failed(EINVAL),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::nodes::content::Content;

    #[test]
    fn a_stat_has_its_fields_where_the_kernel_puts_them() {
        let kind = NodeKind::File(Content::new(b"hello"));
        let modified = Time { seconds: 77, fraction: 0 };
        let node = Node { kind, permissions: 0o644, modified, links: 2, changes: Default::default() };
        let bytes = Description::new(9, &node).to_stat();
        let word = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
        assert_eq!((word(8), word(16), word(48), word(88)), (9, 2, 5, 77));
        assert_eq!(word(24) as u32, 0o100_644);
        let bytes = Description::new(9, &node).to_statx();
        assert_eq!(u16::from_le_bytes([bytes[28], bytes[29]]), 0o100_644);
        assert_eq!(bytes[40], 5);
    }
}
