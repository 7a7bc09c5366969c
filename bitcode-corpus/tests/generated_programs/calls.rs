//! The calls that generated programs make: how each is written in C. Their answers are in `rows/`.

use std::fmt;

/// A kind of object that threads share.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord, Hash)]
pub enum Kind {
    NormalMutex,
    RecursiveMutex,
    CheckingMutex,
    RobustMutex,
    RobustCheckingMutex,
    /// C11's `mtx_timed`.
    StandardMutex,
    /// C11's `mtx_timed | mtx_recursive`.
    StandardRecursiveMutex,
    Condition,
    StandardCondition,
    ReadWriteLock,
    SpinLock,
    /// For this many threads.
    Barrier(u8),
    /// With this many units.
    Semaphore(u8),
    Once,
    Key,
}

/// The kind of object a call takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Takes {
    Mutex,
    RobustMutex,
    StandardMutex,
    /// A condition variable, and a mutex.
    ConditionAndMutex,
    Condition,
    StandardConditionAndMutex,
    StandardCondition,
    ReadWriteLock,
    SpinLock,
    Barrier,
    Semaphore,
    Once,
    Key,
}

impl Kind {
    /// Whether it is one of POSIX's mutexes.
    pub fn is_mutex(self) -> bool {
        use Kind::{CheckingMutex, NormalMutex, RecursiveMutex, RobustCheckingMutex, RobustMutex};
        matches!(self, NormalMutex | RecursiveMutex | CheckingMutex | RobustMutex | RobustCheckingMutex)
    }

    /// Whether it is a robust mutex.
    pub fn is_robust(self) -> bool {
        matches!(self, Kind::RobustMutex | Kind::RobustCheckingMutex)
    }

    /// Whether it is one of C11's mutexes.
    pub fn is_standard_mutex(self) -> bool {
        matches!(self, Kind::StandardMutex | Kind::StandardRecursiveMutex)
    }
}

impl Takes {
    /// Whether the first (or, as `second`, the second) object of such a call can be of this kind.
    pub fn fits(self, kind: Kind, second: bool) -> bool {
        match (self, second) {
            (Self::Mutex, false) | (Self::ConditionAndMutex, true) => kind.is_mutex(),
            (Self::RobustMutex, false) => kind.is_robust(),
            (Self::StandardMutex, false) | (Self::StandardConditionAndMutex, true) => {
                kind.is_standard_mutex()
            }
            (Self::ConditionAndMutex | Self::Condition, false) => kind == Kind::Condition,
            (Self::StandardConditionAndMutex | Self::StandardCondition, false) => {
                kind == Kind::StandardCondition
            }
            (Self::ReadWriteLock, false) => kind == Kind::ReadWriteLock,
            (Self::SpinLock, false) => kind == Kind::SpinLock,
            (Self::Barrier, false) => matches!(kind, Kind::Barrier(_)),
            (Self::Semaphore, false) => matches!(kind, Kind::Semaphore(_)),
            (Self::Once, false) => kind == Kind::Once,
            (Self::Key, false) => kind == Kind::Key,
            (_, true) => false,
        }
    }

    /// How many objects such a call takes.
    pub fn count(self) -> usize {
        match self {
            Self::ConditionAndMutex | Self::StandardConditionAndMutex => 2,
            _ => 1,
        }
    }
}

/// A call.
pub struct Call {
    /// Its name in the rows.
    pub name: &'static str,
    pub takes: Takes,
    /// In C: `$` is the first object's address, `%` the second's.
    pub text: &'static str,
}

impl fmt::Debug for Call {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.text)
    }
}

