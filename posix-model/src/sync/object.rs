//! What all kinds of synchronisation objects have: a table by address, of which each process has its own.

use imbl::OrdMap;
use smallvec::SmallVec;
use symx_trace::ThreadId;

/// A kind of synchronisation object.
pub(crate) trait SyncObject: Clone + PartialEq {
    /// What all of the kind are called.
    const PLURAL: &'static str;

    /// The same in a process that `parent` forks, where its thread is `child`.
    fn copied(&self, parent: ThreadId, child: ThreadId) -> Self;

    /// Whether two tables are the same but for what only reports use.
    fn are_same(one: &OrdMap<u64, Self>, other: &OrdMap<u64, Self>) -> bool {
        one == other
    }
}

/// The holder of an object in a process that `parent` forks, where its thread is `child`.
pub(crate) fn renamed(holder: Option<ThreadId>, parent: ThreadId, child: ThreadId) -> Option<ThreadId> {
    if holder == Some(parent) { Some(child) } else { holder }
}

/// The addresses below `end`, from `start` on, that are in a table.
fn within<T: Clone>(table: &OrdMap<u64, T>, start: u64, end: u64) -> SmallVec<[u64; 4]> {
    table.range(start..end).map(|(address, _)| *address).collect()
}

/// Moves what lies in these ranges, which have a start and a length, from one table to another.
pub(crate) fn carry<T: Clone>(ranges: &[(u64, u64)], from: &mut OrdMap<u64, T>, to: &mut OrdMap<u64, T>) {
    for (start, length) in ranges {
        for address in within(from, *start, start.saturating_add(*length)) {
            if let Some(object) = from.remove(&address) {
                to.insert(address, object);
            }
        }
    }
}

/// Takes what lies below `end`, from `start` on, out of a table.
pub(crate) fn forget<T: Clone>(table: &mut OrdMap<u64, T>, start: u64, end: u64) {
    for address in within(table, start, end) {
        table.remove(&address);
    }
}

/// The table in a process that `parent` forks, where its thread is `child`.
pub(crate) fn copied<T: SyncObject>(
    table: &OrdMap<u64, T>,
    parent: ThreadId,
    child: ThreadId,
) -> OrdMap<u64, T> {
    table.iter().map(|(address, object)| (*address, object.copied(parent, child))).collect()
}
