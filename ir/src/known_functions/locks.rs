//! The functions that acquire and release locks: those of POSIX threads, of C11 and of Rust's standard
//! library.

use super::rust_locks;

/// A function that acquires a lock, the lock being its first argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LockFunction {
    /// Its name.
    pub name: &'static str,
    /// Whether it returns with the lock only, however long that takes.
    pub waits: bool,
    /// Whether others may hold the lock as well.
    pub is_shared: bool,
    /// The function that acquires the same lock, waits for it, and excludes all others.
    pub exclusive: &'static str,
    /// The function that releases it.
    pub unlock: &'static str,
}

const MUTEX_LOCK: LockFunction = waiting("pthread_mutex_lock", "pthread_mutex_unlock");
const WRITE_LOCK: LockFunction = waiting("pthread_rwlock_wrlock", "pthread_rwlock_unlock");
const READ_LOCK: LockFunction = LockFunction { name: "pthread_rwlock_rdlock", is_shared: true, ..WRITE_LOCK };
const SPIN_LOCK: LockFunction = waiting("pthread_spin_lock", "pthread_spin_unlock");
const RUST_LOCK: LockFunction = waiting(rust_locks::LOCK, rust_locks::UNLOCK);
const RUST_WRITE: LockFunction = waiting(rust_locks::WRITE, rust_locks::RELEASE);
const RUST_READ: LockFunction = LockFunction { name: rust_locks::READ, is_shared: true, ..RUST_WRITE };
const MTX_LOCK: LockFunction = waiting("mtx_lock", "mtx_unlock");

const LOCKS: &[LockFunction] = &[
    MUTEX_LOCK,
    trying("pthread_mutex_trylock", MUTEX_LOCK),
    trying("pthread_mutex_timedlock", MUTEX_LOCK),
    trying("pthread_mutex_clocklock", MUTEX_LOCK),
    WRITE_LOCK,
    READ_LOCK,
    trying("pthread_rwlock_trywrlock", WRITE_LOCK),
    trying("pthread_rwlock_timedwrlock", WRITE_LOCK),
    trying("pthread_rwlock_clockwrlock", WRITE_LOCK),
    trying("pthread_rwlock_tryrdlock", READ_LOCK),
    trying("pthread_rwlock_timedrdlock", READ_LOCK),
    trying("pthread_rwlock_clockrdlock", READ_LOCK),
    SPIN_LOCK,
    trying("pthread_spin_trylock", SPIN_LOCK),
    MTX_LOCK,
    trying("mtx_trylock", MTX_LOCK),
    trying("mtx_timedlock", MTX_LOCK),
    RUST_LOCK,
    trying(rust_locks::TRY_LOCK, RUST_LOCK),
    RUST_WRITE,
    RUST_READ,
    trying(rust_locks::TRY_WRITE, RUST_WRITE),
    trying(rust_locks::TRY_READ, RUST_READ),
];

const fn waiting(name: &'static str, unlock: &'static str) -> LockFunction {
    LockFunction { name, waits: true, is_shared: false, exclusive: name, unlock }
}

const fn trying(name: &'static str, waiting: LockFunction) -> LockFunction {
    LockFunction { name, waits: false, ..waiting }
}

/// The row of a function that acquires a lock; `None` of any other.
pub fn acquiring(name: &str) -> Option<&'static LockFunction> {
    LOCKS.iter().find(|lock| lock.name == name)
}

/// Whether a function releases a lock.
pub fn releases(name: &str) -> bool {
    LOCKS.iter().any(|lock| lock.unlock == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_lock_is_excluded_from_and_given_back() {
        for lock in LOCKS {
            let exclusive = acquiring(lock.exclusive).expect("it takes a lock");
            assert!(exclusive.waits && !exclusive.is_shared && exclusive.unlock == lock.unlock, "{lock:?}");
            assert!(releases(lock.unlock) && acquiring(lock.unlock).is_none(), "{lock:?}");
        }
        assert!(acquiring("pthread_rwlock_timedrdlock").is_some_and(|lock| lock.is_shared && !lock.waits));
    }
}
