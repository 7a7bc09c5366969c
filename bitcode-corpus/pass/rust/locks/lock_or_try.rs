//! Whether a lock is waited for or tried depends on a value: the optimiser makes one atomic access of both.
//@ cflags: -C opt-level=2
//@ outcomes: taken busy
use std::sync::{Mutex, MutexGuard};
use std::thread;

static OUTPUT: Mutex<u32> = Mutex::new(0);

fn take(wait: bool) -> Option<MutexGuard<'static, u32>> {
    if wait { OUTPUT.lock().ok() } else { OUTPUT.try_lock().ok() }
}

fn main() {
    let wait = std::env::args().count() > 1;
    let guard = OUTPUT.lock().unwrap();
    let other = thread::spawn(move || println!("{}", if take(wait).is_some() { "taken" } else { "busy" }));
    drop(guard);
    other.join().unwrap();
}
