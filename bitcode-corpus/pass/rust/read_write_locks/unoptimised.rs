//! Without optimisation, the atomic operations of a lock are calls of functions of `core`.
//@ cflags: -C opt-level=0
//@ outcomes: 2
//@ executions[sc]: 12
use std::sync::RwLock;
use std::thread;

static VALUE: RwLock<i32> = RwLock::new(0);

fn look_and_add() {
    let _seen = *VALUE.read().unwrap();
    *VALUE.write().unwrap() += 1;
}

fn main() {
    let one = thread::spawn(look_and_add);
    let other = thread::spawn(look_and_add);
    one.join().unwrap();
    other.join().unwrap();
    println!("{}", VALUE.read().unwrap());
}
