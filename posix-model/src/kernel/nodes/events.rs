//! What operations on files tell those that watch: which file it is, under which name, and in which order.
//!
//! Nothing here does anything, and no step touches more, while no descriptor for notifications is open.

use crate::answer::PosixCall;
use crate::file_names_as_text::file_name_bytes;
use crate::kernel::Kernel;
use crate::kernel::nodes::changes::READABLE;
use crate::kernel::nodes::file_system::FileSystem;
use crate::kernel::nodes::kinds::NodeKind;
pub(crate) use crate::kernel::nodes::notifier::{ACCESS, CHANGE_FACTS, CREATE, MODIFY, OPEN};
use crate::kernel::nodes::notifier::{
    CLOSE, CLOSE_WRITE, DELETE, DELETE_SELF, IS_DIRECTORY, MOVE_SELF, MOVED_FROM, MOVED_TO, Notifier,
};
use crate::kernel::nodes::notifier_of;
use crate::kernel::nodes::sets::touched_by_change;
use crate::places::{NAMES, file_place, read, write};
use smallvec::SmallVec;
use std::sync::Arc;
use symx_interp::stop::Stop;
use symx_trace::Footprint;

/// The node of the directory that has an entry at `path`, and the entry's name.
fn entry<'p>(files: &FileSystem, path: &'p str) -> Option<(u64, &'p str)> {
    let (directory, name) = path.rsplit_once('/').filter(|(_, name)| !name.is_empty())?;
    Some((files.known(if directory.is_empty() { "/" } else { directory })?, name))
}

/// The path under which an open file is reported; nothing if it was opened by none, or is lost.
fn path_of(kernel: &Kernel, file: u64) -> Option<Arc<str>> {
    let open = kernel.open.get(file);
    (!open.name.is_empty() && !is_lost(kernel, file)).then(|| Arc::clone(&open.name))
}

/// Whether an open file has no name any more.
fn is_removed(kernel: &Kernel, file: u64) -> bool {
    let open = kernel.open.get(file);
    kernel.files.known(&open.name) != Some(open.node)
}

/// Whether it is not known in which directory an open file is: its name changed while none watched.
fn is_lost(kernel: &Kernel, file: u64) -> bool {
    let open = kernel.open.get(file);
    let has_other_name = kernel.files.node(open.node).is_some_and(|node| node.links > 0);
    !open.name.is_empty()
        && is_removed(kernel, file)
        && (has_other_name || entry(&kernel.files, &open.name).is_none())
}

/// Whether operations on an open file are reported by a watch of `watched`.
pub(crate) fn is_concerned(kernel: &Kernel, file: u64, watched: u64) -> bool {
    let open = kernel.open.get(file);
    open.node == watched
        || entry(&kernel.files, &open.name).is_some_and(|(directory, _)| directory == watched)
}

/// Whether the file `node`, open or not, is at `watched`, in it, or at no known place.
pub(crate) fn may_be_at(kernel: &Kernel, node: u64, watched: u64) -> bool {
    let mut directories =
        kernel.files.paths_of(node).map(|path| entry(&kernel.files, path).map(|(directory, _)| directory));
    let first = directories.next();
    node == watched || first.is_none() || first.into_iter().chain(directories).any(|at| at == Some(watched))
}

/// The notifiers of which `is_meant` is true for one of these nodes.
fn notifiers(
    kernel: &Kernel,
    nodes: &[Option<u64>],
    is_meant: fn(&Notifier, u64) -> bool,
) -> SmallVec<[u64; 2]> {
    let is_one = |notifier: u64| {
        let known = notifier_of(kernel, notifier);
        known.is_some_and(|known| nodes.iter().flatten().any(|node| is_meant(known, *node)))
    };
    kernel.notifiers.iter().copied().filter(|notifier| is_one(*notifier)).collect()
}

/// The notifiers that watch one of these nodes.
fn watchers(kernel: &Kernel, nodes: &[Option<u64>]) -> SmallVec<[u64; 2]> {
    notifiers(kernel, nodes, |notifier, node| notifier.watch_of(node).is_some())
}

