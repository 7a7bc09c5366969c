//! Mapping memory: each mapping is an object of its own.

use super::file_system::NodeKind;
use super::open_files::node_place;
use super::system_calls::{SystemCall, argument, call as row};
use crate::answer::{PosixCall, Step, announced, failed, touching, word};
use crate::errno::{EBADF, EINVAL, ENOMEM};
use symx_interp::memory::Contents;
use symx_trace::{Access, Mode};

pub(crate) const CALLS: &[SystemCall] = &[
    row(9, "mmap", map),
    row(10, "mprotect", |_| word(0)),
    row(11, "munmap", unmap),
    // The break does not move: libc then takes memory by mapping.
    row(12, "brk", |_| word(0)),
    row(28, "madvise", advise),
    row(149, "mlock", |_| word(0)),
    row(150, "munlock", |_| word(0)),
];

const PAGE_LOG2: u8 = 12;
const SHARED: u64 = 1;
const FIXED: u64 = 0x10;
const ANONYMOUS: u64 = 0x20;
const WRITABLE: u64 = 2;
/// Advice that drops what the memory holds.
const DROP: u64 = 4;

/// `mmap(address, length, protection, flags, descriptor, offset)`.
fn map(call: &mut PosixCall<'_, '_>) -> Step {
    let (length, protection, flags) = (argument(call, 1)?, argument(call, 2)?, argument(call, 3)?);
    if length == 0 {
        return failed(EINVAL);
    }
    if flags & FIXED != 0 {
        return Err(call.unsupported("mmap at a fixed address"));
    }
    if flags & ANONYMOUS != 0 {
        return match call.allocate(length.next_multiple_of(1 << PAGE_LOG2), PAGE_LOG2, Contents::Zeros) {
            Some(address) => word(address),
            None => failed(ENOMEM),
        };
    }
    if flags & SHARED != 0 && protection & WRITABLE != 0 {
        return Err(call.unsupported("mmap of a file, shared and writable"));
    }
    map_file(call, length)
}

/// A private mapping of a file is a copy of it.
fn map_file(call: &mut PosixCall<'_, '_>, length: u64) -> Step {
    let (descriptor, offset) = (argument(call, 4)? as u32, argument(call, 5)?);
    let kernel = &call.state().data.kernel;
    let Some(file) = kernel.open.file_of(descriptor) else { return failed(EBADF) };
    let node = kernel.open.get(file).node;
    let footprint = touching(Access { place: node_place(node), mode: Mode::Read });
    if let Some(park) = announced(call, footprint) {
        return Ok(park);
    }
    let kernel = &call.state().data.kernel;
    let Some(NodeKind::File(content)) = kernel.files.node(node).map(|node| &node.kind) else {
        return failed(EINVAL);
    };
    let stretch = content.read(offset, length);
    let Some(address) = call.allocate(length.next_multiple_of(1 << PAGE_LOG2), PAGE_LOG2, Contents::Zeros)
    else {
        return failed(ENOMEM);
    };
    call.write_stretch(address, &stretch)?;
    word(address)
}

fn unmap(call: &mut PosixCall<'_, '_>) -> Step {
    let (address, length) = (argument(call, 0)?, argument(call, 1)?);
    let Some(object) = call.object_near(address) else { return failed(EINVAL) };
    let (base, size) = (object.base, object.size);
    if base != address || size != length.next_multiple_of(1 << PAGE_LOG2) {
        return Err(call.unsupported("munmap of a part of a mapping"));
    }
    if (call.phase() > 0 || call.is_shared(address))
        && let Some(park) = announced(call, touching(Access::write(base, size)))
    {
        return Ok(park);
    }
    call.free(address)?;
    call.data().forget(address, size);
    word(0)
}

fn advise(call: &mut PosixCall<'_, '_>) -> Step {
    if argument(call, 2)? == DROP {
        return Err(call.unsupported("madvise that drops memory"));
    }
    word(0)
}
