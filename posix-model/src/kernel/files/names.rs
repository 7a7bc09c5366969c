//! Opening, creating, renaming and removing files by name; the working directory.

use crate::answer::{PosixCall, Step, announced, failed, word};
use crate::errno::{
    EACCES, EBADF, EBUSY, EEXIST, EINVAL, EISDIR, ELOOP, ENOENT, ENOTDIR, ENOTEMPTY, ENXIO, ERANGE, EXDEV,
};
use crate::file_names_as_text::file_name_bytes;
use crate::kernel::nodes::descriptors::{Opener, descriptor_place};
use crate::kernel::nodes::events::{self, touched_at};
use crate::kernel::nodes::file_system::{FileSystem, Node};
use crate::kernel::nodes::kinds::{NodeKind, Page};
use crate::kernel::nodes::open_files::{ACCESS_MODE, APPEND, CLOSE_ON_EXEC, NONBLOCK, READ_ONLY};
use crate::kernel::nodes::paths::{
    Found, Resolved, WORKING_DIRECTORY, both, directory_argument, entries, path_argument, resolve,
    resolve_for_new,
};
use crate::kernel::system_calls::{SystemCall, argument, call as row};
use crate::places::{NAMES, QUEUE_NAMES, SETTINGS, node_place, read, write};
use smallvec::smallvec;
use std::sync::Arc;
use symx_trace::Footprint;

pub(crate) const CALLS: &[SystemCall] = &[
    row(2, "open", |call| open(call, None, 0)),
    row(85, "creat", create),
    row(257, "openat", |call| open(call, Some(0), 1)),
    row(21, "access", |call| access(call, None, 0, true)),
    row(269, "faccessat", |call| access(call, Some(0), 1, true)),
    row(439, "faccessat2", access_with_flags),
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
    row(79, "getcwd", working_directory),
    row(80, "chdir", change_directory),
    row(81, "fchdir", change_directory_to_open),
    row(95, "umask", set_mask),
];

const CREATE: u64 = 0o100;
const EXCLUSIVE: u64 = 0o200;
const TRUNCATE: u64 = 0o1000;
const DIRECTORY: u64 = 0o200_000;
const NO_FOLLOW: u64 = 0o400_000;
/// Number of the call whose last argument is flags.
const RENAME_WITH_FLAGS: u64 = 316;
// Flags of `faccessat2`.
const DO_NOT_FOLLOW: u64 = 0x100;
const EFFECTIVE_USER: u64 = 0x200;
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

fn is_directory(files: &FileSystem, node: u64) -> bool {
    files.node(node).is_some_and(|node| matches!(node.kind, NodeKind::Directory))
}

fn create(call: &mut PosixCall<'_, '_>) -> Step {
    let permissions = argument(call, 1)?;
    open_with(call, None, 0, CREATE | TRUNCATE | 1, permissions)
}

fn open(call: &mut PosixCall<'_, '_>, directory: Option<usize>, path: usize) -> Step {
    let (flags, permissions) = (argument(call, path + 1)?, argument(call, path + 2)?);
    open_with(call, directory, path, flags, permissions)
}

