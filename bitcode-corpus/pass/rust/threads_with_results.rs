//! Two threads that have nothing in common but what the standard library does for each.
//@ outcomes: 3
use std::thread;

fn main() {
    let one = thread::spawn(|| 1);
    let two = thread::spawn(|| 2);
    println!("{}", one.join().unwrap() + two.join().unwrap());
}
