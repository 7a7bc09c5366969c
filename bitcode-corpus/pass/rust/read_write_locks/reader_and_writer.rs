//! A reader sees what was before the writer, or what came after it.
//@ outcomes: 0 1
use std::sync::RwLock;
use std::thread;

static VALUE: RwLock<i32> = RwLock::new(0);

fn main() {
    let writer = thread::spawn(|| *VALUE.write().unwrap() += 1);
    let reader = thread::spawn(|| *VALUE.read().unwrap());
    writer.join().unwrap();
    println!("{}", reader.join().unwrap());
}
