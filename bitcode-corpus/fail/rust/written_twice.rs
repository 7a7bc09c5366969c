//! The writer takes the lock for reading.
use std::sync::RwLock;

fn main() {
    let lock = RwLock::new(0);
    let mut value = std::hint::black_box(&lock).write().unwrap();
    *value = *lock.read().unwrap() + 1; //~ ERROR: waits for the read-write lock
}
