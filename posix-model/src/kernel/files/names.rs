//! Opening and creating files by name; the working directory.

use crate::answer::{PosixCall, Step, announced, failed, word};
use crate::errno::{EACCES, EBADF, EEXIST, EINVAL, EISDIR, ELOOP, ENOENT, ENOTDIR, ENXIO, ERANGE};
use crate::file_names_as_text::file_name_bytes;
use crate::kernel::nodes::descriptors::{Opener, descriptor_place};
use crate::kernel::nodes::events::{self, touched_at};
use crate::kernel::nodes::kinds::{NodeKind, Page};
use crate::kernel::nodes::open_files::{ACCESS_MODE, APPEND, CLOSE_ON_EXEC, NONBLOCK, READ_ONLY};
use crate::kernel::nodes::paths::{
    End, Found, WORKING_DIRECTORY, both, directory_argument, resolve, resolve_entry,
};
use crate::kernel::system_calls::{SystemCall, argument, call as row};
use crate::places::{NAMES, QUEUE_NAMES, SETTINGS, node_place, read, write};
use smallvec::smallvec;
use std::sync::Arc;

pub(crate) const CALLS: &[SystemCall] = &[
    row(2, "open", |call| open(call, None, 0)),
    row(85, "creat", create),
    row(257, "openat", |call| open(call, Some(0), 1)),
    row(21, "access", |call| access(call, None, 0, true)),
    row(269, "faccessat", |call| access(call, Some(0), 1, true)),
    row(439, "faccessat2", access_with_flags),
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
// Flags of `faccessat2`.
const DO_NOT_FOLLOW: u64 = 0x100;
const EFFECTIVE_USER: u64 = 0x200;

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
    let (resolved, end) = match flags & CREATE {
        0 => (resolve(call, directory, path, follow)?, End::Name),
        _ => {
            let entry = resolve_entry(call, directory, path, follow, true)?;
            (entry.resolved, entry.end)
        }
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
    if end == End::Slash {
        return failed(EISDIR);
    }
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
    let is_directory = kernel.files.is_directory(node);
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
        Ok(Found { path, node: Some(node) }) if kernel.files.is_directory(node) => {
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
