//! Locks of files: of whole files, and of ranges of bytes. A lock is advice: it keeps out other locks alone.

use imbl::OrdMap;
use std::sync::Arc;
use symx_trace::ThreadId;

/// The owner of a lock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LockOwner {
    /// A process, whichever descriptors it uses.
    Process(ThreadId),
    /// An open file, whichever processes use it.
    OpenFile(u64),
}

/// What a lock is of. Locks of different scopes keep nothing out of each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LockScope {
    /// The whole file (`flock`).
    Whole,
    /// Bytes from the first up to the last one (`fcntl`).
    Bytes(u64, u64),
}

/// A lock of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct FileLock {
    pub owner: LockOwner,
    pub scope: LockScope,
    /// Whether it keeps out all others; else only those that do.
    pub is_exclusive: bool,
    /// The thread that took it.
    pub taker: ThreadId,
}

impl FileLock {
    /// The bytes that both are of.
    fn common(&self, other: &Self) -> Option<LockScope> {
        match (self.scope, other.scope) {
            (LockScope::Whole, LockScope::Whole) => Some(LockScope::Whole),
            (LockScope::Bytes(first, last), LockScope::Bytes(other_first, other_last)) => {
                let (first, last) = (first.max(other_first), last.min(other_last));
                (first <= last).then_some(LockScope::Bytes(first, last))
            }
            _ => None,
        }
    }

    fn keeps_out(&self, wanted: &Self) -> bool {
        self.owner != wanted.owner
            && (self.is_exclusive || wanted.is_exclusive)
            && self.common(wanted).is_some()
    }

    /// What is left of it without these bytes.
    fn without(self, taken: LockScope) -> impl Iterator<Item = Self> {
        let parts = match (self.scope, taken) {
            (LockScope::Bytes(first, last), LockScope::Bytes(from, to)) => [
                (first < from).then(|| LockScope::Bytes(first, from - 1)),
                (to < last).then(|| LockScope::Bytes(to + 1, last)),
            ],
            _ => [None, None],
        };
        parts.into_iter().flatten().map(move |scope| Self { scope, ..self })
    }

    /// One lock of the bytes of both, if these are next to each other and the locks alike.
    fn joined(&self, next: &Self) -> Option<Self> {
        match (self.scope, next.scope) {
            (LockScope::Bytes(first, last), LockScope::Bytes(from, to))
                if last.checked_add(1) == Some(from)
                    && (self.owner, self.is_exclusive) == (next.owner, next.is_exclusive) =>
            {
                Some(Self { scope: LockScope::Bytes(first, to), ..*next })
            }
            _ => None,
        }
    }
}

/// The locks of all files.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct FileLocks {
    /// By node. Those of one owner are together, in order of their bytes; who came first comes first.
    taken: OrdMap<u64, Arc<[FileLock]>>,
    /// The lock that a thread asked for last, and the node, if it had to wait.
    wanted: OrdMap<ThreadId, (u64, FileLock)>,
}

impl FileLocks {
    /// The locks of the file `node`.
    pub fn of(&self, node: u64) -> &[FileLock] {
        self.taken.get(&node).map_or(&[], |locks| locks)
    }

    /// The first lock that keeps out `wanted`.
    pub fn in_the_way(&self, node: u64, wanted: &FileLock) -> Option<&FileLock> {
        self.of(node).iter().find(|lock| lock.keeps_out(wanted))
    }

    /// Notes that `thread` waits for a lock.
    pub fn want(&mut self, thread: ThreadId, node: u64, wanted: FileLock) {
        self.wanted.insert(thread, (node, wanted));
    }

    /// Notes that `thread` does not wait any more.
    pub fn want_no_more(&mut self, thread: ThreadId) {
        self.wanted.remove(&thread);
    }

    /// The lock that `thread` waits for, and the node.
    pub fn wanted_by(&self, thread: ThreadId) -> Option<(u64, FileLock)> {
        self.wanted.get(&thread).copied()
    }

    /// The first lock that keeps out the one for which `thread` waits, and the node.
    pub fn in_the_way_of(&self, thread: ThreadId) -> Option<(u64, FileLock)> {
        let (node, wanted) = self.wanted_by(thread)?;
        self.in_the_way(node, &wanted).map(|lock| (node, *lock))
    }

