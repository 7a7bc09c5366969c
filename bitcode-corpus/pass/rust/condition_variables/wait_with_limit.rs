//! A wait with a limit ends by a notification or by time, and has the lock again either way.
//@ outcomes: 0 1 2
use std::sync::{Condvar, Mutex};
use std::thread;
use std::time::Duration;

static READY: Mutex<bool> = Mutex::new(false);
static CHANGED: Condvar = Condvar::new();

fn main() {
    let notifier = thread::spawn(|| {
        *READY.lock().unwrap() = true;
        CHANGED.notify_one();
    });
    let ready = READY.lock().unwrap();
    let found = if *ready {
        2
    } else {
        let (ready, result) = CHANGED.wait_timeout(ready, Duration::from_millis(5)).unwrap();
        assert!(result.timed_out() || *ready);
        u32::from(!result.timed_out())
    };
    println!("{found}");
    notifier.join().unwrap();
}
