//! A relaxed store publishes nothing: under models that reorder stores the reader sees the flag without the
//! value.
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

static VALUE: AtomicU32 = AtomicU32::new(0);
static IS_READY: AtomicBool = AtomicBool::new(false);

fn main() {
    let writer = std::thread::spawn(|| {
        VALUE.store(7, Ordering::Relaxed);
        IS_READY.store(true, Ordering::Relaxed);
    });
    if IS_READY.load(Ordering::Acquire) {
        assert_eq!(VALUE.load(Ordering::Relaxed), 7); //~[pso] ERROR: panicked
    }
    writer.join().unwrap();
}
