//! Locks that are tried. The reader finds the lock taken, or what was before the writer, or what came after.
//@ outcomes: false,0,0 true,0,1 true,1,1 true,7,1
use std::sync::RwLock;
use std::thread;

static VALUE: RwLock<i32> = RwLock::new(0);

fn main() {
    let writer = thread::spawn(|| VALUE.try_write().map(|mut value| *value += 1).is_ok());
    let reader = thread::spawn(|| VALUE.try_read().map_or(7, |value| *value));
    let (wrote, read) = (writer.join().unwrap(), reader.join().unwrap());
    println!("{wrote},{read},{}", VALUE.read().unwrap());
}
