//! The locks of Rust's standard library (`std::sys::sync::mutex::futex`), which `std::sync::Mutex` and others
//! are made of: a word that is 0 while the lock is free.
//!
//! The library takes and releases one by an atomic operation where that succeeds at once, and by system calls
//! otherwise. The first part is inlined into programs, the rest never is.

use super::rust_names::library_path;

/// An operation of such a lock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RustLockOperation {
    /// Takes the lock, however long that takes.
    Lock,
    /// Takes it if it is free.
    TryLock,
    /// Releases it.
    Unlock,
}

/// symx's function in place of the atomic operation of the library that takes a lock. It takes the lock's
/// address and gives the word as the operation found it.
pub const LOCK: &str = "__symx_rust_lock";
/// Likewise of the one that takes it if it is free.
pub const TRY_LOCK: &str = "__symx_rust_try_lock";
/// Likewise of the one that releases it.
pub const UNLOCK: &str = "__symx_rust_unlock";

/// The library's function that waits where a lock was not free.
pub const LOCK_CONTENDED: &str = "std::sys::sync::mutex::futex::Mutex::lock_contended";
/// The one that wakes a thread that waits.
pub const WAKE: &str = "std::sys::sync::mutex::futex::Mutex::wake";

impl RustLockOperation {
    /// symx's function in place of the atomic operation.
    pub fn function(self) -> &'static str {
        match self {
            Self::Lock => LOCK,
            Self::TryLock => TRY_LOCK,
            Self::Unlock => UNLOCK,
        }
    }
}

/// The operation whose part lies in these functions, which are given by their symbols, innermost first.
pub fn inlined_operation<'s>(symbols: impl IntoIterator<Item = &'s str>) -> Option<RustLockOperation> {
    let innermost = symbols.into_iter().find_map(library_path)?;
    match innermost.strip_prefix("std::sys::sync::mutex::futex::Mutex::")? {
        "lock" => Some(RustLockOperation::Lock),
        "try_lock" => Some(RustLockOperation::TryLock),
        "unlock" => Some(RustLockOperation::Unlock),
        _ => None,
    }
}
