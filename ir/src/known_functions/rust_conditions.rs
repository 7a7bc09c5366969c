//! The condition variables of Rust's standard library (`std::sys::sync::condvar::futex`).
//!
//! A wait that is woken gives no sign to the program but that it goes on. So what these functions do is
//! modelled as a whole, in place of the library's code: a counter, and system calls.

use super::rust_names::library_path;

/// The type's own functions.
const OWN: &str = "std::sys::sync::condvar::futex::Condvar::";

/// `wait(condition, lock)`.
pub const WAIT: &str = "std::sys::sync::condvar::futex::Condvar::wait";

/// `wait_timeout(condition, lock, seconds, nanoseconds)`: whether it was woken.
pub const WAIT_TIMEOUT: &str = "std::sys::sync::condvar::futex::Condvar::wait_timeout";

/// `notify_one(condition)`, of the library's versions and of both kinds of condition variables.
pub const NOTIFY_ONE: [&str; 4] = [
    "std::sync::poison::condvar::Condvar::notify_one",
    "std::sync::nonpoison::condvar::Condvar::notify_one",
    "std::sync::condvar::Condvar::notify_one",
    "std::sys::sync::condvar::futex::Condvar::notify_one",
];

/// Likewise `notify_all(condition)`.
pub const NOTIFY_ALL: [&str; 4] = [
    "std::sync::poison::condvar::Condvar::notify_all",
    "std::sync::nonpoison::condvar::Condvar::notify_all",
    "std::sync::condvar::Condvar::notify_all",
    "std::sys::sync::condvar::futex::Condvar::notify_all",
];

/// Whether a function, by its symbol, is one of the type's own, or one of those above.
pub fn operates_on_condition(symbol: &str) -> bool {
    let Some(path) = library_path(symbol) else { return false };
    path.starts_with(OWN) || NOTIFY_ONE.contains(&path.as_str()) || NOTIFY_ALL.contains(&path.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_of_condition_variables() {
        let own =
            "_RNvMNtNtNtNtCsjrHSEGnQ3l9_3std3sys4sync7condvar5futexNtB2_7Condvar21wait_optional_timeout";
        let notifies = "_RNvMNtNtNtCsjrHSEGnQ3l9_3std4sync6poison7condvarNtB2_7Condvar10notify_one";
        let locks = "_RNvMNtNtNtNtCsjrHSEGnQ3l9_3std3sys4sync5mutex5futexNtB2_5Mutex14lock_contended";
        assert_eq!([own, notifies, locks].map(operates_on_condition), [true, true, false]);
        assert_eq!(library_path(notifies).as_deref(), Some(NOTIFY_ONE[0]));
    }
}