fn open_with(
    call: &mut PosixCall<'_, '_>,
    directory: Option<usize>,
    path: usize,
    flags: u64,
    permissions: u64,
) -> Step {
    let follow = flags & NO_FOLLOW == 0 && flags & (CREATE | EXCLUSIVE) != CREATE | EXCLUSIVE;
    let resolved = match flags & CREATE {
        0 => resolve(call, directory, path, follow)?,
        _ => resolve_for_new(call, directory, path, follow)?,
    };
    let opener = Opener::of(call);
    let names = if flags & CREATE != 0 { resolved.changed() } else { resolved.touched() };
    let mut footprint = both(names, opener.touched().collect());
    let found = resolved.found;
    if let Ok(Found { node: Some(node), .. }) = found
        && flags & TRUNCATE != 0
    {
        footprint.push(write(node_place(node)));
    }
    if let Ok(found) = &found {
        footprint.extend(touched_at(&call.state().data.kernel, &found.path, found.node));
    }
    if let Some(park) = announced(call, footprint) {
        return Ok(park);
    }
    let (found, descriptor) = match (call.state().data.kernel.free_from(opener, 0), found) {
        (Ok(descriptor), Ok(found)) => (found, descriptor),
        (Err(error), _) | (_, Err(error)) => return failed(error),
    };
    let host = call.environment().options().host.clone();
    let kernel = &mut call.data().kernel;
    let node = match found.node {
        Some(_) if flags & CREATE != 0 && flags & EXCLUSIVE != 0 => return failed(EEXIST),
        Some(node) => node,
        None if flags & CREATE == 0 => return failed(ENOENT),
        None => {
            let permissions = permissions as u32 & 0o7777 & !kernel.own.mask;
            kernel.files.create(opener.thread, &found.path, NodeKind::File(Default::default()), permissions)
        }
    };
    kernel.files.load(&*host, node, &found.path);
    let writing = flags as u32 & ACCESS_MODE != READ_ONLY;
    let is_directory = is_directory(&kernel.files, node);
    match kernel.files.kind(node) {
        Some(NodeKind::Directory) if writing || flags & CREATE != 0 => return failed(EISDIR),
        Some(NodeKind::Link(_)) => return failed(ELOOP),
        Some(NodeKind::Page(Page::Name)) if writing => {
            return Err(call.unsupported("a thread's name that is written to a file"));
        }
        Some(NodeKind::Page(_)) if writing => return failed(EACCES),
        Some(NodeKind::Bound(_)) => return failed(ENXIO),
        _ if flags & DIRECTORY != 0 && !is_directory => return failed(ENOTDIR),
        Some(NodeKind::File(_)) if writing && flags & TRUNCATE != 0 => kernel.files.change(node, |node| {
            node.kind = NodeKind::File(Default::default());
        }),
        _ => {}
    }
    let name: Arc<str> = found.path.into();
    let is_file = matches!(kernel.files.kind(node), Some(NodeKind::File(_)));
    let truncates = is_file && writing && flags & TRUNCATE != 0;
    match found.node {
        None => events::happened_to_entry(kernel, &name, node, events::CREATE),
        Some(_) if truncates => events::happened_at(kernel, &name, node, events::MODIFY),
        Some(_) => {}
    }
    events::happened_at(kernel, &name, node, events::OPEN);
    let path: Arc<str> = if is_directory { Arc::clone(&name) } else { "".into() };
    let flags_kept = flags as u32 & (ACCESS_MODE | APPEND | NONBLOCK);
    let file = kernel.open.open(opener.thread, node, path, flags_kept);
    kernel.open.change(file, |file| file.name = name);
    kernel.bind(opener.thread, descriptor, file, flags & CLOSE_ON_EXEC != 0);
    word(u64::from(descriptor))
}

fn access_with_flags(call: &mut PosixCall<'_, '_>) -> Step {
    let flags = argument(call, 3)?;
    if flags & !(EFFECTIVE_USER | DO_NOT_FOLLOW) != 0 {
        return failed(EINVAL);
    }
    access(call, Some(0), 1, flags & DO_NOT_FOLLOW == 0)
}

fn access(call: &mut PosixCall<'_, '_>, directory: Option<usize>, path: usize, follow: bool) -> Step {
    let resolved = resolve(call, directory, path, follow)?;
    if let Some(park) = announced(call, resolved.touched()) {
        return Ok(park);
    }
    match resolved.found {
        Ok(Found { node: Some(_), .. }) => word(0),
        Ok(_) => failed(ENOENT),
        Err(error) => failed(error),
    }
}

fn remove_at(call: &mut PosixCall<'_, '_>) -> Step {
    let flags = argument(call, 2)?;
    remove(call, Some(0), 1, flags & REMOVE_DIRECTORY != 0)
}

fn remove(call: &mut PosixCall<'_, '_>, directory: Option<usize>, path: usize, is_directory: bool) -> Step {
    let resolved = resolve(call, directory, path, false)?;
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
    let (path, node) = match resolved.found {
        Ok(Found { path, node: Some(node) }) => (path, node),
        Ok(_) => return failed(ENOENT),
        Err(error) => return failed(error),
    };
    let host = call.environment().options().host.clone();
    let files = &mut call.data().kernel.files;
    match (self::is_directory(files, node), is_directory) {
        (true, false) => return failed(EISDIR),
        (false, true) => return failed(ENOTDIR),
        (true, true) if path == "/" => return failed(EBUSY),
        (true, true) if !files.list(&*host, &path).is_empty() => return failed(ENOTEMPTY),
        _ => {}
    }
    files.name(&path, None);
    files.change(node, Node::loses_a_name);
    events::removed(&mut call.data().kernel, &path, node);
    word(0)
}

