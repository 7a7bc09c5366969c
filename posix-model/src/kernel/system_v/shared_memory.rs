//! Shared memory: `shmget`, `shmat` and what goes with them. In the one process, attaching a segment again
//! gives the same memory. While nothing is attached, what was in it is kept.

use crate::answer::{PosixCall, Step, failed, word};
use crate::errno::{EACCES, EINVAL, ENOMEM};
use crate::kernel::Kernel;
use crate::kernel::process::PROCESS;
use crate::kernel::system_calls::{SystemCall, argument, call as row};
use crate::kernel::system_v::{
    Content, Kind, LIMITS, Object, Objects, PERMISSIONS, PRIVATE, REMOVE, SET, STATUS, SystemV, TO_READ,
    TO_WRITE, change, find, get, identifier, new_permissions, refuse, remove, stand_before, time_of_event,
};
use crate::memory::shared_mappings::{map_shared, note_mapped, note_unmapped};
use crate::places::{read, write};
use smallvec::smallvec;
use std::sync::Arc;
use symx_interp::memory::Contents;
use symx_interp::memory::byte_string::Stretch;
use symx_trace::{Access, Footprint};

pub(crate) const CALLS: &[SystemCall] = &[
    row(29, "shmget", find_or_make),
    row(30, "shmat", attach),
    row(31, "shmctl", control),
    row(67, "shmdt", detach),
];

/// Flag of `shmget`.
const HUGE_PAGES: u32 = 0o4000;

// Flags of `shmat`.
const READ_ONLY: u32 = 0o10000;
const ROUNDED: u32 = 0o20000;
const REMAP: u32 = 0o40000;
const EXECUTABLE: u32 = 0o100_000;

const PAGE_LOG2: u8 = 12;

/// Mode bit of a segment that goes when it is detached.
const IS_GOING: u32 = 0o1000;

/// Commands that are not modelled.
fn unmodelled(command: u32) -> Option<&'static str> {
    Some(match command {
        LIMITS => "IPC_INFO",
        11 => "SHM_LOCK",
        12 => "SHM_UNLOCK",
        13 => "SHM_STAT",
        14 => "SHM_INFO",
        15 => "SHM_STAT_ANY",
        _ => return None,
    })
}

/// A segment of memory.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Segment {
    /// Bytes asked for.
    size: u64,
    /// Where it is attached, and how often.
    attached: Option<(u64, u64)>,
    /// What is in it while it is not attached; nothing for zeros.
    kept: Option<Arc<Stretch>>,
    /// Whether it goes when it is not attached any more.
    is_going: bool,
    was_attached: bool,
    was_detached: bool,
}

impl Segment {
    /// Bytes of its memory.
    fn length(&self) -> u64 {
        self.size.next_multiple_of(1 << PAGE_LOG2)
    }

    /// Where it is attached.
    pub fn address(&self) -> Option<u64> {
        self.attached.map(|(address, _)| address)
    }

    /// It is attached this much more often. While nothing is attached, its memory stays where it is.
    pub fn attach_more(&mut self, more: i64) {
        if let Some((_, count)) = &mut self.attached {
            *count = count.saturating_add_signed(more);
        }
    }

    fn count(&self) -> u64 {
        self.attached.map_or(0, |(_, count)| count)
    }
}

impl Content for Segment {
    const KIND: Kind = Kind::Memory;

    fn among(all: &SystemV) -> &Objects<Self> {
        &all.segments
    }

    fn among_mut(all: &mut SystemV) -> &mut Objects<Self> {
        &mut all.segments
    }
}

/// Whether a segment is attached at `address`.
pub(crate) fn is_attached(kernel: &Kernel, address: u64) -> bool {
    kernel.system_v.attached().any(|attached| attached == address)
}

/// `shmget(key, size, flags)`
fn find_or_make(call: &mut PosixCall<'_, '_>) -> Step {
    let (size, flags) = (argument(call, 1)?, argument(call, 2)? as u32);
    if flags & HUGE_PAGES != 0 {
        return Err(call.unsupported("shared memory in huge pages (SHM_HUGETLB)"));
    }
    get(
        call,
        flags,
        |segment: &Segment| if size > segment.size { Err(EINVAL) } else { Ok(()) },
        || match size {
            1..=0x7fff_ffff_ffff_f000 => Ok(Segment { size, ..Segment::default() }),
            _ => Err(EINVAL),
        },
    )
}

