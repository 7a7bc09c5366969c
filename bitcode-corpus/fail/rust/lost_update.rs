//! Two threads read under a mutex and write under it later: the lost update.
//@ flags: --search random --max-executions 20000
use std::sync::{Arc, Mutex};
use std::thread;

fn main() {
    let count = Arc::new(Mutex::new(0));
    let increment = |count: Arc<Mutex<u32>>| {
        move || {
            let before = *count.lock().unwrap();
            *count.lock().unwrap() = before + 1;
        }
    };
    let (first, second) = (thread::spawn(increment(count.clone())), thread::spawn(increment(count.clone())));
    first.join().unwrap();
    second.join().unwrap();
    assert_eq!(*count.lock().unwrap(), 2); //~ ERROR: panicked
}