    /// Takes a lock that none keeps out, instead of what its owner has of these bytes.
    pub fn take(&mut self, node: u64, taken: FileLock) {
        self.replace(node, &taken, Some(taken));
    }

    /// Gives back what the owner of `given` has of these bytes.
    pub fn give_back(&mut self, node: u64, given: FileLock) {
        self.replace(node, &given, None);
    }

    /// Gives back all that `owner` has of the file `node`.
    pub fn give_all_back(&mut self, node: u64, owner: LockOwner) {
        self.keep(node, self.of(node).iter().copied().filter(|lock| lock.owner != owner).collect());
    }

    fn replace(&mut self, node: u64, old: &FileLock, new: Option<FileLock>) {
        let is_own = |lock: &FileLock| {
            lock.owner == old.owner && (lock.scope == LockScope::Whole) == (old.scope == LockScope::Whole)
        };
        let locks = self.of(node);
        let at = locks.iter().position(is_own).unwrap_or(locks.len());
        let mut own: Vec<FileLock> = Vec::new();
        for lock in locks.iter().copied().filter(is_own) {
            match lock.common(old) {
                Some(common) => own.extend(lock.without(common)),
                None => own.push(lock),
            }
        }
        own.extend(new);
        own.sort_by_key(|lock| match lock.scope {
            LockScope::Bytes(first, _) => first,
            LockScope::Whole => 0,
        });
        let mut left: Vec<FileLock> = locks.iter().copied().filter(|lock| !is_own(lock)).collect();
        let mut merged: Vec<FileLock> = Vec::new();
        for lock in own {
            match merged.last().and_then(|last| last.joined(&lock)) {
                Some(joined) => *merged.last_mut().expect("it is joined with it") = joined,
                None => merged.push(lock),
            }
        }
        left.splice(at..at, merged);
        self.keep(node, left);
    }

    fn keep(&mut self, node: u64, locks: Vec<FileLock>) {
        match locks.is_empty() {
            true => {
                self.taken.remove(&node);
            }
            false => {
                self.taken.insert(node, locks.into());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lock(owner: u64, first: u64, last: u64, is_exclusive: bool) -> FileLock {
        let owner = LockOwner::OpenFile(owner);
        FileLock { owner, scope: LockScope::Bytes(first, last), is_exclusive, taker: ThreadId::MAIN }
    }

    #[test]
    fn a_range_is_split_and_joined_again() {
        let mut locks = FileLocks::default();
        locks.take(7, lock(1, 0, 9, true));
        locks.give_back(7, lock(1, 3, 4, true));
        assert_eq!(locks.of(7), [lock(1, 0, 2, true), lock(1, 5, 9, true)]);
        locks.take(7, lock(1, 3, 4, false));
        assert_eq!(locks.of(7).len(), 3);
        locks.take(7, lock(1, 3, 4, true));
        assert_eq!(locks.of(7), [lock(1, 0, 9, true)]);
        locks.take(7, lock(1, 8, u64::MAX, false));
        assert_eq!(locks.of(7), [lock(1, 0, 7, true), lock(1, 8, u64::MAX, false)]);
        locks.give_all_back(7, LockOwner::OpenFile(1));
        assert_eq!(locks, FileLocks::default());
    }

    #[test]
    fn who_came_first_is_in_the_way_first() {
        let mut locks = FileLocks::default();
        locks.take(7, lock(2, 5, 6, false));
        locks.take(7, lock(1, 0, 9, false));
        locks.take(7, lock(2, 0, 1, false));
        assert_eq!(locks.in_the_way(7, &lock(3, 0, 9, true)), Some(&lock(2, 0, 1, false)));
        assert_eq!(locks.in_the_way(7, &lock(3, 2, 3, true)), Some(&lock(1, 0, 9, false)));
        assert_eq!(locks.in_the_way(7, &lock(3, 0, 9, false)), None);
        assert_eq!(locks.in_the_way(7, &lock(2, 0, 1, true)), Some(&lock(1, 0, 9, false)));
        let whole = FileLock { scope: LockScope::Whole, ..lock(3, 0, 0, true) };
        assert_eq!(locks.in_the_way(7, &whole), None);
    }
}