/// What an operation on `node`, or on nothing yet, at `path` touches besides.
pub(crate) fn touched_at(kernel: &Kernel, path: &str, node: Option<u64>) -> Footprint {
    if kernel.notifiers.is_empty() {
        return Footprint::new();
    }
    let directory = entry(&kernel.files, path).map(|(directory, _)| directory);
    let notifiers = notifiers(kernel, &[directory, node], |notifier, node| notifier.watched.contains(&node));
    notifiers.into_iter().flat_map(|notifier| touched_by_change(kernel, notifier, READABLE)).collect()
}

/// What an operation on an open file touches besides.
pub(crate) fn touched_by(kernel: &Kernel, file: u64) -> Footprint {
    if kernel.notifiers.is_empty() {
        return Footprint::new();
    }
    let open = kernel.open.get(file);
    touched_at(kernel, &open.name, Some(open.node))
}

/// What closing a descriptor of an open file touches besides: a watch may be set or ended before or after it.
pub(crate) fn touched_by_closing(kernel: &Kernel, file: u64) -> Footprint {
    let mut footprint = touched_by(kernel, file);
    if !kernel.notifiers.is_empty() && !kernel.open.get(file).name.is_empty() {
        footprint.push(read(NAMES));
    }
    footprint
}

/// What giving another name to what is at `path`, or none, touches besides: open files have other names.
pub(crate) fn touched_by_naming(kernel: &Kernel, path: &str) -> Footprint {
    if kernel.notifiers.is_empty() {
        return Footprint::new();
    }
    let open = kernel.open.all().filter(|file| is_below(&kernel.open.get(*file).name, path));
    open.map(|file| write(file_place(file))).collect()
}

