//! A thread that reads takes the same lock for writing.
use std::sync::RwLock;

fn main() {
    let lock = RwLock::new(0);
    let seen = std::hint::black_box(&lock).read().unwrap();
    *lock.write().unwrap() = *seen + 1; //~ ERROR: waits for the read-write lock
}
