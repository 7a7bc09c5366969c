//! A writer becomes a reader, an operation that is not modelled: the code of the library runs.
//@ outcomes: 1
use std::sync::{RwLock, RwLockWriteGuard};
use std::thread;

static VALUE: RwLock<i32> = RwLock::new(0);

fn main() {
    let mut value = VALUE.write().unwrap();
    let reader = thread::spawn(|| *VALUE.read().unwrap());
    *value += 1;
    let value = RwLockWriteGuard::downgrade(value);
    println!("{}", reader.join().unwrap() * *value);
}
