//! Which calls of external functions are timed in a profile: the recorder and the guide go by the same table.
//!
//! Timed are those that wait for other threads, may block, or end the life of something others may use. Calls
//! that only release others are not: each comes between two that are timed. The stamps are a hint about the
//! order of threads, so the table is a matter of taste. But the n-th call of a timed function in an
//! activation has the n-th stamp, if it is over where it is stamped at its end.

/// Whether and when a call of a function is stamped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stamp {
    /// Never.
    No,
    /// Never: it only lets other threads go on.
    Releases,
    /// When it begins.
    Before,
    /// When it is over: it waits for what others release. A thread that acquires a lock is stamped while it
    /// holds it, so the stamps of a lock are in the order of its acquisitions.
    After,
}

impl Stamp {
    /// The stamp of calls of a function, by its name.
    pub fn of(function: &str) -> Self {
        let begins = |prefixes: &[&str]| prefixes.iter().any(|prefix| function.starts_with(prefix));
        let ends = |endings: &[&str]| endings.iter().any(|ending| function.ends_with(ending));
        let is_of_threads = begins(THREADS);
        if is_of_threads && ends(RELEASING) {
            // `thrd_` and `call_once` release nothing.
            return if begins(SYNCHRONISING) { Self::Releases } else { Self::No };
        }
        let is_timed = is_of_threads && !ends(ASKING) || OTHERS.contains(&function);
        match is_timed {
            false => Self::No,
            true if ends(WAITING) || WITH_TIME_LIMIT.contains(&function) => Self::After,
            true => Self::Before,
        }
    }

    /// Whether it is stamped.
    pub fn is_timed(self) -> bool {
        matches!(self, Self::Before | Self::After)
    }
}

/// Beginnings of the names of functions that synchronise or manage threads.
const THREADS: &[&str] = &["pthread_", "sem_", "mtx_", "cnd_", "thrd_", "call_once"];
/// Those with functions that release others.
const SYNCHRONISING: &[&str] = &["pthread_", "sem_", "mtx_", "cnd_"];
/// Endings of the names of those.
const RELEASING: &[&str] = &["_unlock", "_signal", "_broadcast", "_post"];
/// Endings of functions that have no effect on others.
const ASKING: &[&str] = &["_self", "_equal"];
/// Endings of functions that wait for what others release.
const WAITING: &[&str] = &["lock", "wait", "join", "_once"];
/// Others that do.
const WITH_TIME_LIMIT: &[&str] =
    &["pthread_mutex_timedlock", "pthread_cond_timedwait", "sem_timedwait", "mtx_timedlock", "cnd_timedwait"];
/// Timed functions that manage no threads: they free memory, may block, or call the kernel.
const OTHERS: &[&str] = &[
    "free",
    "read",
    "pread",
    "readv",
    "write",
    "pwrite",
    "writev",
    "open",
    "open64",
    "openat",
    "close",
    "fopen",
    "fopen64",
    "fclose",
    "fread",
    "fwrite",
    "fgets",
    "fputs",
    "puts",
    "printf",
    "fprintf",
    "poll",
    "ppoll",
    "select",
    "epoll_wait",
    "sleep",
    "usleep",
    "nanosleep",
    "clock_nanosleep",
    "sched_yield",
    "syscall",
    "waitpid",
    "kill",
    "raise",
];

#[cfg(test)]
mod tests {
    use super::Stamp;

    #[test]
    fn what_only_lets_others_go_on_has_no_stamp() {
        for function in ["pthread_mutex_unlock", "pthread_cond_signal", "sem_post", "cnd_broadcast"] {
            assert_eq!(Stamp::of(function), Stamp::Releases, "{function}");
        }
        for function in ["pthread_mutex_lock", "pthread_cond_timedwait", "sem_wait", "thrd_join", "call_once"]
        {
            assert_eq!(Stamp::of(function), Stamp::After, "{function}");
        }
        for function in ["pthread_create", "sem_init", "free", "read"] {
            assert_eq!(Stamp::of(function), Stamp::Before, "{function}");
        }
        for function in ["pthread_self", "thrd_equal", "thrd_signal", "unlock", "memcpy"] {
            assert_eq!(Stamp::of(function), Stamp::No, "{function}");
        }
    }
}
