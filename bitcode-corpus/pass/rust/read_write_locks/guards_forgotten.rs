//! The guards of a lock are forgotten. Another lock, which is free, lies where that one was.
//@ native
use std::sync::RwLock;

fn main() {
    for round in 0..2 {
        let lock = RwLock::new(round);
        std::mem::forget(std::hint::black_box(&lock).read().unwrap());
        println!("{} {}", lock.try_read().is_ok(), lock.try_write().is_err());
    }
    for round in 0..2 {
        let lock = RwLock::new(round);
        std::mem::forget(std::hint::black_box(&lock).write().unwrap());
        println!("{} {}", lock.try_read().is_ok(), lock.try_write().is_err());
    }
}
