//! Functions of the C library that the watching runtime stands in for.

use crate::module::Module;

/// Functions that order threads, by the edges of `runtime/order.h`.
const ORDERING: [&str; 19] = [
    "pthread_create",
    "pthread_join",
    "pthread_mutex_lock",
    "pthread_mutex_trylock",
    "pthread_mutex_timedlock",
    "pthread_mutex_unlock",
    "pthread_spin_lock",
    "pthread_spin_trylock",
    "pthread_spin_unlock",
    "pthread_cond_wait",
    "pthread_cond_timedwait",
    "thrd_create",
    "thrd_join",
    "mtx_lock",
    "mtx_trylock",
    "mtx_timedlock",
    "mtx_unlock",
    "cnd_wait",
    "cnd_timedwait",
];

/// Functions that end the process without running its destructors.
const ENDING: [&str; 2] = ["_exit", "_Exit"];

/// Puts the runtime's functions where the program names those of the C library.
pub(super) fn stand_in(module: &Module) {
    for name in ORDERING {
        module.stand_in(name, &format!("symx_watch_{name}"));
    }
    for name in ENDING {
        module.stand_in(name, "symx_watch_exit_now");
    }
}