fn rename(call: &mut PosixCall<'_, '_>, directories: [Option<usize>; 2], paths: [usize; 2]) -> Step {
    let from = resolve(call, directories[0], paths[0], false)?;
    let to = resolve_for_new(call, directories[1], paths[1], false)?;
    if call.argument(0)? == RENAME_WITH_FLAGS && argument(call, 4)? != 0 {
        return Err(call.unsupported("renameat2 with flags"));
    }
    let mut footprint = both(both(from.changed(), to.changed()), links_of(&to));
    let files = &call.state().data.kernel.files;
    let ends = [&from.found, &to.found].into_iter().flatten().filter_map(|found| found.node);
    if ends.into_iter().any(|node| self::is_directory(files, node)) {
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
    let Some(node) = from.node else { return failed(ENOENT) };
    if to.node == Some(node) {
        // Two names of one file: both stay.
        return word(0);
    }
    if to.path.starts_with(&format!("{}/", from.path)) {
        return failed(EINVAL);
    }
    let host = call.environment().options().host.clone();
    let files = &mut call.data().kernel.files;
    let moves_directory = is_directory(files, node);
    match to.node {
        Some(target) if is_directory(files, target) => {
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

fn make_directory(call: &mut PosixCall<'_, '_>, directory: Option<usize>, path: usize) -> Step {
    let resolved = resolve_for_new(call, directory, path, false)?;
    let permissions = argument(call, path + 1)? as u32;
    let footprint = both(resolved.changed(), watchers_of(call, &resolved));
    if let Some(park) = announced(call, footprint) {
        return Ok(park);
    }
    match resolved.found {
        Ok(Found { node: Some(_), .. }) => failed(EEXIST),
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
    let resolved = resolve_for_new(call, directory, path, false)?;
    let footprint = both(resolved.changed(), watchers_of(call, &resolved));
    if let Some(park) = announced(call, footprint) {
        return Ok(park);
    }
    match resolved.found {
        Ok(Found { node: Some(_), .. }) => failed(EEXIST),
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
    let to = resolve_for_new(call, directories[1], paths[1], false)?;
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
    let host = call.environment().options().host.clone();
    let files = &mut call.data().kernel.files;
    if is_directory(files, node) {
        return failed(crate::errno::EPERM);
    }
    files.load(&*host, node, &from.path);
    files.name(&to.path, Some(node));
    files.change(node, |node| node.links += 1);
    let kernel = &mut call.data().kernel;
    events::happened_to(kernel, node, events::CHANGE_FACTS);
    events::happened_to_entry(kernel, &to.path, node, events::CREATE);
    word(0)
}

fn working_directory(call: &mut PosixCall<'_, '_>) -> Step {
    let (buffer, size) = (argument(call, 0)?, argument(call, 1)?);
    if let Some(park) = announced(call, smallvec![read(SETTINGS)]) {
        return Ok(park);
    }
    let mut path = file_name_bytes(&call.state().data.kernel.own.directory).into_owned();
    path.push(0);
    if path.len() as u64 > size {
        return failed(ERANGE);
    }
    call.write_bytes(buffer, &path)?;
    word(path.len() as u64)
}

fn change_directory(call: &mut PosixCall<'_, '_>) -> Step {
    let resolved = resolve(call, None, 0, true)?;
    let footprint = both(resolved.touched(), smallvec![write(SETTINGS), write(NAMES)]);
    if let Some(park) = announced(call, footprint) {
        return Ok(park);
    }
    let kernel = &mut call.data().kernel;
    match resolved.found {
        Ok(Found { path, node: Some(node) }) if is_directory(&kernel.files, node) => {
            kernel.own.directory = path.into();
            word(0)
        }
        Ok(Found { node: Some(_), .. }) => failed(ENOTDIR),
        Ok(_) => failed(ENOENT),
        Err(error) => failed(error),
    }
}

fn change_directory_to_open(call: &mut PosixCall<'_, '_>) -> Step {
    let directory = directory_argument(call, 0)?;
    if argument(call, 0)? as i32 == WORKING_DIRECTORY {
        return failed(EBADF);
    }
    let descriptor = argument(call, 0)? as u32;
    let touched = smallvec![write(SETTINGS), write(NAMES), read(descriptor_place(descriptor))];
    if let Some(park) = announced(call, touched) {
        return Ok(park);
    }
    match directory {
        Ok(path) => {
            call.data().kernel.own.directory = path.into();
            word(0)
        }
        Err(error) => failed(error),
    }
}

fn set_mask(call: &mut PosixCall<'_, '_>) -> Step {
    let mask = argument(call, 0)? as u32;
    let touched = smallvec![write(SETTINGS), write(NAMES), write(QUEUE_NAMES)];
    if let Some(park) = announced(call, touched) {
        return Ok(park);
    }
    let old = std::mem::replace(&mut call.data().kernel.own.mask, mask & 0o777);
    word(u64::from(old))
}
