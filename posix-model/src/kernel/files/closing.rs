//! Closing descriptors.

use crate::kernel::Kernel;
use crate::kernel::nodes::closing::{footprint_of_letting_go, let_go, touched_by_end};
use crate::kernel::nodes::descriptors::descriptor_place;
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

/// Frees `descriptor`.
pub(crate) fn close(kernel: &mut Kernel, descriptor: u32) {
    let Some(file) = kernel.own.descriptors.remove(descriptor) else { return };
    queues::closed(kernel, kernel.open.get(file).node);
    let_go(kernel, file);
}
