//! The locks of Rust's standard library (`std::sys::sync::mutex::futex` and `std::sys::sync::rwlock::futex`),
//! which `std::sync::Mutex`, `std::sync::RwLock` and others are made of: a word that is 0 while the lock is
//! free.
//!
//! The library takes and releases one by an atomic operation where that succeeds at once, and by system calls
//! otherwise. The first part is inlined into programs, the rest never is.

use super::rust_names::library_path;

/// A kind of lock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RustLock {
    /// One that excludes all others. Its word is 1 while it is held, or 2 where others wait.
    Exclusive,
    /// One that readers share. Its word has the number of readers, or [`WRITTEN`], and bits of those that
    /// wait.
    ReadWrite,
}

/// An operation of such a lock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RustLockOperation {
    /// Takes an exclusive lock, however long that takes.
    Lock,
    /// Takes it if it is free.
    TryLock,
    /// Releases it.
    Unlock,
    /// Takes a lock for reading, however long that takes.
    Read,
    /// Takes it for reading if no writer has it or waits for it.
    TryRead,
    /// Releases it as a reader.
    ReadUnlock,
    /// Takes a lock for writing, however long that takes.
    Write,
    /// Takes it for writing if it is free.
    TryWrite,
    /// Releases it as the writer.
    WriteUnlock,
}

/// How an operation accesses the word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WordAccess {
    /// It looks at it.
    Load,
    /// It changes it, or tries to.
    Update,
}

/// The word of a lock that a writer has.
pub const WRITTEN: u64 = (1 << 30) - 1;

/// symx's function in place of the atomic update that takes an exclusive lock. Like all of these it takes the
/// lock's address and the operands of the access, and gives the word as the access found it.
pub const LOCK: &str = "__symx_rust_lock";
/// Likewise of the one that takes it if it is free.
pub const TRY_LOCK: &str = "__symx_rust_try_lock";
/// Likewise of the one that releases it.
pub const UNLOCK: &str = "__symx_rust_unlock";
/// Likewise of the look at the word before a lock is taken for reading.
pub const LOOK: &str = "__symx_rust_look";
/// Likewise of the update that takes it for reading.
pub const READ: &str = "__symx_rust_read";
/// Likewise of the look after which it is taken for reading if the word says that it can be.
pub const TRY_READ: &str = "__symx_rust_try_read";
/// Likewise of the update that takes it for writing.
pub const WRITE: &str = "__symx_rust_write";
/// Likewise of the look after which it is taken for writing if the word says that it can be.
pub const TRY_WRITE: &str = "__symx_rust_try_write";
/// Likewise of the update that takes it after either of these looks.
pub const TAKE: &str = "__symx_rust_take";
/// Likewise of the update by which a reader or a writer releases it.
pub const RELEASE: &str = "__symx_rust_release";

/// The library's function that waits where an exclusive lock was not free.
pub const LOCK_CONTENDED: &str = "std::sys::sync::mutex::futex::Mutex::lock_contended";
/// The one that wakes a thread that waits.
const WAKE: &str = "std::sys::sync::mutex::futex::Mutex::wake";
/// The one that waits to read.
pub const READ_CONTENDED: &str = "std::sys::sync::rwlock::futex::RwLock::read_contended";
/// The one that waits to write.
pub const WRITE_CONTENDED: &str = "std::sys::sync::rwlock::futex::RwLock::write_contended";

impl RustLock {
    /// The functions that are second parts of operations, by path. Those that wake readers and writers are
    /// left out: in the library itself the optimiser has made one call of several.
    pub fn second_parts(self) -> &'static [&'static str] {
        match self {
            Self::Exclusive => &[LOCK_CONTENDED, WAKE],
            Self::ReadWrite => &[READ_CONTENDED, WRITE_CONTENDED],
        }
    }
}

impl RustLockOperation {
    /// The kind of lock that it is an operation of.
    pub fn lock(self) -> RustLock {
        match self {
            Self::Lock | Self::TryLock | Self::Unlock => RustLock::Exclusive,
            _ => RustLock::ReadWrite,
        }
    }