/// `shmat(segment, address, flags)`
fn attach(call: &mut PosixCall<'_, '_>) -> Step {
    let (id, wanted, flags) = (identifier(call)?, argument(call, 1)?, argument(call, 2)? as u32);
    let is_aligned = wanted % (1 << PAGE_LOG2) == 0;
    if !is_aligned && flags & ROUNDED == 0 || wanted == 0 && flags & REMAP != 0 {
        return failed(EINVAL);
    }
    let segment = find::<Segment>(call, id);
    let is_first = segment.is_some_and(|segment| segment.content.attached.is_none());
    let mut footprint: Footprint = smallvec![write(Kind::Memory.place(id))];
    if is_first {
        footprint.push(write(Kind::Memory.keys()));
    }
    if let Some(park) = stand_before(call, footprint) {
        return Ok(park);
    }
    let Some(segment) = find::<Segment>(call, id).cloned() else { return failed(EINVAL) };
    if !segment.permits(if flags & READ_ONLY != 0 { TO_READ } else { TO_READ | TO_WRITE }) {
        return failed(EACCES);
    }
    match () {
        () if flags & READ_ONLY != 0 => return Err(call.unsupported("shmat for reading only (SHM_RDONLY)")),
        () if flags & EXECUTABLE != 0 => return Err(call.unsupported("shmat to execute (SHM_EXEC)")),
        () if wanted != 0 => return Err(call.unsupported("shmat at a given address")),
        () => {}
    }
    let (address, count) = match segment.content.attached {
        Some((address, count)) => {
            if !map_shared(call, address, segment.content.length()) {
                return Err(call.unsupported("shmat of a segment that no process has any more"));
            }
            (address, count + 1)
        }
        None => {
            let length = segment.content.length();
            let Some(address) = call.allocate(length, PAGE_LOG2, Contents::Zeros)? else {
                return failed(ENOMEM);
            };
            if let Some(kept) = &segment.content.kept {
                call.write_stretch(address, kept)?;
            }
            note_mapped(call, address, length);
            (address, 1)
        }
    };
    change::<Segment>(call, id, |segment| {
        segment.content.attached = Some((address, count));
        segment.content.kept = None;
        segment.content.was_attached = true;
    });
    word(address)
}

/// `shmdt(address)`
fn detach(call: &mut PosixCall<'_, '_>) -> Step {
    let address = argument(call, 0)?;
    let segments = &call.state().data.kernel.system_v.segments.known;
    let found = segments.iter().find(|(_, segment)| segment.content.address() == Some(address));
    let found = found.filter(|_| call.bookkeeping().own.process.mapped.contains_key(&address));
    let found = found.map(|(id, segment)| (*id, segment.content.clone()));
    let footprint: Footprint = match &found {
        None => smallvec![read(Kind::Memory.keys())],
        Some((id, segment)) if segment.count() > 1 => smallvec![write(Kind::Memory.place(*id))],
        Some((id, segment)) => {
            let mut footprint: Footprint =
                smallvec![write(Kind::Memory.keys()), write(Kind::Memory.place(*id))];
            call.is_shared(address);
            footprint.extend(Access::end_of_life(address, segment.length()));
            footprint
        }
    };
    if let Some(park) = stand_before(call, footprint) {
        return Ok(park);
    }
    let Some((id, segment)) = found else { return failed(EINVAL) };
    if segment.count() > 1 {
        change::<Segment>(call, id, |segment| {
            segment.content.attached = Some((address, segment.content.count() - 1));
            segment.content.was_detached = true;
        });
        if note_unmapped(call, address) {
            call.detach_shared(address);
        }
        return word(0);
    }
    note_unmapped(call, address);
    let length = segment.length();
    call.ask(length)?;
    let kept = match segment.is_going {
        true => None,
        false => Some(Arc::new(call.read_stretch(address, length)?)),
    };
    call.free(address)?;
    call.data().forget(address, length);
    if segment.is_going {
        remove::<Segment>(call, id);
        return word(0);
    }
    change::<Segment>(call, id, |segment| {
        segment.content.attached = None;
        segment.content.kept = kept;
        segment.content.was_detached = true;
    });
    word(0)
}

/// `shmctl(segment, command, description)`
fn control(call: &mut PosixCall<'_, '_>) -> Step {
    let (id, command) = (identifier(call)?, argument(call, 1)? as u32);
    let address = argument(call, 2)?;
    let place = Kind::Memory.place(id);
    let footprint: Footprint = match command {
        REMOVE => smallvec![write(Kind::Memory.keys()), write(place)],
        SET => smallvec![write(place)],
        STATUS => smallvec![read(place)],
        other => return refuse(call, "shmctl", unmodelled(other)),
    };
    if let Some(park) = stand_before(call, footprint) {
        return Ok(park);
    }
    let Some(segment) = find::<Segment>(call, id).cloned() else { return failed(EINVAL) };
    match command {
        REMOVE if segment.content.count() == 0 => remove::<Segment>(call, id),
        // Its identifier stays good until then, its key does not.
        REMOVE => change::<Segment>(call, id, |segment| {
            segment.key = PRIVATE;
            segment.content.is_going = true;
        }),
        SET => {
            let permissions = new_permissions(call, address)?;
            change::<Segment>(call, id, |segment| segment.permissions = permissions);
        }
        _ if !segment.permits(TO_READ) => return failed(EACCES),
        _ => {
            let bytes = describe(call, &segment);
            call.write_bytes(address, &bytes)?;
        }
    }
    word(0)
}

/// A `struct shmid_ds`.
fn describe(call: &PosixCall<'_, '_>, segment: &Object<Segment>) -> [u8; 112] {
    let mut bytes = [0; 112];
    let content = &segment.content;
    bytes[..PERMISSIONS].copy_from_slice(&segment.describe(if content.is_going { IS_GOING } else { 0 }));
    let last = if content.was_attached { PROCESS } else { 0 };
    let words = [
        (48, content.size),
        (56, time_of_event(call, content.was_attached)),
        (64, time_of_event(call, content.was_detached)),
        (72, time_of_event(call, true)),
        (80, PROCESS | last << 32),
        (88, content.count()),
    ];
    for (offset, word) in words {
        bytes[offset..offset + 8].copy_from_slice(&word.to_le_bytes());
    }
    bytes
}
