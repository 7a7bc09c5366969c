//! What a process releases step by step at its end and in `execve`: descriptors, mappings and robust mutexes.

use crate::answer::{PosixCall, announced_synchronisation};
use crate::kernel::Kernel;
use crate::kernel::files::closing;
use crate::kernel::mappings::{end_copy, unmap_all};
use crate::kernel::nodes::events::refuse_lost;
use crate::kernel::nodes::kinds::NodeKind;
use crate::options::Posix;
use crate::places::release;
use crate::sync::mutex;
use symx_interp::environment::Outcome;
use symx_interp::stop::Stop;
use symx_trace::{Footprint, Place};

/// What leaving robust mutexes touches.
pub(super) fn touched_by_leaving(mutexes: &[u64]) -> Footprint {
    mutexes.iter().map(|mutex| release(Place::Object(*mutex))).collect()
}

/// Robust mutexes become free, and a parent that has lent its memory goes on.
pub(super) fn leave(call: &mut PosixCall<'_, '_>, mutexes: &[u64]) {
    for address in mutexes {
        mutex::abandon(call, *address);
    }
    let process = call.process();
    if call.bookkeeping().processes.is_awaited(process) {
        call.data().processes.change(process, |record| record.is_awaited = false);
    }
}

/// Closes descriptors in this order, each that others see in a step of its own.
pub(super) fn close(
    call: &mut PosixCall<'_, '_>,
    remaining: impl Fn(&Kernel) -> Vec<u32>,
) -> Result<Option<Outcome<Posix>>, Stop> {
    loop {
        let mut descriptors = remaining(&call.bookkeeping().kernel);
        if descriptors.is_empty() {
            return Ok(None);
        }
        keep_until_seen(&call.bookkeeping().kernel, &mut descriptors);
        if let Some(park) = close_together(call, &descriptors)? {
            return Ok(Some(park));
        }
    }
}

/// Leaves those up to the first whose closing others see.
fn keep_until_seen(kernel: &Kernel, descriptors: &mut Vec<u32>) {
    let is_seen = |descriptor: &u32| {
        let file = kernel.file_of(*descriptor).filter(|_| !is_standard(kernel, *descriptor));
        let is_locked = |file| !kernel.file_locks.of(kernel.open.get(file).node).is_empty();
        file.is_some_and(|file| kernel.open.has_one_reference(file) || is_locked(file))
    };
    let count = descriptors.iter().position(is_seen).map_or(descriptors.len(), |first| first + 1);
    descriptors.truncate(count);
}

fn close_together(call: &mut PosixCall<'_, '_>, descriptors: &[u32]) -> Result<Option<Outcome<Posix>>, Stop> {
    let kernel = &call.bookkeeping().kernel;
    let seen = descriptors.iter().filter(|descriptor| !is_standard(kernel, **descriptor));
    let footprint = seen.flat_map(|descriptor| closing::footprint_of_closing(kernel, *descriptor)).collect();
    if let Some(park) = announced_synchronisation(call, footprint) {
        return Ok(Some(park));
    }
    for descriptor in descriptors {
        if let Some(file) = call.bookkeeping().kernel.file_of(*descriptor) {
            refuse_lost(call, file)?;
        }
        closing::close(call, *descriptor);
    }
    Ok(None)
}

/// Whether closing a descriptor has no effect, since what it stands for outlasts all processes.
fn is_standard(kernel: &Kernel, descriptor: u32) -> bool {
    let node = kernel.node_of(descriptor);
    node.is_some_and(|node| {
        let kind = kernel.files.kind(node);
        node == kernel.input || matches!(kind, Some(NodeKind::Device(_)))
    })
}

/// Gives back mappings.
pub(super) fn unmap(call: &mut PosixCall<'_, '_>) -> Result<(), Stop> {
    let copies: Vec<(u64, u64)> =
        call.bookkeeping().kernel.own.copies.iter().map(|(address, file)| (*address, *file)).collect();
    for (address, file) in copies {
        end_copy(&mut call.data().kernel, address, file);
    }
    unmap_all(call)
}
