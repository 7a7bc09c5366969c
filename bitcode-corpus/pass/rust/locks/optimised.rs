//! With all optimisations, functions of the one lock have no parameter for it.
//@ cflags: -C opt-level=3
//@ outcomes: 2
//@ executions[sc]: 2
use std::sync::Mutex;
use std::thread;

static COUNT: Mutex<u32> = Mutex::new(0);

fn main() {
    let one = thread::spawn(|| *COUNT.lock().unwrap() += 1);
    let other = thread::spawn(|| *COUNT.lock().unwrap() += 1);
    one.join().unwrap();
    other.join().unwrap();
    println!("{}", COUNT.lock().unwrap());
}
