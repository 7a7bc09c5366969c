//! Making, renaming and removing entries of directories.
//!
//! These calls look at how a path ends before they look at what is there, as Linux does: a dot has no name,
//! and a slash asks for a directory.

use crate::answer::{PosixCall, Step, announced, failed, word};
use crate::errno::{EBUSY, EEXIST, EINVAL, EISDIR, ENOENT, ENOTDIR, ENOTEMPTY, EPERM, EXDEV};
use crate::kernel::nodes::events::{self, touched_at};
use crate::kernel::nodes::file_system::{FileSystem, Node};
use crate::kernel::nodes::kinds::NodeKind;
use crate::kernel::nodes::paths::{
    End, Entry, Found, Resolved, both, entries, path_argument, resolve, resolve_entry,
};
use crate::kernel::system_calls::{SystemCall, argument, call as row};
use crate::places::{NAMES, node_place, write};
use smallvec::smallvec;
use symx_trace::Footprint;

pub(crate) const CALLS: &[SystemCall] = &[
    row(87, "unlink", |call| remove(call, None, 0, false)),
    row(84, "rmdir", |call| remove(call, None, 0, true)),
    row(263, "unlinkat", remove_at),
    row(82, "rename", |call| rename(call, [None, None], [0, 1])),
    row(264, "renameat", |call| rename(call, [Some(0), Some(2)], [1, 3])),
    row(316, "renameat2", |call| rename(call, [Some(0), Some(2)], [1, 3])),
    row(83, "mkdir", |call| make_directory(call, None, 0)),
    row(258, "mkdirat", |call| make_directory(call, Some(0), 1)),
    row(88, "symlink", |call| link_symbolically(call, None, 1)),
    row(266, "symlinkat", |call| link_symbolically(call, Some(1), 2)),
    row(86, "link", |call| link(call, [None, None], [0, 1])),
    row(265, "linkat", |call| link(call, [Some(0), Some(2)], [1, 3])),
];

/// Number of the call whose last argument is flags.
const RENAME_WITH_FLAGS: u64 = 316;
/// Flag of `unlinkat`.
const REMOVE_DIRECTORY: u64 = 0x200;

/// The access of a call that changes how many names the node at a path's end has.
fn links_of(resolved: &Resolved) -> Footprint {
    let node = resolved.found.as_ref().ok().and_then(|found| found.node);
    node.map(|node| write(node_place(node))).into_iter().collect()
}

/// The accesses of a call that changes what is at a path's end, or its names, to what watches that.
fn watchers_of(call: &PosixCall<'_, '_>, resolved: &Resolved) -> Footprint {
    let kernel = &call.state().data.kernel;
    let found = resolved.found.as_ref().ok();
    found.map(|found| touched_at(kernel, &found.path, found.node)).unwrap_or_default()
}

fn remove_at(call: &mut PosixCall<'_, '_>) -> Step {
    let flags = argument(call, 2)?;
    remove(call, Some(0), 1, flags & REMOVE_DIRECTORY != 0)
}

fn remove(call: &mut PosixCall<'_, '_>, directory: Option<usize>, path: usize, is_directory: bool) -> Step {
    let Entry { resolved, end } = resolve_entry(call, directory, path, false, false)?;
    let mut footprint = both(resolved.changed(), links_of(&resolved));
    if let Ok(found) = &resolved.found
        && is_directory
    {
        // It must be empty.
        footprint.extend(entries(&found.path).map(write));
    }
    footprint = both(footprint, watchers_of(call, &resolved));
    if let Some(park) = announced(call, footprint) {
        return Ok(park);
    }
    let (path, node) = match (resolved.found, end) {
        (Err(error), _) => return failed(error),
        (Ok(_), End::Dot) if is_directory => return failed(EINVAL),
        (Ok(_), End::DotDot) if is_directory => return failed(ENOTEMPTY),
        (Ok(_), End::Root) if is_directory => return failed(EBUSY),
        (Ok(_), End::Dot | End::DotDot | End::Root) => return failed(EISDIR),
        (Ok(Found { path, node: Some(node) }), _) => (path, node),
        (Ok(_), _) => return failed(ENOENT),
    };
    let host = call.environment().options().host.clone();
    let files = &mut call.data().kernel.files;
    match (files.is_directory(node), is_directory) {
        (true, false) => return failed(EISDIR),
        (false, true) => return failed(ENOTDIR),
        (false, false) if end == End::Slash => return failed(ENOTDIR),
        (true, true) if !files.list(&*host, &path).is_empty() => return failed(ENOTEMPTY),
        _ => {}
    }
    files.name(&path, None);
    files.change(node, Node::loses_a_name);
    events::removed(&mut call.data().kernel, &path, node);
    word(0)
}

