//! Mapping memory: each mapping is an object of its own.
//!
//! A private mapping of a file is a copy, which keeps the file open as a descriptor does. A shared one is a
//! copy that is kept equal. Before the kernel reads bytes of the file, the program's bytes in memory are
//! saved to it. After it has changed bytes, the memory shows them. Mapping the same part again gives the same
//! memory.

use crate::answer::{PosixCall, Step, announced, announced_synchronisation, failed, touching, word};
use crate::errno::{EBADF, EINVAL, ENODEV, ENOMEM};
use crate::kernel::Kernel;
use crate::kernel::buffers::{Buffer, add_buffers};
use crate::kernel::nodes::descriptors::descriptor_place;
use crate::kernel::nodes::events::{self, refuse_lost, touched_by};
use crate::kernel::nodes::kinds::{Device, NodeKind};
use crate::kernel::system_calls::{SystemCall, argument, call as row};
use crate::kernel::system_v::shared_memory::is_attached;
use crate::memory::shared_mappings::{Mapped, map_shared, note_mapped, note_unmapped};
use crate::places::{NAMES, file_place, node_place, read, write};
use smallvec::smallvec;
use std::ops::Range;
use symx_interp::access::Purpose;
use symx_interp::environment::Outcome;
use symx_interp::memory::Contents;
use symx_interp::stop::Stop;
use symx_trace::{Access, Footprint, Mode};

pub(crate) const CALLS: &[SystemCall] = &[
    row(9, "mmap", map),
    row(10, "mprotect", protect),
    row(11, "munmap", unmap),
    // The break does not move: libc then takes memory by mapping.
    row(12, "brk", |_| word(0)),
    row(25, "mremap", remap),
    // A reader of the file sees what is in the memory.
    row(26, "msync", |_| word(0)),
    row(28, "madvise", advise),
    row(149, "mlock", |_| word(0)),
    row(150, "munlock", |_| word(0)),
    row(151, "mlockall", |_| word(0)),
    row(152, "munlockall", |_| word(0)),
];

const PAGE_LOG2: u8 = 12;
const SHARED: u64 = 1;
const FIXED: u64 = 0x10;
const ANONYMOUS: u64 = 0x20;
/// Flag of `mremap`.
const MAY_MOVE: u64 = 1;
// Advice of `madvise`. Advice that is only a hint stays unheeded.
const DROP: u64 = 4;
const FREE: u64 = 8;
const REMOVE: u64 = 9;
const LAST_HINT: u64 = 21;

/// A part of a file that memory is kept equal to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct SharedMapping {
    node: u64,
    /// Where in the file it begins.
    offset: u64,
    /// Bytes, whole pages.
    length: u64,
    /// How often it was mapped.
    count: u32,
}

impl SharedMapping {
    /// The part of the file.
    fn part(&self) -> Range<u64> {
        self.offset..self.offset.saturating_add(self.length)
    }
}

fn whole_pages(length: u64) -> u64 {
    length.next_multiple_of(1 << PAGE_LOG2)
}

/// `mmap(address, length, protection, flags, descriptor, offset)`.
fn map(call: &mut PosixCall<'_, '_>) -> Step {
    let (length, flags) = (argument(call, 1)?, argument(call, 3)?);
    if length == 0 {
        return failed(EINVAL);
    }
    if flags & FIXED != 0 {
        return Err(call.unsupported("mmap at a fixed address"));
    }
    if flags & ANONYMOUS != 0 {
        return map_zeros(call, length, flags & SHARED != 0);
    }
    map_file(call, length, flags & SHARED != 0)
}

fn map_zeros(call: &mut PosixCall<'_, '_>, length: u64, shared: bool) -> Step {
    let length = whole_pages(length);
    let Some(address) = call.allocate(length, PAGE_LOG2, Contents::Zeros)? else {
        return failed(ENOMEM);
    };
    if shared {
        note_mapped(call, address, length);
    }
    word(address)
}