    /// symx's function in place of an access; `None` if the operation has no such access.
    pub fn function(self, access: WordAccess) -> Option<&'static str> {
        use WordAccess::{Load, Update};
        match (self, access) {
            (Self::Lock, Update) => Some(LOCK),
            (Self::TryLock, Update) => Some(TRY_LOCK),
            (Self::Unlock, Update) => Some(UNLOCK),
            (Self::Read, Load) => Some(LOOK),
            (Self::Read, Update) => Some(READ),
            (Self::TryRead, Load) => Some(TRY_READ),
            (Self::Write, Update) => Some(WRITE),
            (Self::TryWrite, Load) => Some(TRY_WRITE),
            (Self::TryRead | Self::TryWrite, Update) => Some(TAKE),
            (Self::ReadUnlock | Self::WriteUnlock, Update) => Some(RELEASE),
            (Self::Lock | Self::TryLock | Self::Unlock, Load)
            | (Self::Write | Self::ReadUnlock | Self::WriteUnlock, Load) => None,
        }
    }

    /// The constants that are operands of its update.
    pub fn constants(self) -> &'static [u64] {
        match self {
            Self::Lock | Self::TryLock => &[0, 1],
            Self::Unlock => &[0],
            Self::Write => &[0, WRITTEN],
            Self::ReadUnlock => &[1],
            Self::WriteUnlock => &[WRITTEN],
            Self::Read | Self::TryRead | Self::TryWrite => &[],
        }
    }
}

/// The operation whose part lies in these functions, which are given by their symbols, innermost first.
pub fn inlined_operation<'s>(symbols: impl IntoIterator<Item = &'s str>) -> Option<RustLockOperation> {
    let innermost = symbols.into_iter().find_map(library_path)?;
    if let Some(name) = innermost.strip_prefix("std::sys::sync::mutex::futex::Mutex::") {
        return match name {
            "lock" => Some(RustLockOperation::Lock),
            "try_lock" => Some(RustLockOperation::TryLock),
            "unlock" => Some(RustLockOperation::Unlock),
            _ => None,
        };
    }
    match innermost.strip_prefix("std::sys::sync::rwlock::futex::RwLock::")? {
        "read" => Some(RustLockOperation::Read),
        "try_read" => Some(RustLockOperation::TryRead),
        "read_unlock" => Some(RustLockOperation::ReadUnlock),
        "write" => Some(RustLockOperation::Write),
        "try_write" => Some(RustLockOperation::TryWrite),
        "write_unlock" => Some(RustLockOperation::WriteUnlock),
        _ => None,
    }
}

/// Whether a function may operate on locks that readers share, by its symbol, though it is none of the
/// operations known: where one of these has an access to a word, symx knows too little of the lock.
pub fn is_of_other_operation(symbol: &str) -> bool {
    let path = library_path(symbol);
    let name = path.as_deref().and_then(|path| path.strip_prefix("std::sys::sync::rwlock::futex::RwLock::"));
    matches!(name, Some("downgrade"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_by_the_function_they_lie_in() {
        let exchange = "_RINvNtNtCsgEmfK2I1SDS_4core4sync6atomic23atomic_compare_exchangemECs_7program";
        let reads = "_RNvMNtNtNtNtCsjrHSEGnQ3l9_3std3sys4sync6rwlock5futexNtB2_6RwLock4read";
        let waits = "_RNvMNtNtNtNtCsjrHSEGnQ3l9_3std3sys4sync6rwlock5futexNtB2_6RwLock14read_contended";
        let locks = "_RNvMNtNtNtNtCsjrHSEGnQ3l9_3std3sys4sync5mutex5futexNtB2_5Mutex4lock";
        assert_eq!(inlined_operation([exchange, reads]), Some(RustLockOperation::Read));
        assert_eq!(inlined_operation([exchange, waits, reads]), None);
        assert_eq!(inlined_operation([exchange, locks]), Some(RustLockOperation::Lock));
        assert_eq!(inlined_operation([exchange]), None);
    }

    #[test]
    fn a_wait_has_an_update_and_a_trial_a_look() {
        use RustLockOperation::{Lock, Read, TryRead, Write};
        assert!(Lock.function(WordAccess::Load).is_none() && Write.function(WordAccess::Load).is_none());
        assert_eq!(Read.function(WordAccess::Load), Some(LOOK));
        assert_eq!(TryRead.function(WordAccess::Load), Some(TRY_READ));
    }
}
