//! Readers do not exclude each other.
//@ outcomes: 7,7
use std::sync::RwLock;
use std::thread;

static VALUE: RwLock<i32> = RwLock::new(7);

fn main() {
    let one = thread::spawn(|| *VALUE.read().unwrap());
    let other = thread::spawn(|| *VALUE.read().unwrap());
    println!("{},{}", one.join().unwrap(), other.join().unwrap());
}