fn map_file(call: &mut PosixCall<'_, '_>, length: u64, shared: bool) -> Step {
    let (descriptor, offset) = (argument(call, 4)? as u32, argument(call, 5)?);
    let kernel = &call.state().data.kernel;
    let Some(file) = kernel.file_of(descriptor) else {
        let park = announced(call, smallvec![read(descriptor_place(descriptor))]);
        return park.map_or_else(|| failed(EBADF), Ok);
    };
    if shared && !touched_by(kernel, file).is_empty() {
        return Err(call.unsupported("shared mmap of a file that is or was watched (inotify)"));
    }
    let node = kernel.open.get(file).node;
    let mode = if shared { Mode::Write } else { Mode::Read };
    let mut footprint: Footprint = smallvec![Access { place: node_place(node), mode }];
    footprint.extend(kernel.own.descriptors.touched_by_naming(descriptor, call.thread()));
    // A private mapping looks at what others have mapped. A shared one overlaps none.
    let copied = if shared { 0..0 } else { kernel.files.part(node, offset, length) };
    let mapped = memory_of(call, node, &copied, Purpose::Read);
    let park = if add_buffers(call, &mut footprint, &mapped)? {
        announced_synchronisation(call, footprint)
    } else {
        announced(call, footprint)
    };
    if let Some(mut park) = park {
        if let Outcome::Park(operation) = &mut park {
            // Mapping is no access to the bytes.
            operation.is_atomic = true;
        }
        return Ok(park);
    }
    if shared && let Some(address) = map_again(call, node, offset, whole_pages(length))? {
        return word(address);
    }
    save(call, node, &copied)?;
    let kernel = &call.state().data.kernel;
    let content = match kernel.files.kind(node) {
        Some(NodeKind::File(content)) => content,
        // Memory without a file, each time it is mapped.
        Some(NodeKind::Device(Device::Zero)) => return map_zeros(call, length, shared),
        _ => return failed(ENODEV),
    };
    call.ask(content.length().saturating_sub(offset).min(length))?;
    let stretch = content.read(offset, length);
    let Some(address) = call.allocate(whole_pages(length), PAGE_LOG2, Contents::Zeros)? else {
        return failed(ENOMEM);
    };
    call.write_stretch(address, &stretch)?;
    if !shared {
        let kernel = &mut call.data().kernel;
        kernel.open.add_reference(file);
        kernel.own.copies.insert(address, file);
    } else {
        let mapping = SharedMapping { node, offset, length: whole_pages(length), count: 1 };
        call.data().kernel.mappings.insert(address, mapping);
        note_mapped(call, address, mapping.length);
    }
    word(address)
}

/// The memory that is this part of the file already, mapped once more.
fn map_again(call: &mut PosixCall<'_, '_>, node: u64, offset: u64, length: u64) -> Result<Option<u64>, Stop> {
    let wanted = offset..offset.saturating_add(length);
    let Some(shared) = shared_with(call, node, &wanted).into_iter().next() else { return Ok(None) };
    let mapping = call.state().data.kernel.mappings[&shared.base];
    if (mapping.offset, mapping.length) != (offset, length) {
        return Err(call.unsupported("shared mappings of a file that overlap"));
    }
    if !map_shared(call, shared.base, length) {
        return Err(call.unsupported("a mapping of a file that no process has any more"));
    }
    let mapping = SharedMapping { count: mapping.count + 1, ..mapping };
    call.data().kernel.mappings.insert(shared.base, mapping);
    Ok(Some(shared.base))
}

/// Bytes of a file that memory is kept equal to.
struct SharedBytes {
    /// Where the mapping begins.
    base: u64,
    /// Where the bytes are in memory.
    address: u64,
    /// Where they are in the file.
    part: Range<u64>,
}

impl SharedBytes {
    fn length(&self) -> u64 {
        self.part.end - self.part.start
    }
}

