//! A condition variable releases the lock while a thread waits, and has it again afterwards.
//@ outcomes: 7
use std::sync::{Condvar, Mutex};
use std::thread;

static VALUE: Mutex<Option<u32>> = Mutex::new(None);
static IS_SET: Condvar = Condvar::new();

fn main() {
    let writer = thread::spawn(|| {
        *VALUE.lock().unwrap() = Some(7);
        IS_SET.notify_one();
    });
    let mut value = VALUE.lock().unwrap();
    while value.is_none() {
        value = IS_SET.wait(value).unwrap();
    }
    println!("{}", value.unwrap());
    drop(value);
    writer.join().unwrap();
}
