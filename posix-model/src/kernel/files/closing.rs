//! Closing descriptors.

use crate::answer::PosixCall;
use crate::kernel::Kernel;
use crate::kernel::files::locking;
use crate::kernel::nodes::closing::{footprint_of_letting_go, let_go, touched_by_end};
use crate::kernel::nodes::descriptors::descriptor_place;
use crate::kernel::nodes::file_locks::LockOwner;
use crate::kernel::queues;
use crate::places::write;
use symx_trace::Footprint;

/// The footprint of closing `descriptor`.
pub(crate) fn footprint_of_closing(kernel: &Kernel, descriptor: u32) -> Footprint {
    footprint_with(kernel, descriptor, footprint_of_letting_go)
}

/// The same without what is on its way to a socket that is closed.
pub(crate) fn footprint_of_arrival(kernel: &Kernel, descriptor: u32) -> Footprint {
    footprint_with(kernel, descriptor, touched_by_end)
}

fn footprint_with(kernel: &Kernel, descriptor: u32, of_file: fn(&Kernel, u64) -> Footprint) -> Footprint {
    let file = kernel.file_of(descriptor).map(|file| of_file(kernel, file));
    [write(descriptor_place(descriptor))].into_iter().chain(file.into_iter().flatten()).collect()
}

/// Frees `descriptor`. The process has no locks of the file's bytes any more, whatever other descriptors it
/// has of it.
pub(crate) fn close(call: &mut PosixCall<'_, '_>, descriptor: u32) {
    locking::release_with(call, descriptor);
    let process = call.process();
    let kernel = &mut call.data().kernel;
    let Some(file) = kernel.own.descriptors.remove(descriptor) else { return };
    let node = kernel.open.get(file).node;
    kernel.file_locks.give_all_back(node, LockOwner::Process(process));
    queues::closed(kernel, node);
    let_go(kernel, file);
}
