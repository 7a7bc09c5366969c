//! Closing descriptors.

use crate::kernel::Kernel;
use crate::kernel::nodes::closing::{footprint_of_letting_go, let_go, touched_by_end};
use crate::kernel::nodes::descriptors::descriptor_place;
use crate::kernel::queues;
use crate::places::write;
use symx_trace::Footprint;

/// The footprint of closing `descriptor`.
pub(crate) fn footprint_of_closing(kernel: &Kernel, descriptor: u32) -> Footprint {
    let file = kernel.file_of(descriptor);
    let file = file.map(|file| footprint_of_letting_go(kernel, file));
    [write(descriptor_place(descriptor))].into_iter().chain(file.into_iter().flatten()).collect()
}

/// The same without what is on its way to a socket that is closed.
pub(crate) fn footprint_of_arrival(kernel: &Kernel, descriptor: u32) -> Footprint {
    let file = kernel.file_of(descriptor).map(|file| touched_by_end(kernel, file));
    [write(descriptor_place(descriptor))].into_iter().chain(file.into_iter().flatten()).collect()
}

/// Frees `descriptor`.
pub(crate) fn close(kernel: &mut Kernel, descriptor: u32) {
    let Some(file) = kernel.own.descriptors.remove(descriptor) else { return };
    queues::closed(kernel, kernel.open.get(file).node);
    let_go(kernel, file);
}