/// Those bytes of `part` of the file that memory is kept equal to.
fn shared_with(call: &PosixCall<'_, '_>, node: u64, part: &Range<u64>) -> Vec<SharedBytes> {
    let mappings = call.state().data.kernel.mappings.iter();
    let shared = mappings.filter(|(_, mapping)| mapping.node == node).map(|(&base, mapping)| {
        let start = part.start.max(mapping.offset);
        let end = part.end.min(mapping.part().end);
        SharedBytes { base, address: base.wrapping_add(start - mapping.offset), part: start..end }
    });
    shared.filter(|shared| !shared.part.is_empty()).collect()
}

/// The files of which parts are shared with memory.
pub(crate) fn mapped(kernel: &Kernel) -> impl Iterator<Item = u64> {
    kernel.mappings.values().map(|mapping| mapping.node)
}

/// Whether parts of the file are shared with memory.
pub(crate) fn is_mapped(call: &PosixCall<'_, '_>, node: u64) -> bool {
    mapped(&call.state().data.kernel).any(|mapped| mapped == node)
}

/// The additional memory that an operation touches which reads or writes `part` of the file.
pub(crate) fn memory_of(
    call: &PosixCall<'_, '_>,
    node: u64,
    part: &Range<u64>,
    purpose: Purpose,
) -> Vec<Buffer> {
    let own = shared_with(call, node, part).into_iter().filter(|shared| is_own(call, shared.base));
    own.map(|shared| (shared.address, shared.length(), purpose)).collect()
}

/// Whether the calling process has the memory at `address` that processes may share.
fn is_own(call: &PosixCall<'_, '_>, address: u64) -> bool {
    call.bookkeeping().own.process.mapped.contains_key(&address)
}

/// [`shared_with`], of memory that the calling process has.
fn shared_here(call: &PosixCall<'_, '_>, node: u64, part: &Range<u64>) -> Result<Vec<SharedBytes>, Stop> {
    let shared = shared_with(call, node, part);
    match shared.iter().all(|shared| is_own(call, shared.base)) {
        true => Ok(shared),
        false => Err(call.unsupported("access to a file that only another process has mapped")),
    }
}

/// Saves to `part` of the file what the program wrote to memory shared with it.
pub(crate) fn save(call: &mut PosixCall<'_, '_>, node: u64, part: &Range<u64>) -> Result<(), Stop> {
    for SharedBytes { address, part, .. } in shared_here(call, node, part)? {
        let part = call.state().data.kernel.files.part(node, part.start, part.end - part.start);
        let stretch = call.read_stretch(address, part.end - part.start)?;
        call.data().kernel.files.change(node, |node| {
            if let NodeKind::File(content) = &mut node.kind
                && !part.is_empty()
            {
                content.put(part.start, &stretch);
            }
        });
    }
    Ok(())
}

/// Copies `part` of the file to the memory shared with it; after its end, zeros.
pub(crate) fn show(call: &mut PosixCall<'_, '_>, node: u64, part: &Range<u64>) -> Result<(), Stop> {
    for shared in shared_here(call, node, part)? {
        if let Some(NodeKind::File(content)) = call.state().data.kernel.files.kind(node) {
            let mut stretch = content.read(shared.part.start, shared.length());
            stretch.bytes.resize(shared.length() as usize, 0);
            call.has_written(shared.address, shared.length());
            call.write_stretch(shared.address, &stretch)?;
        }
    }
    Ok(())
}

