//! A thread that reads takes the lock for reading again. While a writer waits, no reader is let in.
use std::sync::RwLock;
use std::thread;

static VALUE: RwLock<i32> = RwLock::new(0);

fn main() {
    let writer = thread::spawn(|| *VALUE.write().unwrap() += 1);
    let first = VALUE.read().unwrap();
    let second = VALUE.read().unwrap(); //~ ERROR: waits for the read-write lock
    assert_eq!(*first, *second);
    drop((first, second));
    writer.join().unwrap();
}
