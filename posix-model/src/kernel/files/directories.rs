//! Listing directories.

use crate::answer::{PosixCall, Step, Turn, announced, failed, word};
use crate::errno::{EINVAL, ENOTDIR};
use crate::file_names_as_text::file_name_bytes;
use crate::kernel::nodes::events;
use crate::kernel::nodes::kinds::NodeKind;
use crate::kernel::nodes::paths::entries;
use crate::kernel::process::machine;
use crate::kernel::system_calls::{SystemCall, argument, call as row};
use crate::kernel::transfers::stand_before;
use crate::places::{NAMES, file_place, read, write};
use smallvec::smallvec;
use std::sync::Arc;
use symx_trace::{Footprint, Mode};

pub(crate) const CALLS: &[SystemCall] = &[row(217, "getdents64", list)];

/// Bytes of a `struct linux_dirent64` before its name.
const HEAD: usize = 19;

/// A `struct linux_dirent64`.
struct Entry<'n> {
    node: u64,
    /// That of the entry after it.
    position: u64,
    kind: u8,
    name: &'n str,
}

impl Entry<'_> {
    fn bytes(&self) -> Vec<u8> {
        let name = file_name_bytes(self.name);
        let length = (HEAD + name.len() + 1).next_multiple_of(8);
        let mut bytes = Vec::with_capacity(length);
        bytes.extend_from_slice(&self.node.to_le_bytes());
        bytes.extend_from_slice(&self.position.to_le_bytes());
        bytes.extend_from_slice(&(length as u16).to_le_bytes());
        bytes.push(self.kind);
        bytes.extend_from_slice(&name);
        bytes.resize(length, 0);
        bytes
    }
}

/// Writes as many entries as fit in the buffer. The names are those of the time of the first call.
fn list(call: &mut PosixCall<'_, '_>) -> Step {
    let (buffer, size) = (argument(call, 1)?, argument(call, 2)? as usize);
    let descriptor = argument(call, 0)? as u32;
    let kernel = &call.state().data.kernel;
    let file = kernel.file_of(descriptor);
    let is_listed = file.is_some_and(|file| kernel.open.get(file).listing.is_some());
    if !is_listed {
        // Two announcements: first what is listed, then that nothing in it changes meanwhile.
        let path = file.map(|file| kernel.open.get(file).path.clone()).unwrap_or_default();
        let mut footprint: Footprint = smallvec![read(NAMES)];
        footprint.extend(kernel.own.descriptors.touched_by_naming(descriptor, call.thread()));
        footprint.extend(file.map(|file| write(file_place(file))));
        footprint.extend(entries(&path).map(write));
        if *path == *machine::THREADS {
            footprint.extend(machine::touched_by_threads(call));
        }
        if let Some(file) = file {
            footprint.extend(events::touched_by(&call.state().data.kernel, file));
        }
        if let Some(park) = announced(call, footprint) {
            return Ok(park);
        }
        if let Some(file) = file {
            events::refuse_lost(call, file)?;
        }
    } else if let Turn::Answer(answer) = stand_before(call, Mode::Read, &[])? {
        return answer;
    }
    let host = call.environment().options().host.clone();
    let threads = machine::threads(call);
    let kernel = &mut call.data().kernel;
    let Some(file) = kernel.file_of(descriptor) else { return failed(crate::errno::EBADF) };
    let open = kernel.open.get(file).clone();
    if open.path.is_empty() {
        return failed(ENOTDIR);
    }
    let listing = open.listing.clone().unwrap_or_else(|| {
        let mut names = vec![".".to_string(), "..".to_string()];
        match *open.path == *machine::THREADS {
            true => names.extend(threads.iter().map(ToString::to_string)),
            false => names.extend(kernel.files.list(&*host, &open.path)),
        }
        Arc::from(names)
    });
    let mut bytes = Vec::new();
    let mut position = open.position;
    for name in listing.iter().skip(position as usize) {
        let path = match name.as_str() {
            "." | ".." => open.path.to_string(),
            _ => format!("{}/{name}", open.path.trim_end_matches('/')),
        };
        let node = kernel.files.look(&*host, &path);
        let of_node = node.and_then(|node| kernel.files.node(node)).map(|node| kind(&node.kind));
        // A thread has a directory, of which nothing is modelled.
        let kind = of_node.unwrap_or(if *open.path == *machine::THREADS { 4 } else { 0 });
        let entry = Entry { node: node.unwrap_or(1), position: position + 1, kind, name };
        let entry = entry.bytes();
        if bytes.len() + entry.len() > size {
            break;
        }
        bytes.extend(entry);
        position += 1;
    }
    let rest = position < listing.len() as u64;
    kernel.open.change(file, |file| {
        file.position = position;
        file.listing = Some(listing);
    });
    if bytes.is_empty() && rest {
        return failed(EINVAL);
    }
    call.write_bytes(buffer, &bytes)?;
    events::report_open(call, file, events::ACCESS);
    word(bytes.len() as u64)
}

/// The kind as `d_type` says it.
fn kind(kind: &NodeKind) -> u8 {
    match kind {
        NodeKind::Pipe(_) => 1,
        NodeKind::Device(_) => 2,
        NodeKind::Directory => 4,
        NodeKind::File(_) | NodeKind::Unread(_) | NodeKind::Page(_) => 8,
        NodeKind::Link(_) => 10,
        NodeKind::Socket(_) | NodeKind::Bound(_) => 12,
        NodeKind::Event(_)
        | NodeKind::Epoll(_)
        | NodeKind::Notifier(_)
        | NodeKind::Queue(_)
        | NodeKind::Timer(_)
        | NodeKind::Signals(_) => 0,
    }
}