fn is_below(name: &str, path: &str) -> bool {
    name.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Refuses an operation on an open file of which it is not known where it is, and whether that is watched.
pub(crate) fn refuse_lost(call: &PosixCall<'_, '_>, file: u64) -> Result<(), Stop> {
    let kernel = &call.state().data.kernel;
    match kernel.notifiers.is_empty() || !is_lost(kernel, file) {
        true => Ok(()),
        false => Err(call.unsupported("inotify beside an open file that was renamed before")),
    }
}

/// Tells those that watch `node` of `mask`, there or at its entry `name`.
fn tell(kernel: &mut Kernel, node: u64, mask: u32, name: &str, is_removed: bool) {
    let name: Arc<[u8]> = file_name_bytes(name).as_ref().into();
    for notifier in watchers(kernel, &[Some(node)]) {
        change(kernel, notifier, |notifier| notifier.note(node, mask, &name, is_removed));
    }
}

/// `mask`, said of `node`.
fn of(kernel: &Kernel, node: u64, mask: u32) -> u32 {
    match kernel.files.kind(node) {
        Some(NodeKind::Directory) => mask | IS_DIRECTORY,
        _ => mask,
    }
}

/// `mask` has happened to `node` as the entry of a directory that is at `path`.
pub(crate) fn happened_to_entry(kernel: &mut Kernel, path: &str, node: u64, mask: u32) {
    if kernel.notifiers.is_empty() {
        return;
    }
    if let Some((directory, name)) = entry(&kernel.files, path) {
        tell(kernel, directory, of(kernel, node, mask), name, false);
    }
}

/// `mask` has happened to `node`, whatever its name.
pub(crate) fn happened_to(kernel: &mut Kernel, node: u64, mask: u32) {
    if !kernel.notifiers.is_empty() {
        tell(kernel, node, of(kernel, node, mask), "", false);
    }
}

/// `mask` has happened to `node`, which is at `path`. The directory hears first.
pub(crate) fn happened_at(kernel: &mut Kernel, path: &str, node: u64, mask: u32) {
    happened_to_entry(kernel, path, node, mask);
    happened_to(kernel, node, mask);
}

/// `mask` has happened to an open file.
fn happened_to_open(kernel: &mut Kernel, file: u64, mask: u32) {
    if kernel.notifiers.is_empty() {
        return;
    }
    let node = kernel.open.get(file).node;
    if let Some(path) = path_of(kernel, file)
        && let Some((directory, name)) = entry(&kernel.files, &path)
    {
        let is_removed = is_removed(kernel, file);
        tell(kernel, directory, of(kernel, node, mask), name, is_removed);
    }
    happened_to(kernel, node, mask);
}

/// [`happened_at`], of a call that changes nothing of the kernel where none watches.
pub(crate) fn report_at(call: &mut PosixCall<'_, '_>, path: &str, node: u64, mask: u32) {
    if !call.state().data.kernel.notifiers.is_empty() {
        happened_at(&mut call.data().kernel, path, node, mask);
    }
}

/// The same, of an open file.
pub(crate) fn report_open(call: &mut PosixCall<'_, '_>, file: u64, mask: u32) {
    if !call.state().data.kernel.notifiers.is_empty() {
        happened_to_open(&mut call.data().kernel, file, mask);
    }
}

/// The last descriptor of an open file is about to be closed.
pub(crate) fn closing(kernel: &mut Kernel, file: u64) {
    let mask = if kernel.open.get(file).is_writable() { CLOSE_WRITE } else { CLOSE };
    happened_to_open(kernel, file, mask);
}

/// Ends the watches of `node` if it has neither a name nor an open file any more.
pub(crate) fn ends_if_unused(kernel: &mut Kernel, node: u64) {
    if kernel.notifiers.is_empty() {
        return;
    }
    let has_name = kernel.files.node(node).is_none_or(|node| node.links > 0);
    if has_name || kernel.open.count(node, |_| true) > 0 {
        return;
    }
    happened_to(kernel, node, DELETE_SELF);
    for notifier in watchers(kernel, &[Some(node)]) {
        change(kernel, notifier, |notifier| {
            if let Some(number) = notifier.watch_of(node) {
                notifier.forget(number);
            }
        });
    }
}

/// The name `path` of `node` is gone.
pub(crate) fn removed(kernel: &mut Kernel, path: &str, node: u64) {
    if !kernel.files.is_directory(node) {
        happened_to(kernel, node, CHANGE_FACTS);
    }
    ends_if_unused(kernel, node);
    happened_to_entry(kernel, path, node, DELETE);
}

/// `node` has the name `to` instead of `from`, which `target` had before.
pub(crate) fn renamed(kernel: &mut Kernel, [from, to]: [&str; 2], node: u64, target: Option<u64>) {
    if kernel.notifiers.is_empty() {
        return;
    }
    for file in kernel.open.all().collect::<Vec<_>>() {
        let open = kernel.open.get(file);
        if is_below(&open.name, from) {
            let name = format!("{to}{}", &open.name[from.len()..]);
            if kernel.files.known(&name) == Some(open.node) {
                kernel.open.change(file, |file| file.name = name.into());
            }
        }
    }
    let directories = [from, to].map(|path| entry(&kernel.files, path).map(|(directory, _)| directory));
    for notifier in watchers(kernel, &directories) {
        change(kernel, notifier, |notifier| notifier.renamings += 1);
    }
    happened_to_entry(kernel, from, node, MOVED_FROM);
    happened_to_entry(kernel, to, node, MOVED_TO);
    if let Some(target) = target {
        happened_to(kernel, target, CHANGE_FACTS);
    }
    happened_to(kernel, node, MOVE_SELF);
    if let Some(target) = target {
        ends_if_unused(kernel, target);
    }
}

/// Changes the notifier `node`, of which threads that wait for events hear if it has more of them.
pub(crate) fn change(kernel: &mut Kernel, node: u64, change: impl FnOnce(&mut Notifier)) {
    let mut has_more = false;
    kernel.files.change(node, |node| {
        if let NodeKind::Notifier(notifier) = &mut node.kind {
            let before = notifier.events.len();
            change(notifier);
            has_more = notifier.events.len() > before;
        }
    });
    if has_more {
        kernel.changed(node, READABLE);
    }
}