fn unmap(call: &mut PosixCall<'_, '_>) -> Step {
    let (address, length) = (argument(call, 0)?, argument(call, 1)?);
    let Some(object) = call.object_near(address) else { return failed(EINVAL) };
    let (base, size) = (object.base, object.size);
    if base != address || size != whole_pages(length) {
        return Err(call.unsupported("munmap of a part of a mapping"));
    }
    if is_attached(&call.state().data.kernel, address) {
        return Err(call.unsupported("munmap of shared memory (shmat)"));
    }
    let mapping = call.state().data.kernel.mappings.get(&address).copied();
    let stays = call.bookkeeping().own.process.mapped.get(&address).is_some_and(|mapped| mapped.count > 1);
    let mut footprint: Footprint = smallvec![];
    if !stays && (call.phase() > 0 || call.is_shared(address)) {
        footprint.push(Access::write(base, size));
    }
    if let Some(mapping) = mapping {
        footprint.push(write(node_place(mapping.node)));
    }
    let copied = call.state().data.kernel.own.copies.get(&address).copied();
    if let Some(file) = copied {
        footprint.extend(footprint_of_ending_copy(&call.state().data.kernel, file));
    }
    if !footprint.is_empty()
        && let Some(park) = announced_synchronisation(call, footprint)
    {
        return Ok(park);
    }
    if let Some(mapping) = mapping {
        if !stays {
            save(call, mapping.node, &mapping.part())?;
        }
        call.data().kernel.map_less(address, 1);
    }
    if is_own(call, address) {
        if !note_unmapped(call, address) {
            return word(0);
        }
        if call.has_forked() {
            call.detach_shared(address);
            return word(0);
        }
    }
    if let Some(file) = copied {
        refuse_lost(call, file)?;
    }
    call.free(address)?;
    call.data().forget(address, size);
    if let Some(file) = copied {
        end_copy(&mut call.data().kernel, address, file);
    }
    word(0)
}

/// Gives back all memory that the calling process, which ends, may share with others.
pub(crate) fn unmap_all(call: &mut PosixCall<'_, '_>) -> Result<(), Stop> {
    let mapped: Vec<(u64, Mapped)> =
        call.bookkeeping().own.process.mapped.iter().map(|(base, mapped)| (*base, *mapped)).collect();
    for (base, mapped) in mapped {
        let mapping = call.bookkeeping().kernel.mappings.get(&base).copied();
        if let Some(mapping) = mapping {
            save(call, mapping.node, &mapping.part())?;
        }
        call.data().kernel.map_less(base, mapped.count);
    }
    Ok(())
}

impl Kernel {
    /// Memory that processes share is mapped more often.
    pub fn map_more(&mut self, base: u64, count: u64) {
        if let Some(mapping) = self.mappings.get(&base).copied() {
            let count = mapping.count + count as u32;
            self.mappings.insert(base, SharedMapping { count, ..mapping });
        }
        self.system_v.attach_more(base, count as i64);
    }

    /// Memory that processes share is mapped less often.
    pub fn map_less(&mut self, base: u64, count: u64) {
        if let Some(mapping) = self.mappings.get(&base).copied() {
            let count = mapping.count.saturating_sub(count as u32);
            match count {
                0 => self.mappings.remove(&base),
                _ => self.mappings.insert(base, SharedMapping { count, ..mapping }),
            };
        }
        self.system_v.attach_more(base, -(count as i64));
    }
}

/// What the end of a private copy of `file` touches: the file may be closed with it, and a descriptor for
/// notifications may be made before or after it.
fn footprint_of_ending_copy(kernel: &Kernel, file: u64) -> Footprint {
    let node = kernel.open.get(file).node;
    let mut footprint: Footprint = smallvec![write(file_place(file)), write(node_place(node)), read(NAMES)];
    footprint.extend(touched_by(kernel, file));
    footprint
}

/// The private copy of `file` at `address` is gone: the file is closed if nothing else keeps it open.
pub(crate) fn end_copy(kernel: &mut Kernel, address: u64, file: u64) {
    let node = kernel.open.get(file).node;
    if kernel.open.has_one_reference(file) {
        events::closing(kernel, file);
    }
    kernel.own.copies.remove(&address);
    if kernel.open.drop_reference(file).is_some() {
        events::ends_if_unused(kernel, node);
    }
}

