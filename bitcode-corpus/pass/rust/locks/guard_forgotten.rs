//! The guard of a lock is forgotten. Another lock, which is free, lies where that one was.
//@ native
use std::sync::Mutex;

fn main() {
    for round in 0..2 {
        let lock = Mutex::new(round);
        std::mem::forget(std::hint::black_box(&lock).lock().unwrap());
        println!("{}", lock.try_lock().is_err());
    }
}
