//! A flag is set without the lock: a thread that has looked at it sleeps after the notification came.
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex};
use std::thread;

static LOCK: Mutex<()> = Mutex::new(());
static CHANGED: Condvar = Condvar::new();
static READY: AtomicBool = AtomicBool::new(false);

fn main() {
    let notifier = thread::spawn(|| {
        READY.store(true, Ordering::SeqCst);
        CHANGED.notify_all();
    });
    let mut guard = LOCK.lock().unwrap();
    while !READY.load(Ordering::SeqCst) {
        guard = CHANGED.wait(guard).unwrap(); //~ ERROR: lost wake-up
    }
    notifier.join().unwrap();
}
