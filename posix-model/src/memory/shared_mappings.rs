//! Memory that processes share, mapped at the same address in each.

use crate::answer::PosixCall;

/// Memory that processes may share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mapped {
    pub length: u64,
    pub count: u64,
}

/// Notes that the calling process has mapped the object at `base`, which others may share.
pub(crate) fn note_mapped(call: &mut PosixCall<'_, '_>, base: u64, length: u64) {
    let mapped = &mut call.data().own.process.mapped;
    let count = mapped.get(&base).map_or(0, |mapped| mapped.count);
    mapped.insert(base, Mapped { length, count: count + 1 });
}

/// Has the calling process map an object that others share, at the same address. Whether it could.
pub(crate) fn map_shared(call: &mut PosixCall<'_, '_>, base: u64, length: u64) -> bool {
    let is_new = !call.bookkeeping().own.process.mapped.contains_key(&base);
    if is_new && call.has_forked() && !call.attach_shared(base) {
        return false;
    }
    note_mapped(call, base, length);
    if is_new && call.has_forked() {
        call.data().enter_shared();
    }
    true
}

/// One mapping of the object at `base` is gone. Whether the process has no other.
pub(crate) fn note_unmapped(call: &mut PosixCall<'_, '_>, base: u64) -> bool {
    let Some(mapped) = call.bookkeeping().own.process.mapped.get(&base).copied() else { return true };
    let mapped = Mapped { count: mapped.count - 1, ..mapped };
    let data = call.data();
    if mapped.count > 0 {
        data.own.process.mapped.insert(base, mapped);
        return false;
    }
    data.leave_shared();
    data.own.process.mapped.remove(&base);
    data.enter_shared();
    true
}