fn rename(call: &mut PosixCall<'_, '_>, directories: [Option<usize>; 2], paths: [usize; 2]) -> Step {
    let Entry { resolved: from, end: from_end } =
        resolve_entry(call, directories[0], paths[0], false, false)?;
    let Entry { resolved: to, end: to_end } = resolve_entry(call, directories[1], paths[1], false, true)?;
    if call.argument(0)? == RENAME_WITH_FLAGS && argument(call, 4)? != 0 {
        return Err(call.unsupported("renameat2 with flags"));
    }
    let mut footprint = both(both(from.changed(), to.changed()), links_of(&to));
    let files = &call.state().data.kernel.files;
    let ends = [&from.found, &to.found].into_iter().flatten().filter_map(|found| found.node);
    if ends.into_iter().any(|node| files.is_directory(node)) {
        // All that is in a directory goes with it.
        footprint = both(footprint, smallvec![write(NAMES)]);
    }
    for end in [&from, &to] {
        footprint = both(footprint, watchers_of(call, end));
    }
    if let Ok(from) = &from.found {
        footprint = both(footprint, events::touched_by_naming(&call.state().data.kernel, &from.path));
    }
    if let Some(park) = announced(call, footprint) {
        return Ok(park);
    }
    let (from, to) = match (from.found, to.found) {
        (Ok(from), Ok(to)) => (from, to),
        (Err(error), _) | (_, Err(error)) => return failed(error),
    };
    if !from_end.is_named() || !to_end.is_named() {
        return failed(EBUSY);
    }
    let Some(node) = from.node else { return failed(ENOENT) };
    let moves_directory = call.state().data.kernel.files.is_directory(node);
    if !moves_directory && (from_end == End::Slash || to_end == End::Slash) {
        return failed(ENOTDIR);
    }
    if is_below(&to.path, &from.path) {
        return failed(EINVAL);
    }
    if is_below(&from.path, &to.path) {
        return failed(ENOTEMPTY);
    }
    if to.node == Some(node) {
        // Two names of one file: both stay.
        return word(0);
    }
    let host = call.environment().options().host.clone();
    let files = &mut call.data().kernel.files;
    match to.node {
        Some(target) if files.is_directory(target) => {
            if !moves_directory {
                return failed(EISDIR);
            }
            if !files.list(&*host, &to.path).is_empty() {
                return failed(ENOTEMPTY);
            }
        }
        Some(_) if moves_directory => return failed(ENOTDIR),
        _ => {}
    }
    if moves_directory {
        // The host's files in it have no names of their own here: like a mount, it cannot be moved.
        if FileSystem::is_of_host(node) {
            return failed(EXDEV);
        }
        files.move_below(&from.path, &to.path);
    } else {
        files.load(&*host, node, &from.path);
    }
    if let Some(target) = to.node {
        files.change(target, Node::loses_a_name);
    }
    files.name(&from.path, None);
    files.name(&to.path, Some(node));
    events::renamed(&mut call.data().kernel, [&from.path, &to.path], node, to.node);
    word(0)
}

/// Whether `path` leads to something in the directory at `directory`, or deeper.
fn is_below(path: &str, directory: &str) -> bool {
    path.strip_prefix(directory).is_some_and(|rest| rest.starts_with('/'))
}

fn make_directory(call: &mut PosixCall<'_, '_>, directory: Option<usize>, path: usize) -> Step {
    let Entry { resolved, end } = resolve_entry(call, directory, path, false, true)?;
    let permissions = argument(call, path + 1)? as u32;
    let footprint = both(resolved.changed(), watchers_of(call, &resolved));
    if let Some(park) = announced(call, footprint) {
        return Ok(park);
    }
    match resolved.found {
        Ok(Found { node: Some(_), .. }) => failed(EEXIST),
        Ok(_) if !end.is_named() => failed(EEXIST),
        Ok(Found { path, node: None }) => {
            let me = call.thread();
            let kernel = &mut call.data().kernel;
            let permissions = permissions & 0o7777 & !kernel.own.mask;
            let node = kernel.files.create(me, &path, NodeKind::Directory, permissions);
            events::happened_to_entry(kernel, &path, node, events::CREATE);
            word(0)
        }
        Err(error) => failed(error),
    }
}

/// The link's text is argument 0.
fn link_symbolically(call: &mut PosixCall<'_, '_>, directory: Option<usize>, path: usize) -> Step {
    let target = match path_argument(call, 0)? {
        Ok(target) => target,
        Err(error) => return failed(error),
    };
    let Entry { resolved, end } = resolve_entry(call, directory, path, false, true)?;
    let footprint = both(resolved.changed(), watchers_of(call, &resolved));
    if let Some(park) = announced(call, footprint) {
        return Ok(park);
    }
    match resolved.found {
        Ok(Found { node: Some(_), .. }) => failed(EEXIST),
        Ok(_) if end == End::Slash => failed(ENOENT),
        Ok(Found { path, node: None }) => {
            let me = call.thread();
            let kernel = &mut call.data().kernel;
            let node = kernel.files.create(me, &path, NodeKind::Link(target.into()), 0o777);
            events::happened_to_entry(kernel, &path, node, events::CREATE);
            word(0)
        }
        Err(error) => failed(error),
    }
}

fn link(call: &mut PosixCall<'_, '_>, directories: [Option<usize>; 2], paths: [usize; 2]) -> Step {
    let from = resolve(call, directories[0], paths[0], false)?;
    let Entry { resolved: to, end } = resolve_entry(call, directories[1], paths[1], false, true)?;
    let mut footprint = both(both(from.touched(), to.changed()), links_of(&from));
    for end in [&from, &to] {
        footprint = both(footprint, watchers_of(call, end));
    }
    if let Some(park) = announced(call, footprint) {
        return Ok(park);
    }
    let (from, to) = match (from.found, to.found) {
        (Ok(from), Ok(to)) => (from, to),
        (Err(error), _) | (_, Err(error)) => return failed(error),
    };
    let Some(node) = from.node else { return failed(ENOENT) };
    if to.node.is_some() {
        return failed(EEXIST);
    }
    if end == End::Slash {
        return failed(ENOENT);
    }
    let host = call.environment().options().host.clone();
    let files = &mut call.data().kernel.files;
    if files.is_directory(node) {
        return failed(EPERM);
    }
    files.load(&*host, node, &from.path);
    files.name(&to.path, Some(node));
    files.change(node, |node| node.links += 1);
    let kernel = &mut call.data().kernel;
    events::happened_to(kernel, node, events::CHANGE_FACTS);
    events::happened_to_entry(kernel, &to.path, node, events::CREATE);
    word(0)
}
