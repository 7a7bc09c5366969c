//! One notification of all threads ends the waits of two, each with a lock of its own.
//@ outcomes: 2
use std::sync::{Condvar, Mutex};
use std::thread;

static FIRST: Mutex<u32> = Mutex::new(0);
static SECOND: Mutex<u32> = Mutex::new(0);
static CHANGED: Condvar = Condvar::new();

fn wait_at(lock: &'static Mutex<u32>) -> u32 {
    let mut value = lock.lock().unwrap();
    while *value == 0 {
        value = CHANGED.wait(value).unwrap();
    }
    *value
}

fn main() {
    let first = thread::spawn(|| wait_at(&FIRST));
    let second = thread::spawn(|| wait_at(&SECOND));
    *FIRST.lock().unwrap() = 1;
    *SECOND.lock().unwrap() = 1;
    CHANGED.notify_all();
    println!("{}", first.join().unwrap() + second.join().unwrap());
}