/// `mremap(address, old length, new length, flags)`: other memory with the same bytes, since each
/// object has its size.
fn remap(call: &mut PosixCall<'_, '_>) -> Step {
    let (address, old, new) = (argument(call, 0)?, argument(call, 1)?, argument(call, 2)?);
    let flags = argument(call, 3)?;
    let Some(object) = call.object_near(address) else { return failed(EINVAL) };
    let (base, size) = (object.base, object.size);
    if new == 0 {
        return failed(EINVAL);
    }
    if base != address || size != whole_pages(old) || flags & !MAY_MOVE != 0 {
        return Err(call.unsupported("mremap of a part of a mapping, or to a given address"));
    }
    if is_attached(&call.state().data.kernel, address) {
        return Err(call.unsupported("mremap of shared memory (shmat)"));
    }
    if is_own(call, address) {
        return Err(call.unsupported("mremap of memory shared with a file or another process"));
    }
    if size == whole_pages(new) {
        return word(address);
    }
    if flags & MAY_MOVE == 0 {
        return if whole_pages(new) > size {
            failed(ENOMEM)
        } else {
            Err(call.unsupported("mremap that shrinks in place"))
        };
    }
    if (call.phase() > 0 || call.is_shared(address))
        && let Some(park) = announced(call, touching(Access::write(base, size)))
    {
        return Ok(park);
    }
    let Some(moved) = call.allocate(whole_pages(new), PAGE_LOG2, Contents::Zeros)? else {
        return failed(ENOMEM);
    };
    call.copy(moved, address, size.min(whole_pages(new)))?;
    if let Some(file) = call.data().kernel.own.copies.remove(&address) {
        call.data().kernel.own.copies.insert(moved, file);
    }
    call.free(address)?;
    call.data().forget(address, size);
    word(moved)
}

/// `mprotect(address, length, rights)`. A guard beside memory in use stays as it was: whether it is touched
/// is not looked for.
fn protect(call: &mut PosixCall<'_, '_>) -> Step {
    const READ_AND_WRITE: u64 = 3;
    let (address, length, rights) = (argument(call, 0)?, argument(call, 1)?, argument(call, 2)?);
    let whole = call.object_near(address).map(|object| (object.base, object.size));
    let is_whole = whole.is_some_and(|(base, size)| base == address && size <= whole_pages(length));
    if is_whole && rights & READ_AND_WRITE != READ_AND_WRITE {
        return Err(call.unsupported("mprotect that takes rights to a whole mapping away"));
    }
    word(0)
}

/// `madvise(address, length, advice)`. Memory that is given back for when memory is short (`MADV_FREE`) keeps
/// what it holds: it never is.
fn advise(call: &mut PosixCall<'_, '_>) -> Step {
    let (address, length, advice) = (argument(call, 0)?, argument(call, 1)?, argument(call, 2)? as u32);
    let length = whole_pages(length);
    let is_known = matches!(u64::from(advice), 0..=DROP | FREE..=LAST_HINT);
    if address % (1 << PAGE_LOG2) != 0 || !is_known {
        return failed(EINVAL);
    }
    match u64::from(advice) {
        _ if length == 0 => word(0),
        DROP | FREE => give_back(call, address, length, u64::from(advice) == DROP),
        REMOVE => Err(call.unsupported("madvise that makes a hole in a file")),
        _ => word(0),
    }
}

/// Gives `length` bytes of memory back, which are zero afterwards if they are dropped.
fn give_back(call: &mut PosixCall<'_, '_>, address: u64, length: u64, drops: bool) -> Step {
    let Some(object) = call.object_near(address) else { return failed(ENOMEM) };
    let (base, end) = (object.base, object.base + object.size);
    if end < address + length {
        return Err(call.unsupported("madvise about more than one mapping"));
    }
    let kernel = &call.state().data.kernel;
    if is_own(call, base) || is_attached(kernel, base) {
        // The file, or the segment, still holds it.
        return if drops { word(0) } else { failed(EINVAL) };
    }
    if kernel.own.copies.contains_key(&base) {
        return if drops {
            Err(call.unsupported("madvise that drops a private copy of a file"))
        } else {
            failed(EINVAL)
        };
    }
    if !drops {
        return word(0);
    }
    if (call.phase() > 0 || call.is_shared(address))
        && let Some(park) = announced(call, touching(Access::write(address, length)))
    {
        return Ok(park);
    }
    call.ask(length)?;
    call.fill(address, 0, length)?;
    word(0)
}