impl PartialEq for Call {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

const fn call(name: &'static str, takes: Takes, text: &'static str) -> Call {
    Call { name, takes, text }
}

/// All calls. `SOON` is a time that comes soon or has come, `NEVER_A_TIME` none.
pub static CALLS: &[Call] = &[
    call("lock", Takes::Mutex, "pthread_mutex_lock($)"),
    call("trylock", Takes::Mutex, "pthread_mutex_trylock($)"),
    call("timedlock", Takes::Mutex, "pthread_mutex_timedlock($, SOON)"),
    call("timedlock", Takes::Mutex, "pthread_mutex_clocklock($, CLOCK_REALTIME, SOON)"),
    call("timedlock-invalid", Takes::Mutex, "pthread_mutex_timedlock($, NEVER_A_TIME)"),
    call("unlock", Takes::Mutex, "pthread_mutex_unlock($)"),
    call("consistent", Takes::RobustMutex, "pthread_mutex_consistent($)"),
    call("isowned", Takes::Mutex, "pthread_mutex_isowned_np($)"),
    call("lock", Takes::StandardMutex, "mtx_lock($)"),
    call("trylock", Takes::StandardMutex, "mtx_trylock($)"),
    call("timedlock", Takes::StandardMutex, "mtx_timedlock($, SOON)"),
    call("unlock", Takes::StandardMutex, "mtx_unlock($)"),
    call("wait", Takes::ConditionAndMutex, "pthread_cond_wait($, %)"),
    call("timedwait", Takes::ConditionAndMutex, "pthread_cond_timedwait($, %, SOON)"),
    call("timedwait", Takes::ConditionAndMutex, "pthread_cond_clockwait($, %, CLOCK_REALTIME, SOON)"),
    call("timedwait-invalid", Takes::ConditionAndMutex, "pthread_cond_timedwait($, %, NEVER_A_TIME)"),
    call("signal", Takes::Condition, "pthread_cond_signal($)"),
    call("broadcast", Takes::Condition, "pthread_cond_broadcast($)"),
    call("wait", Takes::StandardConditionAndMutex, "cnd_wait($, %)"),
    call("timedwait", Takes::StandardConditionAndMutex, "cnd_timedwait($, %, SOON)"),
    call("signal", Takes::StandardCondition, "cnd_signal($)"),
    call("broadcast", Takes::StandardCondition, "cnd_broadcast($)"),
    call("rdlock", Takes::ReadWriteLock, "pthread_rwlock_rdlock($)"),
    call("wrlock", Takes::ReadWriteLock, "pthread_rwlock_wrlock($)"),
    call("tryrdlock", Takes::ReadWriteLock, "pthread_rwlock_tryrdlock($)"),
    call("trywrlock", Takes::ReadWriteLock, "pthread_rwlock_trywrlock($)"),
    call("timedrdlock", Takes::ReadWriteLock, "pthread_rwlock_timedrdlock($, SOON)"),
    call("timedwrlock", Takes::ReadWriteLock, "pthread_rwlock_timedwrlock($, SOON)"),
    call("timedrdlock", Takes::ReadWriteLock, "pthread_rwlock_clockrdlock($, CLOCK_REALTIME, SOON)"),
    call("timedwrlock", Takes::ReadWriteLock, "pthread_rwlock_clockwrlock($, CLOCK_REALTIME, SOON)"),
    call("unlock", Takes::ReadWriteLock, "pthread_rwlock_unlock($)"),
    call("lock", Takes::SpinLock, "pthread_spin_lock($)"),
    call("trylock", Takes::SpinLock, "pthread_spin_trylock($)"),
    call("unlock", Takes::SpinLock, "pthread_spin_unlock($)"),
    call("wait", Takes::Barrier, "pthread_barrier_wait($)"),
    call("wait", Takes::Semaphore, "ERRNO(sem_wait($))"),
    call("trywait", Takes::Semaphore, "ERRNO(sem_trywait($))"),
    call("timedwait", Takes::Semaphore, "ERRNO(sem_timedwait($, SOON))"),
    call("clockwait", Takes::Semaphore, "ERRNO(sem_clockwait($, CLOCK_REALTIME, SOON))"),
    call("timedwait-invalid", Takes::Semaphore, "ERRNO(sem_timedwait($, NEVER_A_TIME))"),
    call("post", Takes::Semaphore, "ERRNO(sem_post($))"),
    call("getvalue", Takes::Semaphore, "value_of($)"),
    call("once", Takes::Once, "pthread_once($, ROUTINE)"),
    call("set", Takes::Key, "pthread_setspecific(*$, &seen)"),
    call("get", Takes::Key, "pthread_getspecific(*$) == &seen"),
];
